// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @reduce(%x: tensor<?x3x4xf32, ["B", 3, 4]>) {
  %out = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1, 2>} : (tensor<?x3x4xf32, ["B", 3, 4]>) -> tensor<?xf32, ["B"]>
  return
}

func.func @reduce_1(%x: tensor<?x3x4xf32, ["B", 3, 4]>) {
  %out = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1, 2>, keepdims = true} : (tensor<?x3x4xf32, ["B", 3, 4]>) -> tensor<?x1x1xf32, ["B", 1, 1]>
  return
}

func.func @reduce_2(%x: tensor<3xi1>) {
  %out = "tcc.reduce"(%x) {kind = "and", axes = array<i64: 0>} : (tensor<3xi1>) -> tensor<i1>
  return
}

// -----

func.func @reduce_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C1: 'or' does not take f32 elements}}
  %out = "tcc.reduce"(%x) {kind = "or", axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_b(%x: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.reduce': C1: 'sum' does not take i1 elements}}
  %out = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0>} : (tensor<3xi1>) -> tensor<i1>
  return
}

// -----

func.func @reduce_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C2: axis 1 in 'axes' is not in [0, 1)}}
  %out = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c2_b(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C2: axis 0 is twice in 'axes'}}
  %out = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0, 0>} : (tensor<3xf32>) -> tensor<f32>
  return
}
