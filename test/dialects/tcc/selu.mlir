// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @selu(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.selu"(%x) {alpha = 1.6 : f64, gamma = 1.05 : f64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @selu_1(%x: tensor<2xbf16>) {
  %out = "tcc.selu"(%x) {alpha = 1.6 : f64, gamma = 1.05 : f64} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @selu_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.selu': C1: operand 'x' must have float elements}}
  %out = "tcc.selu"(%x) {alpha = 1.6 : f64, gamma = 1.05 : f64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}
