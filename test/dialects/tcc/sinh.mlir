// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @sinh(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.sinh"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @sinh_1(%x: tensor<2xbf16>) {
  %out = "tcc.sinh"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @sinh_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.sinh': C1: operand 'x' must have float elements}}
  %out = "tcc.sinh"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
