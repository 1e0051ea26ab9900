// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @pool_index(%x: tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>) {
  %out = "tcc.pool_index"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>) -> tensor<?x3x4x?xi64, ["N", 3, 4, "floordiv(W, 2)"]>
  return
}

func.func @pool_index_1(%x: tensor<1x3x5x5xf32>) {
  %out = "tcc.pool_index"(%x) {ceil_mode = true, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x5x5xf32>) -> tensor<1x3x3x3xi64>
  return
}

func.func @pool_index_2(%x: tensor<1x3x3x3xf32>) {
  %out = "tcc.pool_index"(%x) {ceil_mode = true, kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x3x3xf32>) -> tensor<1x3x2x2xi64>
  return
}

// -----

func.func @pool_index_c1(%x: tensor<1x3x8x8xi1>) {
  // expected-error@+1 {{'tcc.pool_index': C1: operand 'x' must have number elements}}
  %out = "tcc.pool_index"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xi1>) -> tensor<1x3x4x4xi64>
  return
}

// -----

func.func @pool_index_c2(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{'tcc.pool_index': C2: operand 'x' must have rank 3 at least}}
  %out = "tcc.pool_index"(%x) {kernel = array<i64>, strides = array<i64>, pads = array<i64>, dilations = array<i64>} : (tensor<3x8xf32>) -> tensor<3x8xi64>
  return
}

// -----

func.func @pool_index_c3(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'tcc.pool_index': C3: kernel must have 2 entries}}
  %out = "tcc.pool_index"(%x) {kernel = array<i64: 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xi64>
  return
}

// -----

func.func @pool_index_c3_b(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'tcc.pool_index': C3: kernel must be positive}}
  %out = "tcc.pool_index"(%x) {kernel = array<i64: 0, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xi64>
  return
}

// -----

func.func @pool_index_c4(%x: tensor<1x3x2x8xf32>) {
  // expected-error@+1 {{'tcc.pool_index': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.pool_index"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x2x8xf32>) -> tensor<1x3x4x4xi64>
  return
}
