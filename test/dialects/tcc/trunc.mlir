// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @trunc(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.trunc"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @trunc_1(%x: tensor<2xbf16>) {
  %out = "tcc.trunc"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @trunc_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.trunc': C1: operand 'x' must have float elements}}
  %out = "tcc.trunc"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
