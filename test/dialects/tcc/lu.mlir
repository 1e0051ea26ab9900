// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @lu(%a: tensor<?x5x4xf32, ["B", 5, 4]>) {
  %lu:3 = "tcc.lu"(%a) : (tensor<?x5x4xf32, ["B", 5, 4]>) -> (tensor<?x5x4xf32, ["B", 5, 4]>, tensor<?x4xi32, ["B", 4]>, tensor<?xi32, ["B"]>)
  return
}

func.func @lu_1(%a: tensor<?x?xf64, ["M", "N"]>) {
  %lu:3 = "tcc.lu"(%a) : (tensor<?x?xf64, ["M", "N"]>) -> (tensor<?x?xf64, ["M", "N"]>, tensor<?xi32, ["min(M, N)"]>, tensor<i32>)
  return
}

// -----

func.func @lu_c1(%a: tensor<4x4xf16>) {
  // expected-error@+1 {{'tcc.lu': C1: a must be f32 or f64, not f16}}
  %lu:3 = "tcc.lu"(%a) : (tensor<4x4xf16>) -> (tensor<4x4xf16>, tensor<4xi32>, tensor<i32>)
  return
}

// -----

func.func @lu_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.lu': C2: a must have rank 2 or more, not 1}}
  %lu:3 = "tcc.lu"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<i32>)
  return
}
