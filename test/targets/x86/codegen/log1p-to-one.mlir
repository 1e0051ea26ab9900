// ln(1 + e^-|x|), as softplus has it, takes one division and no case of ln: its argument lies between 0 and 1. Any other ln(1 + x) takes two.
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-llvm --target=x86,x86-64-v3 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=3 --compare=interp --rtol=1e-6 --atol=1e-9
// REQUIRES: avx2
// CHECK: llvm.func @{{.*}}_mul_abs_neg_exp(
// CHECK: llvm.fdiv
// CHECK-NOT: llvm.fdiv
// CHECK-NOT: llvm.sitofp
// CHECK: llvm.func @{{.*}}_add_abs_neg_exp(
// CHECK: llvm.func @{{[^_]*_[^_]*}}_log1p
// CHECK: llvm.sitofp
func.func @main(%x: tensor<64x62xf32>, %near: tensor<64x16xf32>, %d: tensor<64x62xf64>, %z: tensor<96xf32>) -> (tensor<64x62xf32>, tensor<64x16xf32>, tensor<64x62xf64>, tensor<96xf32>) {
  %far = "tcc.constant"() {value = dense<20.0> : tensor<f32>} : () -> tensor<f32>
  %wide = "tcc.mul"(%x, %far) : (tensor<64x62xf32>, tensor<f32>) -> tensor<64x62xf32>
  %0 = "tcc.softplus"(%wide) : (tensor<64x62xf32>) -> tensor<64x62xf32>
  %ends = "tcc.constant"() {value = dense<[0x7F800000, 0xFF800000, 0x7FC00000, 85.0, 87.0, 88.5, 90.0, 104.0, -85.0, -87.0, -88.0, -90.0, -104.0, 3.0e38, -3.0e38, 0.0]> : tensor<16xf32>} : () -> tensor<16xf32>
  %at = "tcc.add"(%near, %ends) : (tensor<64x16xf32>, tensor<16xf32>) -> tensor<64x16xf32>
  %1 = "tcc.softplus"(%at) : (tensor<64x16xf32>) -> tensor<64x16xf32>
  %2 = "tcc.softplus"(%d) : (tensor<64x62xf64>) -> tensor<64x62xf64>
  %3 = "tcc.log1p"(%z) : (tensor<96xf32>) -> tensor<96xf32>
  return %0, %1, %2, %3 : tensor<64x62xf32>, tensor<64x16xf32>, tensor<64x62xf64>, tensor<96xf32>
}
