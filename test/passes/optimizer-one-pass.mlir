// An update reads each tensor once and writes each once, also where calls with a loss that is not finite change nothing: what is computed of
// a new state is computed of what is returned.
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw loss=loss' --tcc-fuse --verify-each | FileCheck %s --check-prefixes=CHECK,ADAM
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd momentum=0.9 nesterov=1 loss=loss' --tcc-fuse --verify-each | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: tcc-opt %s '--tcc-optimizer=kind=adagrad loss=loss ema=0.9' --tcc-fuse --verify-each | FileCheck %s --check-prefixes=CHECK,ADAM
// CHECK: func.func @main
// CHECK-NOT: -> tensor<4x4xf32>
// ADAM: call @{{.*}} -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
// SGD: call @{{.*}} -> (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-NOT: -> {{.*}}tensor<4x4xf32>
// CHECK: return
func.func @main(%w: tensor<4x4xf32> {tcc.name = "w", tcc.parameter}, %g: tensor<4x4xf32>, %x: tensor<f32>) -> (tensor<f32> {tcc.name = "loss"}, tensor<4x4xf32> {tcc.name = "grad.w"}) {
  %loss = "tcc.exp"(%x) : (tensor<f32>) -> tensor<f32>
  return %loss, %g : tensor<f32>, tensor<4x4xf32>
}
