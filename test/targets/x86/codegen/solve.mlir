// RUN: rm -rf %t && tcc-run %s --random=1 --dim=B=3 --dim=M=37 --save=%t && tcc-run %s --target=reference --random=1 --dim=B=3 --dim=M=37 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=B=3 --dim=M=37 --data=%t --check --target=x86,avx2
// RUN: tcc-run %s --random=1 --dim=B=3 --dim=M=37 --data=%t --check --target=nvptx,sm_90a --emulate
// RUN: tcc-run %s --random=2 --dim=B=0 --dim=M=64 --compare=interp
// RUN: tcc-run %s --random=2 --dim=B=2 --dim=M=0 --compare=interp
// RUN: tcc-run %s --random=2 --dim=B=1 --dim=M=64 --compare=interp
// RUN: tcc-run %s --random --dim=B=2 --dim=M=3 --profile | FileCheck %s
// REQUIRES: avx2

// Triangular systems: rows in fours and those left, whole vectors of columns and parts of one, no matrix, no column, no row. What lies
// outside of the triangle is not read.
// CHECK: x86.solve
// CHECK-NOT: {{reference|loops}}
func.func @main(%a: tensor<?x13x13xf32, ["B", 13, 13]>, %b: tensor<?x13x?xf32, ["B", 13, "M"]>, %c: tensor<8x8xf64>, %d: tensor<8x16xf64>, %e: tensor<2x0x0xf32>, %f: tensor<2x0x5xf32>)
    -> (tensor<?x13x?xf32, ["B", 13, "M"]>, tensor<?x13x?xf32, ["B", 13, "M"]>, tensor<8x16xf64>, tensor<8x16xf64>, tensor<2x0x5xf32>, tensor<2x1x3xf32>) {
  %lower = "tcc.triangular_solve"(%a, %b) {unit = true} : (tensor<?x13x13xf32, ["B", 13, 13]>, tensor<?x13x?xf32, ["B", 13, "M"]>) -> tensor<?x13x?xf32, ["B", 13, "M"]>
  %upper = "tcc.triangular_solve"(%a, %b) {upper = true, unit = true} : (tensor<?x13x13xf32, ["B", 13, 13]>, tensor<?x13x?xf32, ["B", 13, "M"]>) -> tensor<?x13x?xf32, ["B", 13, "M"]>
  %three = "tcc.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %apart = "tcc.add"(%c, %three) : (tensor<8x8xf64>, tensor<f64>) -> tensor<8x8xf64>
  %plain = "tcc.triangular_solve"(%apart, %d) : (tensor<8x8xf64>, tensor<8x16xf64>) -> tensor<8x16xf64>
  %other = "tcc.triangular_solve"(%apart, %d) {upper = true} : (tensor<8x8xf64>, tensor<8x16xf64>) -> tensor<8x16xf64>
  %none = "tcc.triangular_solve"(%e, %f) : (tensor<2x0x0xf32>, tensor<2x0x5xf32>) -> tensor<2x0x5xf32>
  %matrix = "tcc.constant"() {value = dense<[[[2.0]], [[4.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %side = "tcc.constant"() {value = dense<[[[2.0, 4.0, 6.0]], [[4.0, 8.0, 1.0]]]> : tensor<2x1x3xf32>} : () -> tensor<2x1x3xf32>
  %one = "tcc.triangular_solve"(%matrix, %side) : (tensor<2x1x1xf32>, tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  return %lower, %upper, %plain, %other, %none, %one : tensor<?x13x?xf32, ["B", 13, "M"]>, tensor<?x13x?xf32, ["B", 13, "M"]>, tensor<8x16xf64>, tensor<8x16xf64>, tensor<2x0x5xf32>, tensor<2x1x3xf32>
}
