// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @relu(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.relu"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @relu_1(%x: tensor<3xi64>) {
  %out = "tcc.relu"(%x) : (tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @relu_c1(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.relu': C1: operand 'x' must have number elements}}
  %out = "tcc.relu"(%x) : (tensor<3xi1>) -> tensor<3xi1>
  return
}
