// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @pool_grad(%x: tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>, %g: tensor<?x3x4x?xf32, ["N", 3, 4, "W"]>) {
  %out = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>, pads = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>} : (tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>, tensor<?x3x4x?xf32, ["N", 3, 4, "W"]>) -> tensor<?x3x8x?xf32, ["N", 3, 8, "W"]>
  return
}

// -----

func.func @pool_grad_c1(%x: tensor<1x1x8xi32>, %g: tensor<1x1x4xi32>) {
  // expected-error@+1 {{'tcc.pool_grad': C1: operand 'x' must have float elements}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8xi32>, tensor<1x1x4xi32>) -> tensor<1x1x8xi32>
  return
}

// -----

func.func @pool_grad_c2(%x: tensor<1x8xf32>, %g: tensor<1x4xf32>) {
  // expected-error@+1 {{'tcc.pool_grad': C2: operand 'x' must have rank 3 at least}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x8xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @pool_grad_c3(%x: tensor<1x1x8xf32>, %g: tensor<1x1x4xf32>) {
  // expected-error@+1 {{'tcc.pool_grad': C3: kernel must be positive}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 0>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8xf32>, tensor<1x1x4xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @pool_grad_c4(%x: tensor<1x1x8xf32>, %g: tensor<1x1x4xf32>) {
  // expected-error@+1 {{'tcc.pool_grad': C4: the window is larger than the padded size of spatial axis 0}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "sum", kernel = array<i64: 9>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8xf32>, tensor<1x1x4xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @pool_grad_c5(%x: tensor<1x1x8xf32>, %g: tensor<1x1x4xf64>) {
  // expected-error@+1 {{'tcc.pool_grad': C5: g must have x's element type and rank}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "sum", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8xf32>, tensor<1x1x4xf64>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @pool_grad_c5_b(%x: tensor<1x1x8xf32>, %g: tensor<1x1x5xf32>) {
  // expected-error@+1 {{'tcc.pool_grad': C5: axis 2 of g has size '5', the windows are '4'}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "avg", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x8xf32>, tensor<1x1x5xf32>) -> tensor<1x1x8xf32>
  return
}

// -----

func.func @pool_grad_c6(%x: tensor<1x1x8xf32>, %g: tensor<1x1x6xf32>) {
  // expected-error@+1 {{'tcc.pool_grad': C6: a window of spatial axis 0 lies in the padding alone}}
  %out = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 2, 2>, dilations = array<i64: 1>} : (tensor<1x1x8xf32>, tensor<1x1x6xf32>) -> tensor<1x1x8xf32>
  return
}
