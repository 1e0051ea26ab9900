// Kernels that functions of the run-time do have no code, of whatever kind they are; the others have.
// RUN: tcc-opt --pipeline=default %s -o %t.mlir && FileCheck %s < %t.mlir
// CHECK-DAG: tcc.kernel = "builtin"
// CHECK-DAG: tcc.kernel = "concat"
// CHECK-DAG: tcc.kernel = "slice"
// CHECK-DAG: tcc.kernel = "map"
// RUN: tcc-translate --to-asm %t.mlir | FileCheck %s --check-prefix=ASM
// ASM: k{{.*}}_add:
// ASM-NOT: {{topk|concat|slice}}
func.func @main(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<2x8xf32>) {
  %v, %i = "tcc.topk"(%x) {axis = 1 : i64, k = [3]} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %j = "tcc.concat"(%x, %y) {axis = 0 : i64} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %p = "tcc.slice"(%y) {starts = ["1", "0"], steps = array<i64: 1, 1>} : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %s = "tcc.add"(%x, %y) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return %v, %i, %j, %p, %s : tensor<2x3xf32>, tensor<2x3xi64>, tensor<4x8xf32>, tensor<1x8xf32>, tensor<2x8xf32>
}
