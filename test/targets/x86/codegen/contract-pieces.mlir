// RUN: rm -rf %t && mkdir %t && %python -c "import numpy as np; f = np.float32; np.save('%t/input_0.npy', np.ones((40, 1024), f)); np.save('%t/input_1.npy', np.full((1024, 96), 0.1, f)); np.save('%t/output_0.npy', np.full((40, 96), 1024 * f(0.1), f))"
// RUN: tcc-run %s --target=x86,avx2 --data=%t --check --atol=4e-4 --rtol=0
// RUN: tcc-run %s --data=%t --check --atol=4e-4 --rtol=0
// REQUIRES: python, avx2

// A sum in one chain of 1024 times 0.1 is 1e-3 too small, since each addition rounds the same way; from pieces of 256 that are added it
// is off by 2.4e-4.
func.func @main(%a: tensor<40x1024xf32>, %b: tensor<1024x96xf32>) -> tensor<40x96xf32> {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<40x1024xf32>, tensor<1024x96xf32>) -> tensor<40x96xf32>
  return %0 : tensor<40x96xf32>
}
