// Parameters of one type whose gradients are results of calls share one function of their update, and what depends on the number of the step
// alone is computed once. A parameter that is alone with its type, or whose gradient is computed in @main, has its update there: it may be
// one kernel with the gradient.
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw no-decay=b* ema=0.9 loss=loss' --verify-each | FileCheck %s
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw no-decay=b* ema=0.9 loss=loss functions=0' --verify-each | FileCheck %s --check-prefix=MAIN
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=1' --verify-each | FileCheck %s --check-prefix=MAIN
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw clip-norm=1' --verify-each | FileCheck %s --check-prefix=MAIN
// CHECK: func.func @main(%[[W0:[^:]*]]: tensor<4xf32> {tcc.name = "w0", tcc.parameter}, %[[W1:[^:]*]]: tensor<4xf32> {tcc.name = "w1", tcc.parameter}
// CHECK-SAME: %[[M:[^:]*]]: tensor<4xf32> {tcc.name = "w0:exp_avg"}, %[[V:[^:]*]]: tensor<4xf32> {tcc.name = "w0:exp_avg_sq"}, %[[EMA:[^:]*]]: tensor<4xf32> {tcc.name = "w0:ema"}
// CHECK-SAME: {tcc.name = "w0:exp_avg", tcc.tied = 7 : i64}, tensor<4xf32> {tcc.name = "w0:exp_avg_sq", tcc.tied = 8 : i64}, tensor<4xf32> {tcc.name = "w0", tcc.tied = 0 : i64}, tensor<4xf32> {tcc.name = "w0:ema", tcc.tied = 9 : i64}
// CHECK: %[[G0:.*]] = call @layer(%[[W0]])
// CHECK-COUNT-2: "tcc.pow"
// CHECK-NOT: "tcc.pow"
// CHECK: %[[NEW:.*]]:4 = call @[[F:update[0-9]*]](%[[W0]], %[[G0]], %[[M]], %[[V]],
// CHECK-NOT: "tcc.sqrt"
// CHECK: call @[[F]](%[[W1]],
// CHECK: "tcc.sqrt"(%{{.*}}) : (tensor<4xf32>)
// CHECK: "tcc.sqrt"(%{{.*}}) : (tensor<2xf32>)
// CHECK: "tcc.sqrt"(%{{.*}}) : (tensor<4xf32>)
// CHECK: return %{{.*}}, %{{.*}}, %[[NEW]]#0, %[[NEW]]#1, %[[NEW]]#2, %[[NEW]]#3
// CHECK: func.func private @[[F]](
// CHECK-COUNT-1: "tcc.sqrt"
// CHECK: return
// MAIN-NOT: @update

// An update that is called is the one that is not.
// DEFINE: %{parameters} = --input=4xf32=0.5,-1,2,0.25 --input=4xf32=1,2,-3,4 --input=4xf32=-1,1,0.5,0 --input=2xf32=1,-2 --input=4xf32=3,1,2,-1 --input=f32=1 --input=i64=2
// DEFINE: %{states} = --input=4xf32=1,2,3,4 --input=4xf32=0.5,0.25,1,2 --input=4xf32=2,0,1,3 --input=4xf32=1,1,2,2 --input=4xf32=0,3,0.5,1 --input=4xf32=4,2,1,0
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw lr=0.1 schedule=linear warmup=1 steps=9 loss=loss' -o %t.mlir && tcc-opt %s '--tcc-optimizer=kind=adamw lr=0.1 schedule=linear warmup=1 steps=9 loss=loss functions=0' -o %t.main.mlir
// RUN: tcc-interp %{parameters} %{states} --input=2xf32=1,2 --input=2xf32=3,4 --input=4xf32=1,0,2,1 --input=4xf32=3,1,1,2 %t.mlir > %t.txt
// RUN: tcc-interp %{parameters} %{states} --input=2xf32=1,2 --input=2xf32=3,4 --input=4xf32=1,0,2,1 --input=4xf32=3,1,1,2 %t.main.mlir > %t.main.txt
// RUN: diff %t.txt %t.main.txt && FileCheck %s --check-prefix=SAME --input-file=%t.txt
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd momentum=0.9 nesterov=1 ema=0.9' -o %t.mlir && tcc-opt %s '--tcc-optimizer=kind=sgd momentum=0.9 nesterov=1 ema=0.9 functions=0' -o %t.main.mlir
// RUN: tcc-interp %{parameters} %{states} --input=2xf32=1,2 --input=2xf32=3,4 --input=4xf32=1,0,2,1 --input=4xf32=3,1,1,2 %t.mlir > %t.txt
// RUN: tcc-interp %{parameters} %{states} --input=2xf32=1,2 --input=2xf32=3,4 --input=4xf32=1,0,2,1 --input=4xf32=3,1,1,2 %t.main.mlir > %t.main.txt
// RUN: diff %t.txt %t.main.txt && FileCheck %s --check-prefix=SAME --input-file=%t.txt
// SAME: output 1: i64 = 3{{$}}
// SAME: output 16: 4xf32

// The name of a function that is there is not taken.
// RUN: sed 's/@layer/@update0/' %s > %t.taken.mlir && tcc-opt %t.taken.mlir '--tcc-optimizer=kind=adamw' --verify-each | FileCheck %s --check-prefix=TAKEN
// TAKEN: call @update0(%{{[^,]*}}) : (tensor<4xf32>) -> tensor<4xf32>
// TAKEN: call @update1(
func.func private @layer(%w: tensor<4xf32>) -> tensor<4xf32> {
  %g = "tcc.exp"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func private @other(%w: tensor<2xf32>) -> tensor<2xf32> {
  %g = "tcc.exp"(%w) : (tensor<2xf32>) -> tensor<2xf32>
  return %g : tensor<2xf32>
}
func.func @main(%w0: tensor<4xf32> {tcc.name = "w0", tcc.parameter}, %w1: tensor<4xf32> {tcc.name = "w1", tcc.parameter}, %b0: tensor<4xf32> {tcc.name = "b0", tcc.parameter},
                %w2: tensor<2xf32> {tcc.name = "w2", tcc.parameter}, %w3: tensor<4xf32> {tcc.name = "w3", tcc.parameter}, %x: tensor<f32>)
    -> (tensor<f32> {tcc.name = "loss"}, tensor<4xf32> {tcc.name = "grad.w0"}, tensor<4xf32> {tcc.name = "grad.w1"}, tensor<4xf32> {tcc.name = "grad.b0"}, tensor<2xf32> {tcc.name = "grad.w2"}, tensor<4xf32> {tcc.name = "grad.w3"}) {
  %loss = "tcc.exp"(%x) : (tensor<f32>) -> tensor<f32>
  %g0 = call @layer(%w0) : (tensor<4xf32>) -> tensor<4xf32>
  %g1 = call @layer(%w1) : (tensor<4xf32>) -> tensor<4xf32>
  %gb = call @layer(%b0) : (tensor<4xf32>) -> tensor<4xf32>
  %g2 = call @other(%w2) : (tensor<2xf32>) -> tensor<2xf32>
  %g3 = "tcc.exp"(%w3) : (tensor<4xf32>) -> tensor<4xf32>
  return %loss, %g0, %g1, %gb, %g2, %g3 : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}
