// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @pool(%x: tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>) {
  %out = "tcc.pool"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>) -> tensor<?x3x4x?xf32, ["N", 3, 4, "floordiv(W, 2)"]>
  return
}

func.func @pool_1(%x: tensor<1x3x5x5xf32>) {
  %out = "tcc.pool"(%x) {ceil_mode = true, kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x5x5xf32>) -> tensor<1x3x3x3xf32>
  return
}

func.func @pool_2(%x: tensor<1x3x3x3xf32>) {
  %out = "tcc.pool"(%x) {ceil_mode = true, kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @pool_c1(%x: tensor<1x3x8x8xi1>) {
  // expected-error@+1 {{'tcc.pool': C1: operand 'x' must have number elements}}
  %out = "tcc.pool"(%x) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x8x8xi1>) -> tensor<1x3x4x4xf32>
  return
}

// -----

func.func @pool_c2(%x: tensor<3x8xf32>) {
  // expected-error@+1 {{'tcc.pool': C2: operand 'x' must have rank 3 at least}}
  %out = "tcc.pool"(%x) {kernel = array<i64>, strides = array<i64>, pads = array<i64>, dilations = array<i64>, kind = "max"} : (tensor<3x8xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @pool_c3(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'tcc.pool': C3: kernel must have 2 entries}}
  %out = "tcc.pool"(%x) {kernel = array<i64: 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return
}

// -----

func.func @pool_c3_b(%x: tensor<1x3x8x8xf32>) {
  // expected-error@+1 {{'tcc.pool': C3: kernel must be positive}}
  %out = "tcc.pool"(%x) {kernel = array<i64: 0, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return
}

// -----

func.func @pool_c4(%x: tensor<1x3x2x8xf32>) {
  // expected-error@+1 {{'tcc.pool': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.pool"(%x) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, kind = "max"} : (tensor<1x3x2x8xf32>) -> tensor<1x3x4x4xf32>
  return
}
