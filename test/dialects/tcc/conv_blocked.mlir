// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @conv_blocked(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

func.func @conv_blocked_1(%x: tensor<1x3x8x9xf32>, %w: tensor<1x3x3x3x1x32xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 3 : i64, out_channels = 24 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x3x8x9xf32>, tensor<1x3x3x3x1x32xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

func.func @conv_blocked_2(%x: tensor<1x2x8x9x16xf32>, %w: tensor<2x3x3x16xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 24 : i64, groups = 24 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<2x3x3x16xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c1(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf16>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C1: x, w and bias must have one number type}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf16>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c2(%x: tensor<1x2x8xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: x must have rank 4 or 5, w rank 6, 4 or 7}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8xf32>, tensor<1x2x3x3x16x32xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c3(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C3: strides, dilations and pads must have 2, 2 and 4 entries}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c5(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: x must have 48 channels}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 48 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c5_bias(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<24xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: bias must have 32 values}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 24 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf32>, tensor<24xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_c5_panels(%x: tensor<1x2x8x9x16xf32>, %w: tensor<1x2x3x3x16x32xf32>, %b: tensor<48xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w does not fit the channels}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 40 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xf32>, tensor<1x2x3x3x16x32xf32>, tensor<48xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_phases(%x: tensor<1x2x8x9x16xf32>, %w: tensor<4x2x1x1x16x32xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 2 : i64, phases_w = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<4x2x1x1x16x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_shift(%x: tensor<1x2x8x9x16xf32>, %w: tensor<4x2x2x2x16x32xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 2 : i64, phases_w = 2 : i64, shift_h = 1 : i64, shift_w = 1 : i64} : (tensor<1x2x8x9x16xf32>, tensor<4x2x2x2x16x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_shift_c2(%x: tensor<1x2x8x9x16xf32>, %w: tensor<4x2x2x2x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: shifts must be less than the phases, of blocked x alone}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 2 : i64, phases_w = 2 : i64, shift_w = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<4x2x2x2x16x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_shift_plain(%x: tensor<1x24x8x9xf32>, %w: tensor<4x24x2x2x1x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: shifts must be less than the phases, of blocked x alone}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 2 : i64, phases_w = 2 : i64, shift_h = 1 : i64} : (tensor<1x24x8x9xf32>, tensor<4x24x2x2x1x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_phases_c5(%x: tensor<1x2x8x9x16xf32>, %w: tensor<3x2x1x1x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w does not fit the channels}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 2 : i64, phases_w = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<3x2x1x1x16x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_phases_c2(%x: tensor<1x2x8x9x16xf32>, %w: tensor<4x2x1x1x16x32xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: phases must be positive}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 0 : i64, phases_w = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<4x2x1x1x16x32xf32>, tensor<32xf32>) -> tensor<1x2x16x18x16xf32>
  return
}

// -----

func.func @conv_blocked_winograd(%x: tensor<1x2x8x9x16xf32>, %w: tensor<2x4x4x2x16x16xf32>, %b: tensor<32xf32>) {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<2x4x4x2x16x16xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_winograd_c5(%x: tensor<1x2x8x9x16xf32>, %w: tensor<2x2x3x3x16x16xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w does not fit winograd = 2}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<2x2x3x3x16x16xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_winograd_c6(%x: tensor<1x2x8x9x16xf32>, %w: tensor<2x4x4x2x16x16xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C6: winograd takes strides and dilations of 1}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 2 : i64} : (tensor<1x2x8x9x16xf32>, tensor<2x4x4x2x16x16xf32>, tensor<32xf32>) -> tensor<1x2x4x9x16xf32>
  return
}

// -----

func.func @conv_blocked_winograd_m(%x: tensor<1x2x8x9x16xf32>, %w: tensor<2x5x5x2x16x16xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C6: winograd is 1, 2 or 4, with one group and phase and whole blocks of channels}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 3 : i64} : (tensor<1x2x8x9x16xf32>, tensor<2x5x5x2x16x16xf32>, tensor<32xf32>) -> tensor<1x2x8x9x16xf32>
  return
}

// -----

func.func @conv_blocked_bytes(%x: tensor<1x2x8x9x16xui8>, %w: tensor<1x2x3x3x4x32x4xi8>, %b: tensor<32xi32>) -> tensor<1x2x8x9x16xi32> {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xui8>, tensor<1x2x3x3x4x32x4xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return %out : tensor<1x2x8x9x16xi32>
}

// -----

func.func @conv_blocked_bytes_one_channel(%x: tensor<1x2x8x9x16xui8>, %w: tensor<2x3x5x16xi8>, %b: tensor<32xi32>) -> tensor<1x2x8x9x16xi32> {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 2, 1, 2>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 24 : i64, groups = 24 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xui8>, tensor<2x3x5x16xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return %out : tensor<1x2x8x9x16xi32>
}

// -----

