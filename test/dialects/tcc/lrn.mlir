// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @lrn(%x: tensor<?x3x8xf32, ["N", 3, 8]>) {
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<?x3x8xf32, ["N", 3, 8]>) -> tensor<?x3x8xf32, ["N", 3, 8]>
  return
}

// -----

func.func @lrn_c1(%x: tensor<2x3xi64>) {
  // expected-error@+1 {{'tcc.lrn': C1: operand 'x' must have float elements}}
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<2x3xi64>) -> tensor<2x3xi64>
  return
}

// -----

func.func @lrn_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.lrn': C2: operand 'x' must have rank 2 at least}}
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @lrn_c3(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'tcc.lrn': C3: size must be positive}}
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
