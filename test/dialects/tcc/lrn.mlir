// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @lrn(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @lrn_1(%x: tensor<2xbf16>) {
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @lrn_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.lrn': C1: operand 'x' must have float elements}}
  %out = "tcc.lrn"(%x) {alpha = 0.1 : f64, beta = 0.75 : f64, bias = 1.0 : f64, size = 3 : i64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}
