// A tile of a scan has as many lines side by side as are two lines of the cache, where there are as many. Sums of f32 are kept in f64.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash %S/Inputs/sizes.sh %s %t "1 31 32 70" 1e-5
// REQUIRES: avx2
// CHECK-DAG: vector<32xf32>
// CHECK-DAG: fadd {{.*}} : vector<32xf64>
// CHECK-DAG: vector<16xi32>
// CHECK-DAG: vector<8xf64>
func.func @main(%a: tensor<5x70xf32>, %b: tensor<3x4x17xi32>, %c: tensor<6x9xf64>, %d: tensor<4x?xf32, [4, "N"]>, %e: tensor<7x37xbf16>) -> (tensor<5x70xf32>, tensor<3x4x17xi32>, tensor<6x9xf64>, tensor<4x?xf32, [4, "N"]>, tensor<7x37xbf16>) {
  %0 = "tcc.cumulative"(%a) {kind = "sum", axis = 0 : i64, exclusive = false, reverse = true} : (tensor<5x70xf32>) -> tensor<5x70xf32>
  %1 = "tcc.cumulative"(%b) {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<3x4x17xi32>) -> tensor<3x4x17xi32>
  %2 = "tcc.cumulative"(%c) {kind = "prod", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<6x9xf64>) -> tensor<6x9xf64>
  %3 = "tcc.cumulative"(%d) {kind = "max", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<4x?xf32, [4, "N"]>) -> tensor<4x?xf32, [4, "N"]>
  %4 = "tcc.cumulative"(%e) {kind = "sum", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<7x37xbf16>) -> tensor<7x37xbf16>
  return %0, %1, %2, %3, %4 : tensor<5x70xf32>, tensor<3x4x17xi32>, tensor<6x9xf64>, tensor<4x?xf32, [4, "N"]>, tensor<7x37xbf16>
}
