// RUN: tcc-opt %s --split-input-file --tcc-fuse --tcc-kernels-to-linalg --verify-diagnostics
// RUN: tcc-opt %s --split-input-file --tcc-fuse | not tcc-opt --split-input-file --tcc-kernels-to-linalg --tcc-kernels-to-linalg 2>&1 | FileCheck %s

// Composites are decomposed before.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{tcc.relu: has no linalg form}}
  %0 = "tcc.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Sizes are known.
// expected-error@+1 {{reference: an argument: axis 0 has an unknown size}}
func.func private @k0(%x: tensor<?xf32>) -> tensor<?xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A kernel is lowered once.
// CHECK: error: reference: 'builtin.unrealized_conversion_cast' is no op of tcc
func.func private @k1(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
