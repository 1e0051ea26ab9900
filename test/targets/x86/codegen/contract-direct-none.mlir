// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 - | FileCheck %s --implicit-check-not=row_direct

// No rows that read the right operand where it lies (contract-direct.mlir): their number is known, or panels are packed ahead.
// CHECK-DAG: {{^}}tile_{{[0-9a-f]+}}:
// CHECK-DAG: tile_row_{{[0-9a-f]+}}:
func.func @main(%x: tensor<2x20x40xf32>, %y: tensor<2x40x?xf32, [2, 40, "N"]>, %z: tensor<?x40xf32, ["M", 40]>) -> (tensor<2x20x?xf32, [2, 20, "N"]>, tensor<?x48xf32, ["M", 48]>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 7680 : i64} : () -> tensor<40x48xf32>
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x20x40xf32>, tensor<2x40x?xf32, [2, 40, "N"]>) -> tensor<2x20x?xf32, [2, 20, "N"]>
  %1 = "tcc.dot_general"(%z, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x40xf32, ["M", 40]>, tensor<40x48xf32>) -> tensor<?x48xf32, ["M", 48]>
  return %0, %1 : tensor<2x20x?xf32, [2, 20, "N"]>, tensor<?x48xf32, ["M", 48]>
}
