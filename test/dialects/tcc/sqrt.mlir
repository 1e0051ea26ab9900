// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @sqrt(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.sqrt"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @sqrt_1(%x: tensor<2xbf16>) {
  %out = "tcc.sqrt"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @sqrt_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.sqrt': C1: operand 'x' must have float elements}}
  %out = "tcc.sqrt"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
