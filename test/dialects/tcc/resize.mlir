// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @resize(%x: tensor<?x3x8x8xf32, ["N", 3, 8, 8]>) {
  %out = "tcc.resize"(%x) {scales = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<?x3x8x8xf32, ["N", 3, 8, 8]>) -> tensor<?x3x16x16xf32, ["N", 3, 16, 16]>
  return
}

// -----

func.func @resize_c1(%x: tensor<1x8xi1>) {
  // expected-error@+1 {{'tcc.resize': C1: x and the result must have one number type}}
  %out = "tcc.resize"(%x) {scales = dense<> : tensor<0xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x8xi1>) -> tensor<1x16xi1>
  return
}

// -----

func.func @resize_c2(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{'tcc.resize': C2: the result must have x's rank, 2}}
  %out = "tcc.resize"(%x) {scales = dense<> : tensor<0xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x8xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @resize_c3(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{'tcc.resize': C3: scales must have 2 entries or none, roi 4 or none}}
  %out = "tcc.resize"(%x) {scales = dense<2.0> : tensor<1xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x8xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @resize_c4(%x: tensor<1x0xf32>) {
  // expected-error@+1 {{'tcc.resize': C4: axis 1 of x has no element, the result 16}}
  %out = "tcc.resize"(%x) {scales = dense<> : tensor<0xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x0xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @resize_c3_b(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{'tcc.resize': C3: scales and roi must be dense elements of type f32 or f64}}
  %out = "tcc.resize"(%x) {scales = dense<[1, 2]> : tensor<2xi64>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x8xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @resize_c3_c(%x: tensor<1x8xf32>) {
  // expected-error@+1 {{'tcc.resize': C3: scales and roi must be dense elements of type f32 or f64}}
  %out = "tcc.resize"(%x) {scales = sparse<[[0]], [1.0]> : tensor<2xf32>, mode = "linear", coordinates = "half_pixel", roi = dense<> : tensor<0xf32>} : (tensor<1x8xf32>) -> tensor<1x16xf32>
  return
}
