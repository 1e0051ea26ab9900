// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @svd(%a: tensor<?x5x3xf32, ["B", 5, 3]>, %b: tensor<3x5xf64>) {
  %r:3 = "tcc.svd"(%a) : (tensor<?x5x3xf32, ["B", 5, 3]>) -> (tensor<?x5x3xf32, ["B", 5, 3]>, tensor<?x3xf32, ["B", 3]>, tensor<?x3x3xf32, ["B", 3, 3]>)
  %s:3 = "tcc.svd"(%b) {full = true} : (tensor<3x5xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<5x5xf64>)
  return
}

// -----

func.func @svd_c1(%a: tensor<4x4xf16>) {
  // expected-error@+1 {{'tcc.svd': C1: a must be f32 or f64, not f16}}
  %r:3 = "tcc.svd"(%a) : (tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<4xf16>, tensor<4x4xf16>)
  return
}

// -----

func.func @svd_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.svd': C2: a must have rank 2 or more, not 1}}
  %r:3 = "tcc.svd"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
