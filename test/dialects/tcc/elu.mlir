// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @elu(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.elu"(%x) {alpha = 1.0 : f64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @elu_1(%x: tensor<2xbf16>) {
  %out = "tcc.elu"(%x) {alpha = 1.0 : f64} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @elu_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.elu': C1: operand 'x' must have float elements}}
  %out = "tcc.elu"(%x) {alpha = 1.0 : f64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}
