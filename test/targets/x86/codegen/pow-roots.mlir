// Constant exponents of halves and quarters are square roots. As pow has it, minus zero is zero and minus infinity infinite.
// RUN: tcc-opt --pipeline=default --target=x86,haswell %s | tcc-translate --to-llvm --target=x86,haswell | FileCheck %s
// RUN: rm -rf %t && mkdir -p %t && %python -c "import numpy as np; np.save('%t/input_0.npy', np.concatenate([[0.0, -0.0, np.inf, -np.inf, np.nan, -1, -4e30, 1e-45, 1e-38, 3e38, 1, 2, 4], np.exp(np.random.default_rng(0).uniform(-80, 80, 100))]).astype('f'))"
// RUN: tcc-interp %s --data=%t --save=%t && tcc-run %s --data=%t --check --rtol=1e-6 --atol=0 && tcc-run %s --target=x86,haswell --data=%t --check --rtol=1e-6 --atol=0
// REQUIRES: avx2, python
// CHECK: llvm.intr.sqrt
// CHECK-NOT: llvm.intr.fma
func.func @main(%x: tensor<113xf32>) -> (tensor<113xf32>, tensor<113xf32>, tensor<113xf32>, tensor<113xf32>, tensor<113xf32>) {
  %a = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %b = "tcc.constant"() {value = dense<-0.5> : tensor<f32>} : () -> tensor<f32>
  %c = "tcc.constant"() {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %d = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %e = "tcc.constant"() {value = dense<-0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.pow"(%x, %a) : (tensor<113xf32>, tensor<f32>) -> tensor<113xf32>
  %1 = "tcc.pow"(%x, %b) : (tensor<113xf32>, tensor<f32>) -> tensor<113xf32>
  %2 = "tcc.pow"(%x, %c) : (tensor<113xf32>, tensor<f32>) -> tensor<113xf32>
  %3 = "tcc.pow"(%x, %d) : (tensor<113xf32>, tensor<f32>) -> tensor<113xf32>
  %4 = "tcc.pow"(%x, %e) : (tensor<113xf32>, tensor<f32>) -> tensor<113xf32>
  return %0, %1, %2, %3, %4 : tensor<113xf32>, tensor<113xf32>, tensor<113xf32>, tensor<113xf32>, tensor<113xf32>
}
