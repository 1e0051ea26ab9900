// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @unfold(%x: tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>) {
  %out = "tcc.unfold"(%x) {kernel = array<i64: 2, 1>, strides = array<i64: 2, 1>, dilations = array<i64: 3, 1>} : (tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>) -> tensor<?x4x2x1x3x?xf32, ["N", 4, 2, 1, 3, "W"]>
  return
}

// -----

func.func @unfold_c2(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'tcc.unfold': C2: operand 'x' must have rank 3 at least}}
  %out = "tcc.unfold"(%x) {kernel = array<i64>, strides = array<i64>, dilations = array<i64>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @unfold_c3(%x: tensor<1x4x8xf32>) {
  // expected-error@+1 {{'tcc.unfold': C3: strides and dilations must have 1 entries}}
  %out = "tcc.unfold"(%x) {kernel = array<i64: 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1>} : (tensor<1x4x8xf32>) -> tensor<1x4x2x7xf32>
  return
}

// -----

func.func @unfold_c3_b(%x: tensor<1x4x8xf32>) {
  // expected-error@+1 {{'tcc.unfold': C3: strides must be positive}}
  %out = "tcc.unfold"(%x) {kernel = array<i64: 2>, strides = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x8xf32>) -> tensor<1x4x2x7xf32>
  return
}

// -----

func.func @unfold_c4(%x: tensor<1x4x8xf32>) {
  // expected-error@+1 {{'tcc.unfold': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.unfold"(%x) {kernel = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 2>} : (tensor<1x4x8xf32>) -> tensor<1x4x5x1xf32>
  return
}
