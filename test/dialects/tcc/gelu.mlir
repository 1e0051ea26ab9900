// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @gelu(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.gelu"(%x) {approximate = "tanh"} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @gelu_1(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.gelu"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @gelu_2(%x: tensor<2xbf16>) {
  %out = "tcc.gelu"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @gelu_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.gelu': C1: operand 'x' must have float elements}}
  %out = "tcc.gelu"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
