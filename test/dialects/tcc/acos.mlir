// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @acos(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.acos"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @acos_1(%x: tensor<2xbf16>) {
  %out = "tcc.acos"(%x) : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @acos_c1(%x: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.acos': C1: operand 'x' must have float elements}}
  %out = "tcc.acos"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  return
}
