// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @hard_sigmoid(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.hard_sigmoid"(%x) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @hard_sigmoid_1(%x: tensor<2xbf16>) {
  %out = "tcc.hard_sigmoid"(%x) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @hard_sigmoid_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.hard_sigmoid': C1: operand 'x' must have float elements}}
  %out = "tcc.hard_sigmoid"(%x) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<3xi32>) -> tensor<3xi32>
  return
}
