// RUN: tcc-opt %s --tcc-fuse --tcc-kernels-to-linalg --verify-diagnostics

// Composites are decomposed before.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{tcc.relu: has no linalg form}}
  %0 = "tcc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
