// RUN: tcc-opt %s '--tcc-parameters=train=*.w freeze=b.*' --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-parameters --verify-each | FileCheck %s --check-prefix=ALL

// Weights become arguments behind the inputs, each name once; integers stay.
// CHECK: func.func @main(%arg0: tensor<4xf32> {tcc.name = "x"}, %[[A:.*]]: tensor<4xf32> {tcc.name = "a.w", tcc.parameter}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xi32>)
// CHECK-DAG: %[[B:.*]] = "tcc.weight"(){{.*}}"b.w"
// CHECK-DAG: %[[I:.*]] = "tcc.weight"(){{.*}}"i"
// CHECK: %[[P:.*]] = "tcc.mul"(%arg0, %[[A]])
// CHECK: %[[Q:.*]] = "tcc.add"(%[[P]], %[[B]])
// CHECK: %[[R:.*]] = "tcc.add"(%[[Q]], %[[A]])
// CHECK: return %[[R]], %[[I]]
// ALL: func.func @main(%arg0: tensor<4xf32> {tcc.name = "x"}, %arg1: tensor<4xf32> {tcc.name = "a.w", tcc.parameter}, %arg2: tensor<4xf32> {tcc.name = "b.w", tcc.parameter}) ->
module attributes {tcc.sources = ["m.bin"]} {
  func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xi32>) {
    %a = "tcc.weight"() {name = "a.w", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %b = "tcc.weight"() {name = "b.w", source = 0 : i64, offset = 16 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %again = "tcc.weight"() {name = "a.w", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %i = "tcc.weight"() {name = "i", source = 0 : i64, offset = 32 : i64, length = 16 : i64} : () -> tensor<4xi32>
    %p = "tcc.mul"(%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %q = "tcc.add"(%p, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %r = "tcc.add"(%q, %again) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r, %i : tensor<4xf32>, tensor<4xi32>
  }
}
