// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @neg(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.neg"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @neg_1(%x: tensor<3xi64>) {
  %out = "tcc.neg"(%x) : (tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @neg_c1(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.neg': C1: operand 'x' must have number elements}}
  %out = "tcc.neg"(%x) : (tensor<3xi1>) -> tensor<3xi1>
  return
}
