// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @conv_filter_grad(%x: tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>, %g: tensor<?x6x4x?xf32, ["N", 6, 4, "W"]>) {
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 3, 1>, strides = array<i64: 2, 1>, pads = array<i64: 1, 0, 1, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<?x4x8x?xf32, ["N", 4, 8, "W"]>, tensor<?x6x4x?xf32, ["N", 6, 4, "W"]>) -> tensor<6x2x3x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c1(%x: tensor<1x2x8xf32>, %g: tensor<1x3x8xf64>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C1: x and g must have one number type}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<1x3x8xf64>) -> tensor<3x2x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c2(%x: tensor<1x2x8xf32>, %g: tensor<1x3x8x1xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C2: x and g must have one rank, 3 at least, not 3 and 4}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<1x3x8x1xf32>) -> tensor<3x2x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c3(%x: tensor<1x2x8xf32>, %g: tensor<1x3x8xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C3: kernel must have 1 entries}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1, 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<1x3x8xf32>) -> tensor<3x2x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c4(%x: tensor<1x2x8xf32>, %g: tensor<1x3x8xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 9>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x2x8xf32>, tensor<1x3x8xf32>) -> tensor<3x2x9xf32>
  return
}

// -----

func.func @conv_filter_grad_c5(%x: tensor<1x4x8xf32>, %g: tensor<1x3x8xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C5: 2 groups do not divide '4' and '3' channels}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x4x8xf32>, tensor<1x3x8xf32>) -> tensor<3x2x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c5_b(%x: tensor<1x4x8xf32>, %g: tensor<2x3x8xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C5: x has '1' images, g '2'}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x4x8xf32>, tensor<2x3x8xf32>) -> tensor<3x4x1xf32>
  return
}

// -----

func.func @conv_filter_grad_c6(%x: tensor<1x4x8xf32>, %g: tensor<1x3x8xf32>) {
  // expected-error@+1 {{'tcc.conv_filter_grad': C6: spatial axis 0 of g has size '8', the windows are '6'}}
  %out = "tcc.conv_filter_grad"(%x, %g) {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x4x8xf32>, tensor<1x3x8xf32>) -> tensor<3x4x3xf32>
  return
}
