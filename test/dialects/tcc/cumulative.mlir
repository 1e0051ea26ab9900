// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @cumulative(%x: tensor<?x3xf32, ["B", 3]>) {
  %out = "tcc.cumulative"(%x) {axis = 1 : i64, reverse = true} : (tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
  return
}

// -----

func.func @cumulative_c1(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.cumulative': C1: operand 'x' must have number elements}}
  %out = "tcc.cumulative"(%x) {axis = 0 : i64} : (tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @cumulative_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.cumulative': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.cumulative"(%x) {axis = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
