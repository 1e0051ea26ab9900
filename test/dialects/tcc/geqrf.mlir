// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @geqrf(%a: tensor<?x5x3xf32, ["B", 5, 3]>, %b: tensor<3x5xf64>) {
  %r:2 = "tcc.geqrf"(%a) : (tensor<?x5x3xf32, ["B", 5, 3]>) -> (tensor<?x5x3xf32, ["B", 5, 3]>, tensor<?x3xf32, ["B", 3]>)
  %s:2 = "tcc.geqrf"(%b) : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3xf64>)
  return
}

// -----

func.func @geqrf_c1(%a: tensor<4x4xi32>) {
  // expected-error@+1 {{'tcc.geqrf': C1: a must be f32 or f64, not i32}}
  %r:2 = "tcc.geqrf"(%a) : (tensor<4x4xi32>) -> (tensor<4x4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @geqrf_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.geqrf': C2: a must have rank 2 or more, not 1}}
  %r:2 = "tcc.geqrf"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
