// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @cholesky(%a: tensor<?x4x4xf32, ["B", 4, 4]>) {
  %r:2 = "tcc.cholesky"(%a) : (tensor<?x4x4xf32, ["B", 4, 4]>) -> (tensor<?x4x4xf32, ["B", 4, 4]>, tensor<?xi32, ["B"]>)
  return
}

// -----

func.func @cholesky_c1(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{'tcc.cholesky': C1: a must be f32 or f64, not bf16}}
  %r:2 = "tcc.cholesky"(%a) : (tensor<4x4xbf16>) -> (tensor<4x4xbf16>, tensor<i32>)
  return
}

// -----

func.func @cholesky_c2(%a: tensor<f32>) {
  // expected-error@+1 {{'tcc.cholesky': C2: a must have rank 2 or more, not 0}}
  %r:2 = "tcc.cholesky"(%a) : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @cholesky_c3(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'tcc.cholesky': C3: a is '4' x '5'}}
  %r:2 = "tcc.cholesky"(%a) : (tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<i32>)
  return
}
