// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @softmax(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.softmax"(%x) {axis = 1 : i64} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @softmax_c1(%x: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.softmax': C1: operand 'x' must have float elements}}
  %out = "tcc.softmax"(%x) {axis = 0 : i64} : (tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @softmax_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.softmax': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.softmax"(%x) {axis = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
