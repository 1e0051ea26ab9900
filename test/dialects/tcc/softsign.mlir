// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @softsign(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.softsign"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @softsign_1(%x: tensor<2xbf16>) {
  %out = "tcc.softsign"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @softsign_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.softsign': C1: operand 'x' must have float elements}}
  %out = "tcc.softsign"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
