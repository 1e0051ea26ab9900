// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @triangular_solve(%a: tensor<?x4x4xf32, ["B", 4, 4]>, %b: tensor<?x4x3xf32, ["B", 4, 3]>) {
  %out = "tcc.triangular_solve"(%a, %b) : (tensor<?x4x4xf32, ["B", 4, 4]>, tensor<?x4x3xf32, ["B", 4, 3]>) -> tensor<?x4x3xf32, ["B", 4, 3]>
  return
}

func.func @triangular_solve_1(%a: tensor<?x?xf64, ["N", "N"]>, %b: tensor<?x3xf64, ["N", 3]>) {
  %out = "tcc.triangular_solve"(%a, %b) {upper = true, unit = true} : (tensor<?x?xf64, ["N", "N"]>, tensor<?x3xf64, ["N", 3]>) -> tensor<?x3xf64, ["N", 3]>
  return
}

// -----

func.func @triangular_solve_c1(%a: tensor<4x4xf16>, %b: tensor<4x3xf16>) {
  // expected-error@+1 {{'tcc.triangular_solve': C1: a and b must both be f32 or f64, not f16 and f16}}
  %out = "tcc.triangular_solve"(%a, %b) : (tensor<4x4xf16>, tensor<4x3xf16>) -> tensor<4x3xf16>
  return
}

// -----

func.func @triangular_solve_c2(%a: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.triangular_solve': C2: a and b must have one rank, 2 at least, not 2 and 1}}
  %out = "tcc.triangular_solve"(%a, %b) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @triangular_solve_c3(%a: tensor<4x5xf32>, %b: tensor<4x3xf32>) {
  // expected-error@+1 {{'tcc.triangular_solve': C3: a is '4' x '5', b has '4' rows}}
  %out = "tcc.triangular_solve"(%a, %b) : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @triangular_solve_c4(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) {
  // expected-error@+1 {{'tcc.triangular_solve': C4: batch sizes '2' and '3' differ}}
  %out = "tcc.triangular_solve"(%a, %b) : (tensor<2x4x4xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
  return
}
