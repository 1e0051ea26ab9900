// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @leaky_relu(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.leaky_relu"(%x) {alpha = 1.0 : f64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @leaky_relu_1(%x: tensor<2xbf16>) {
  %out = "tcc.leaky_relu"(%x) {alpha = 1.0 : f64} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @leaky_relu_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.leaky_relu': C1: operand 'x' must have float elements}}
  %out = "tcc.leaky_relu"(%x) {alpha = 1.0 : f64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}