func.func @conv_blocked_bytes_c2(%x: tensor<1x2x8x9x16xui8>, %w: tensor<1x2x3x3x16x32xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: weights of bytes and of bf16 have rank 7 but for one channel a group}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xui8>, tensor<1x2x3x3x16x32xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_bytes_c5(%x: tensor<1x2x8x9x16xui8>, %w: tensor<1x2x3x3x2x32x8xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w has channels in words of four bytes or two bf16, in blocks}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xui8>, tensor<1x2x3x3x2x32x8xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_bytes_joined(%x: tensor<1x3x8x9x16xui8>, %w: tensor<1x2x3x3x8x32x4xi8>, %b: tensor<32xi32>) -> tensor<1x2x8x9x16xi32> {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 40 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x3x8x9x16xui8>, tensor<1x2x3x3x8x32x4xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return %out : tensor<1x2x8x9x16xi32>
}

// -----

func.func @conv_blocked_bytes_plain(%x: tensor<1x3x8x9xui8>, %w: tensor<1x1x3x3x1x32x4xi8>, %b: tensor<32xi32>) -> tensor<1x2x8x9x16xi32> {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 3 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x3x8x9xui8>, tensor<1x1x3x3x1x32x4xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return %out : tensor<1x2x8x9x16xi32>
}

// -----

func.func @conv_blocked_bytes_joined_groups(%x: tensor<1x4x8x9x16xui8>, %w: tensor<2x1x3x3x8x16x4xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w has channels in words of four bytes or two bf16, in blocks, several of which are joined in one group alone}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 64 : i64, out_channels = 32 : i64, groups = 2 : i64, lanes = 16 : i64} : (tensor<1x4x8x9x16xui8>, tensor<2x1x3x3x8x16x4xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_bytes_plain_channels(%x: tensor<1x5x8x9xui8>, %w: tensor<1x1x3x3x1x32x4xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w has channels in words of four bytes or two bf16, in blocks, several of which are joined in one group alone, or of a plain x of up to four channels}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 5 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x5x8x9xui8>, tensor<1x1x3x3x1x32x4xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_pairs_c1(%x: tensor<1x2x8x9x16xbf16>, %w: tensor<1x1x3x3x16x32x2xbf16>, %b: tensor<32xbf16>) {
  // expected-error@+1 {{'tcc.conv_blocked': C1: x of bf16 meets w of bf16, f32 for one channel a group, and a bias of f32}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xbf16>, tensor<1x1x3x3x16x32x2xbf16>, tensor<32xbf16>) -> tensor<1x2x8x9x16xbf16>
  return
}

// -----

func.func @conv_blocked_pairs_c2(%x: tensor<1x2x8x9x16xbf16>, %w: tensor<1x2x3x3x16x32xbf16>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C2: weights of bytes and of bf16 have rank 7 but for one channel a group}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xbf16>, tensor<1x2x3x3x16x32xbf16>, tensor<32xf32>) -> tensor<1x2x8x9x16xbf16>
  return
}

// -----

func.func @conv_blocked_pairs_c5(%x: tensor<1x2x8x9x16xbf16>, %w: tensor<1x1x3x3x12x32x2xbf16>, %b: tensor<32xf32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w has channels in words of four bytes or two bf16}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 24 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xbf16>, tensor<1x1x3x3x12x32x2xbf16>, tensor<32xf32>) -> tensor<1x2x8x9x16xbf16>
  return
}

// -----

func.func @conv_blocked_bytes_in_16_bits(%x: tensor<1x3x8x9x16xi16>, %w: tensor<1x3x3x3x8x32x2xi8>, %b: tensor<32xi32>) -> tensor<1x2x8x9x16xi32> {
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 40 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x3x8x9x16xi16>, tensor<1x3x3x3x8x32x2xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return %out : tensor<1x2x8x9x16xi32>
}

// -----

func.func @conv_blocked_bytes_in_16_bits_c1(%x: tensor<1x2x8x9x16xi16>, %w: tensor<2x3x3x16xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C1: x of i16 meets w of i8 of several channels a group, and a bias of i32}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 32 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xi16>, tensor<2x3x3x16xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_bytes_in_16_bits_joined(%x: tensor<1x2x8x9x16xi16>, %w: tensor<1x1x3x3x16x32x2xi8>, %b: tensor<32xi32>) {
  // expected-error@+1 {{'tcc.conv_blocked': C5: w has channels in words of four bytes or two bf16, in blocks, several of which are joined in one group alone, or of a plain x of up to four channels; x of i16 is in blocks and meets words of two bytes}}
  %out = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 32 : i64, groups = 1 : i64, lanes = 16 : i64} : (tensor<1x2x8x9x16xi16>, tensor<1x1x3x3x16x32x2xi8>, tensor<32xi32>) -> tensor<1x2x8x9x16xi32>
  return
}

// -----

func.func @conv_blocked_c2_d(%x: tensor<1x2x8x8x16xf32>, %w: tensor<1x2x3x3x16x16xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.conv_blocked': C2: lanes, channels and groups must be positive}}
  %out = "tcc.conv_blocked"(%x, %w, %bias) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 9223372036854775807 : i64, lanes = 16 : i64} : (tensor<1x2x8x8x16xf32>, tensor<1x2x3x3x16x16xf32>, none) -> tensor<1x1x6x6x16xf32>
  return
}
