// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @conv_transpose(%x: tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>, %w: tensor<4x3x3x3xf32>, %bias: tensor<3xf32>) {
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> tensor<?x3x16x?xf32, ["N", 3, 16, "2*W"]>
  return
}

// -----

func.func @conv_transpose_c1(%x: tensor<1x4x8x8xf64>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C1: x, w and bias must have one number type}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf64>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c2(%x: tensor<1x4x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C2: x and w must have one rank, 3 at least, not 3 and 4}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c3(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C3: dilations must be positive}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 0, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c5(%x: tensor<1x5x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C5: x has '5' channels, w '4'}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x5x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c6(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C6: output_padding must have 2 entries}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 1>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c6_b(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C6: output_padding must not be negative}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: -1, 0>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @conv_transpose_c4(%x: tensor<1x1x8589934593xf32>, %w: tensor<1x1x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_transpose': C4: the image or the dilated window of spatial axis 0 is too large}}
  %out = "tcc.conv_transpose"(%x, %w, %bias) {output_padding = array<i64: 0>, strides = array<i64: 2147483647>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8589934593xf32>, tensor<1x1x3xf32>, none) -> tensor<1x1x8xf32>
  return
}
