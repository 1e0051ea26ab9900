// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=6 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=6 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=6 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=6 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Scatters against the reference target; negative indices count from the end.
// CHECK: x86.scatter
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<4x?x6xf32, [4, "N", 6]>, %x1: tensor<2x?x6xi64, [2, "N", 6]>, %x2: tensor<2x?x6xf32, [2, "N", 6]>, %x3: tensor<3x1xi64>, %x4: tensor<3x?x6xf32, [3, "N", 6]>, %x5: tensor<1x2xi64>, %x6: tensor<5x7xf32>, %x7: tensor<1xf32>) -> (tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<5x7xf32>) {
  %1 = "tcc.scatter_elements"(%x0, %x1, %x2) {axis = 0 : i64, reduction = "add"} : (tensor<4x?x6xf32, [4, "N", 6]>, tensor<2x?x6xi64, [2, "N", 6]>, tensor<2x?x6xf32, [2, "N", 6]>) -> tensor<4x?x6xf32, [4, "N", 6]>
  %2 = "tcc.scatter_elements"(%x0, %x1, %x2) {axis = 0 : i64, reduction = "max"} : (tensor<4x?x6xf32, [4, "N", 6]>, tensor<2x?x6xi64, [2, "N", 6]>, tensor<2x?x6xf32, [2, "N", 6]>) -> tensor<4x?x6xf32, [4, "N", 6]>
  %3 = "tcc.scatter_elements"(%x0, %x1, %x2) {axis = 0 : i64, reduction = "mul"} : (tensor<4x?x6xf32, [4, "N", 6]>, tensor<2x?x6xi64, [2, "N", 6]>, tensor<2x?x6xf32, [2, "N", 6]>) -> tensor<4x?x6xf32, [4, "N", 6]>
  %4 = "tcc.scatter_nd"(%x0, %x3, %x4) {reduction = "add"} : (tensor<4x?x6xf32, [4, "N", 6]>, tensor<3x1xi64>, tensor<3x?x6xf32, [3, "N", 6]>) -> tensor<4x?x6xf32, [4, "N", 6]>
  %5 = "tcc.scatter_nd"(%x0, %x3, %x4) {reduction = "min"} : (tensor<4x?x6xf32, [4, "N", 6]>, tensor<3x1xi64>, tensor<3x?x6xf32, [3, "N", 6]>) -> tensor<4x?x6xf32, [4, "N", 6]>
  %6 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %7 = "tcc.sub"(%x5, %6) : (tensor<1x2xi64>, tensor<i64>) -> tensor<1x2xi64>
  %8 = "tcc.scatter_nd"(%x6, %7, %x7) {reduction = "none"} : (tensor<5x7xf32>, tensor<1x2xi64>, tensor<1xf32>) -> tensor<5x7xf32>
  return %1, %2, %3, %4, %5, %8 : tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<4x?x6xf32, [4, "N", 6]>, tensor<5x7xf32>
}
