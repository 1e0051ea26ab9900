// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @cosh(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.cosh"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @cosh_1(%x: tensor<2xbf16>) {
  %out = "tcc.cosh"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @cosh_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.cosh': C1: operand 'x' must have float elements}}
  %out = "tcc.cosh"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
