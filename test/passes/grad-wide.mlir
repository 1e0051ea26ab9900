// The gradient of a product that gives its sums in f32 is one of 16 bits, as its operands are.
// RUN: tcc-opt %s --tcc-grad=wrt=a,b --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-grad=wrt=a,b -o %t.mlir && tcc-run %t.mlir --no-cache --target=x86,avx2 --random=1 --compare=interp --rtol=0.02 --atol=0.02
// CHECK-LABEL: func.func @main
// CHECK: "tcc.dot_general"{{.*}}wide = true{{.*}} -> tensor<6x5xf32>
// CHECK: "tcc.dot_general"{{.*}} -> tensor<{{6x4|4x6}}xbf16>
// CHECK: "tcc.dot_general"{{.*}} -> tensor<{{5x4|4x5}}xbf16>
func.func @main(%a: tensor<6x4xbf16> {tcc.name = "a"}, %b: tensor<4x5xbf16> {tcc.name = "b"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<6x4xbf16>, tensor<4x5xbf16>) -> tensor<6x5xf32>
  %1 = "tcc.mul"(%0, %0) : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
  %2 = "tcc.reduce"(%1) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<6x5xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
