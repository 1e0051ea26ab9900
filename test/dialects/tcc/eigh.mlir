// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @eigh(%a: tensor<?x4x4xf64, ["B", 4, 4]>) {
  %r:2 = "tcc.eigh"(%a) : (tensor<?x4x4xf64, ["B", 4, 4]>) -> (tensor<?x4xf64, ["B", 4]>, tensor<?x4x4xf64, ["B", 4, 4]>)
  return
}

// -----

func.func @eigh_c1(%a: tensor<4x4xbf16>) {
  // expected-error@+1 {{'tcc.eigh': C1: a must be f32 or f64, not bf16}}
  %r:2 = "tcc.eigh"(%a) : (tensor<4x4xbf16>) -> (tensor<4xbf16>, tensor<4x4xbf16>)
  return
}

// -----

func.func @eigh_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.eigh': C2: a must have rank 2 or more, not 1}}
  %r:2 = "tcc.eigh"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @eigh_c3(%a: tensor<4x5xf32>) {
  // expected-error@+1 {{'tcc.eigh': C3: a is '4' x '5'}}
  %r:2 = "tcc.eigh"(%a) : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4x5xf32>)
  return
}
