// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-opt %s --tcc-simplify | FileCheck %s

// 4-bit weights behind views, as a dequantisation in blocks has them: no kernel may write what the views make, so that
// conversions come before them. An odd number of elements: the last byte is half empty.
// CHECK-NOT: tcc.{{broadcast|reshape|transpose|slice}}"{{.*}}i4
// CHECK: return
func.func @main() -> (tensor<14x9xf32>, tensor<9x7xf32>, tensor<3x4xi8>) {
  %0 = "tcc.constant"() {value = dense<[[7, 4, 11, 15, 2, 0, 15, 8, 7], [6, 15, 15, 12, 4, 7, 4, 12, 0], [2, 5, 1, 9, 0, 8, 15, 12, 13], [12, 14, 4, 11, 3, 1, 4, 15, 6], [8, 13, 9, 13, 12, 11, 13, 7, 10], [0, 8, 5, 10, 3, 6, 8, 9, 3], [2, 15, 15, 2, 11, 2, 13, 4, 0]]> : tensor<7x9xui4>} : () -> tensor<7x9xui4>
  %1 = "tcc.reshape"(%0) : (tensor<7x9xui4>) -> tensor<7x1x9xui4>
  %2 = "tcc.broadcast"(%1) : (tensor<7x1x9xui4>) -> tensor<7x2x9xui4>
  %3 = "tcc.reshape"(%2) : (tensor<7x2x9xui4>) -> tensor<14x9xui4>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<14x9xui4>) -> tensor<14x9xf32>
  %5 = "tcc.constant"() {value = dense<[[1, 5, 5, -5, -7, -7, 4, 2, 0], [-1, -7, 1, -8, -6, -5, -7, -2, 5], [1, 0, -4, -7, 2, 2, 3, -4, 4], [4, 6, 4, -5, 0, 5, -1, 1, 5], [0, 1, 2, -8, 5, 2, -8, 4, -4], [-7, 2, 6, 3, 3, 0, 7, -8, -7], [-8, 3, 0, 6, 1, 2, -3, 3, -3]]> : tensor<7x9xi4>} : () -> tensor<7x9xi4>
  %6 = "tcc.transpose"(%5) {perm = array<i64: 1, 0>} : (tensor<7x9xi4>) -> tensor<9x7xi4>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<9x7xi4>) -> tensor<9x7xf32>
  %8 = "tcc.slice"(%5) {starts = ["1", "2"], steps = array<i64: 2, 2>} : (tensor<7x9xi4>) -> tensor<3x4xi4>
  %9 = "tcc.convert"(%8) {saturate = true} : (tensor<3x4xi4>) -> tensor<3x4xi8>
  return %4, %7, %9 : tensor<14x9xf32>, tensor<9x7xf32>, tensor<3x4xi8>
}
