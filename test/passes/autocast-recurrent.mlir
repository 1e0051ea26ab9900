// An LSTM becomes a loop whose product is narrow; gates, states and what the loop carries are f32. The weight is made narrow in front of the loop.
// RUN: tcc-opt %s --tcc-autocast --tcc-simplify --tcc-loop-invariants --verify-each | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --autocast=bf16 --no-cache --random=1 --compare=interp --rtol=0.02 --atol=0.02
// CHECK-LABEL: func.func private @steps
// CHECK-SAME: %[[R:[^:]*]]: tensor<{{[0-9x]*}}xbf16>)
// CHECK: "tcc.dot_general"({{.*}}xbf16>
// CHECK: "tcc.tanh"(%{{.*}}) : ({{.*}}xf32>)
// CHECK: return {{.*}}tensor<{{[0-9x]*}}xf32>, tensor<{{[0-9x]*}}xf32>
// CHECK-LABEL: func.func @main
// CHECK: "tcc.convert"(%{{.*}}) : (tensor<128x32xf32>) -> tensor<128x32xbf16>
// CHECK-NEXT: call @steps{{.*}} {tcc.trips = [7]}
func.func @main(%x: tensor<7x3x16xf32>, %w: tensor<1x128x16xf32>, %r: tensor<1x128x32xf32>) -> (tensor<7x1x3x32xf32>, tensor<1x3x32xf32>) {
  %none = "tcc.none"() : () -> none
  %y, %h, %c = "tcc.lstm"(%x, %w, %r, %none, %none, %none, %none, %none) {hidden = 32 : i64, direction = "forward", activations = "sigmoid,tanh,tanh"} : (tensor<7x3x16xf32>, tensor<1x128x16xf32>, tensor<1x128x32xf32>, none, none, none, none, none) -> (tensor<7x1x3x32xf32>, tensor<1x3x32xf32>, tensor<1x3x32xf32>)
  return %y, %h : tensor<7x1x3x32xf32>, tensor<1x3x32xf32>
}
