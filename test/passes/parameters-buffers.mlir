// RUN: tcc-opt %s --split-input-file --tcc-parameters --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file '--tcc-parameters=train=* freeze=mean' --verify-each | FileCheck %s --check-prefix=FROZEN
// RUN: not tcc-opt %s '--tcc-parameters=train=*,mean' 2>&1 | FileCheck %s --check-prefix=BOTH

// A buffer that the model writes is state: an argument that is no parameter, in whose place its result is written. One that it only
// reads stays as it is, whatever patterns there are beside its name.
// CHECK: func.func @main(%arg0: tensor<4xf32> {tcc.name = "x"}, %[[W:.*]]: tensor<4xf32> {tcc.name = "w", tcc.parameter}, %[[M:.*]]: tensor<4xf32> {tcc.name = "mean"}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xf32> {tcc.name = "mean", tcc.tied = 2 : i64})
// CHECK: "tcc.weight"(){{.*}}"table"
// CHECK: %[[NEW:.*]] = "tcc.add"(%[[M]], %arg0)
// CHECK: return %{{.*}}, %[[NEW]]
// FROZEN: func.func @main(%arg0: tensor<4xf32> {tcc.name = "x"}, %arg1: tensor<4xf32> {tcc.name = "w", tcc.parameter}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xf32> {tcc.name = "mean"})
// BOTH: tcc-parameters: 'mean' cannot be trained: the model writes it
module attributes {tcc.sources = ["m.bin"]} {
  func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xf32> {tcc.name = "mean"}) {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %m = "tcc.weight"() {name = "mean", source = 0 : i64, offset = 16 : i64, length = 16 : i64, buffer = true} : () -> tensor<4xf32>
    %t = "tcc.weight"() {name = "table", source = 0 : i64, offset = 32 : i64, length = 16 : i64, buffer = true} : () -> tensor<4xf32>
    %p = "tcc.mul"(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = "tcc.add"(%p, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %new = "tcc.add"(%m, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %y, %new : tensor<4xf32>, tensor<4xf32>
  }
}
