// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @arg_reduce(%x: tensor<?x3xf32, ["B", 3]>) {
  %out = "tcc.arg_reduce"(%x) {kind = "max", axis = 1 : i64, keepdims = true} : (tensor<?x3xf32, ["B", 3]>) -> tensor<?x1xi64, ["B", 1]>
  return
}

// -----

func.func @arg_reduce_c1(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.arg_reduce': C1: operand 'x' must have number elements}}
  %out = "tcc.arg_reduce"(%x) {kind = "max", axis = 0 : i64} : (tensor<3xi1>) -> tensor<i64>
  return
}

// -----

func.func @arg_reduce_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.arg_reduce': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.arg_reduce"(%x) {kind = "max", axis = 1 : i64} : (tensor<3xf32>) -> tensor<i64>
  return
}

// -----

func.func @arg_reduce_c3(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{'tcc.arg_reduce': C3: axis 1 of x has no element}}
  %out = "tcc.arg_reduce"(%x) {kind = "max", axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2xi64>
  return
}
