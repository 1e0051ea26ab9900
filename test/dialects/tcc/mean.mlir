// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @mean(%x: tensor<?x3xf32, ["B", 3]>) {
  %out = "tcc.mean"(%x) {axes = array<i64: 1>} : (tensor<?x3xf32, ["B", 3]>) -> tensor<?xf32, ["B"]>
  return
}

// -----

func.func @mean_c1(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.mean': C1: operand 'x' must have number elements}}
  %out = "tcc.mean"(%x) {axes = array<i64: 0>} : (tensor<3xi1>) -> tensor<i1>
  return
}

// -----

func.func @mean_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.mean': C2: axis -1 in 'axes' is not in [0, 1)}}
  %out = "tcc.mean"(%x) {axes = array<i64: -1>} : (tensor<3xf32>) -> tensor<f32>
  return
}
