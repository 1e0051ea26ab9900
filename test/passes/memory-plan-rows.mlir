// A row kernel writes over what it reads once for each row where the target says that it can: a parameter and its state, whose gradient it sums. Not over
// what has the shape of its rows, nor over what meets them.
// RUN: tcc-opt %s --target=nvptx,sm_80 --tcc-memory-plan --verify-each | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: tcc-opt %s --target=x86,x86-64-v3 --tcc-memory-plan --verify-each | FileCheck %s --check-prefixes=CHECK,NONE
// CHECK: func.func @main
// PAIRS-NEXT: call @update(%arg0, %arg1, %arg2) {tcc.inplace = array<i64: 1, 0, 1, 1, 2, 0, 2, 1>}
// NONE-NEXT: call @update(%arg0, %arg1, %arg2) : (
// CHECK-NEXT: call @norm(%arg0, %arg3, %arg4) : (
func.func private @update(%g: tensor<8x4xf32>, %p: tensor<4xf32>, %m: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%g) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<8x4xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%m, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.sub"(%p, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @norm(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) attributes {tcc.kernel = "row"} {
  %0 = "tcc.add"(%x, %b) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = "tcc.reduce"(%0) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<8x4xf32>) -> tensor<4xf32>
  %2 = "tcc.mul"(%y, %1) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %2, %1 : tensor<8x4xf32>, tensor<4xf32>
}
func.func @main(%g: tensor<8x4xf32>, %p: tensor<4xf32>, %m: tensor<4xf32>, %y: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<4xf32>) {
  %0:2 = call @update(%g, %p, %m) : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = call @norm(%g, %y, %b) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<4xf32>
}
