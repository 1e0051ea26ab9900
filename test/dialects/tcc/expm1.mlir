// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @expm1(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.expm1"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @expm1_1(%x: tensor<2xbf16>) {
  %out = "tcc.expm1"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @expm1_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.expm1': C1: operand 'x' must have float elements}}
  %out = "tcc.expm1"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
