// e^x of which only the sum with 1 is used needs no results below 2^-124: vectors of AVX2 scale it by one factor. Any other e^x takes two.
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-llvm --target=x86,x86-64-v3 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s --check-prefix=AVX512
// RUN: tcc-run %s --target=x86,avx2 --random=3 --compare=interp --rtol=1e-6 --atol=1e-6
// REQUIRES: avx2
// CHECK: llvm.func @{{.*}}_neg_exp_add(
// CHECK-NOT: llvm.and {{.*}} vector<8xi32>
// CHECK: llvm.shl {{.*}} vector<8xi32>
// CHECK-NOT: llvm.and {{.*}} vector<8xi32>
// CHECK: llvm.func @{{[^_]*_[^_]*}}_exp_add(
// CHECK: llvm.and {{.*}} vector<8xi32>
// AVX512: avx512.mask.scalef.ps
func.func @main(%x: tensor<64x64xf32>, %near: tensor<16xf32>, %z: tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<16xf32>, tensor<32x64xf32>) {
  %far = "tcc.constant"() {value = dense<200.0> : tensor<f32>} : () -> tensor<f32>
  %wide = "tcc.mul"(%x, %far) : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %0 = "tcc.swish"(%wide) {alpha = 1.0 : f64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %ends = "tcc.constant"() {value = dense<[0x7F800000, 0xFF800000, 0x7FC00000, 85.0, 87.0, 88.5, 90.0, 104.0, -85.0, -87.0, -88.0, -90.0, -104.0, 3.0e38, -3.0e38, 0.0]> : tensor<16xf32>} : () -> tensor<16xf32>
  %at = "tcc.add"(%near, %ends) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %1 = "tcc.sigmoid"(%at) : (tensor<16xf32>) -> tensor<16xf32>
  %power = "tcc.exp"(%z) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %2 = "tcc.add"(%power, %two) : (tensor<32x64xf32>, tensor<f32>) -> tensor<32x64xf32>
  return %0, %1, %2 : tensor<64x64xf32>, tensor<16xf32>, tensor<32x64xf32>
}
