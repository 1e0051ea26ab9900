// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @not(%x: tensor<?xi1, ["S"]>) {
  %out = "tcc.not"(%x) : (tensor<?xi1, ["S"]>) -> tensor<?xi1, ["S"]>
  return
}

func.func @not_1(%x: tensor<3xui8>) {
  %out = "tcc.not"(%x) : (tensor<3xui8>) -> tensor<3xui8>
  return
}

// -----

func.func @not_c1(%x: tensor<?x64xf32, ["S", 64]>) {
  // expected-error@+1 {{'tcc.not': C1: operand 'x' must have integer or bool elements}}
  %out = "tcc.not"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}
