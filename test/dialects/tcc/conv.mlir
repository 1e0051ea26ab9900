// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @conv(%x: tensor<?x3x224x224xf32, ["N", 3, 224, 224]>, %w: tensor<64x3x7x7xf32>, %bias: tensor<64xf32>) {
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>} : (tensor<?x3x224x224xf32, ["N", 3, 224, 224]>, tensor<64x3x7x7xf32>, tensor<64xf32>) -> tensor<?x64x112x112xf32, ["N", 64, 112, 112]>
  return
}

func.func @conv_1(%x: tensor<1x8x?x?xf32, [1, 8, "H", "W"]>, %w: tensor<8x1x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x8x?x?xf32, [1, 8, "H", "W"]>, tensor<8x1x3x3xf32>, none) -> tensor<1x8x?x?xf32, [1, 8, "H", "floordiv(W + 1, 2)"]>
  return
}

func.func @conv_2(%x: tensor<1x4x?xf32, [1, 4, "L"]>, %w: tensor<2x4x3xf32>) {
  %bias = "tcc.none"() : () -> none
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2>} : (tensor<1x4x?xf32, [1, 4, "L"]>, tensor<2x4x3xf32>, none) -> tensor<1x2x?xf32, [1, 2, "L - 4"]>
  return
}

// -----

func.func @conv_c1(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf16>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C1: x, w and bias must have one number type}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf16>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<3x8xf32>, %w: tensor<4x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C2: x and w must have one rank, 3 at least, not 2 and 2}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64>, pads = array<i64>, dilations = array<i64>} : (tensor<3x8xf32>, tensor<4x3xf32>, none) -> tensor<3x8xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C3: strides, dilations and pads must have 2, 2 and 4 entries}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3_b(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C3: strides must be positive}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 0, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x3x2x8xf32>, %w: tensor<4x3x5x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x2x8xf32>, tensor<4x3x5x3xf32>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C5: x has '4' channels, w and groups ask for '3'}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c5_b(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %bias: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.conv': C5: bias must be a vector of '4'}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c5_c(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C5: groups must be positive}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 0 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_bytes(%x: tensor<1x8x5x5xui8>, %w: tensor<4x8x3x3xi8>, %bias: tensor<4xi32>) -> tensor<1x4x3x3xi32> {
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x5x5xui8>, tensor<4x8x3x3xi8>, tensor<4xi32>) -> tensor<1x4x3x3xi32>
  return %out : tensor<1x4x3x3xi32>
}

// -----

func.func @conv_signed_bytes(%x: tensor<1x8x5x5xi8>, %w: tensor<4x8x3x3xi8>, %bias: tensor<4xi32>) -> tensor<1x4x3x3xi32> {
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x5x5xi8>, tensor<4x8x3x3xi8>, tensor<4xi32>) -> tensor<1x4x3x3xi32>
  return %out : tensor<1x4x3x3xi32>
}

// -----

func.func @conv_bytes_c1(%x: tensor<1x8x5x5xui8>, %w: tensor<4x8x3x3xi8>, %bias: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.conv': C1: x, w and bias must have one number type, or x ui8 or i8, w i8 and bias i32}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x5x5xui8>, tensor<4x8x3x3xi8>, tensor<4xf32>) -> tensor<1x4x3x3xi32>
  return
}

// -----

// 2^33 * (2^31 - 1) elements are none modulo 2^64 but for a few.
func.func @conv_c4_b(%x: tensor<1x1x10xf32>, %w: tensor<1x1x8589934593xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C4: the dilated window of spatial axis 0 is too large}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 2147483647>} : (tensor<1x1x10xf32>, tensor<1x1x8589934593xf32>, none) -> tensor<1x1x8589934602xf32>
  return
}

// -----

func.func @conv_c5_d(%x: tensor<1x0x10xf32>, %w: tensor<0x4x3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv': C5: 4611686018427387904 groups of '4' channels are too many}}
  %out = "tcc.conv"(%x, %w, %bias) {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 4611686018427387904 : i64} : (tensor<1x0x10xf32>, tensor<0x4x3xf32>, none) -> tensor<1x0x8xf32>
  return
}
