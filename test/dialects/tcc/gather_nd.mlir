// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @gather_nd(%x: tensor<?x4x5xf32, ["S", 4, 5]>, %indices: tensor<7x2xi64>) {
  %out = "tcc.gather_nd"(%x, %indices) : (tensor<?x4x5xf32, ["S", 4, 5]>, tensor<7x2xi64>) -> tensor<7x5xf32>
  return
}

func.func @gather_nd_1(%x: tensor<?x4x5xf32, ["B", 4, 5]>, %indices: tensor<?x7x1xi64, ["B", 7, 1]>) {
  %out = "tcc.gather_nd"(%x, %indices) {batch_dims = 1 : i64} : (tensor<?x4x5xf32, ["B", 4, 5]>, tensor<?x7x1xi64, ["B", 7, 1]>) -> tensor<?x7x5xf32, ["B", 7, 5]>
  return
}

// -----

func.func @gather_nd_c1(%x: tensor<3x4xf32>, %indices: tensor<2x1xf32>) {
  // expected-error@+1 {{'tcc.gather_nd': C1: 'indices' must have i32 or i64 elements, not f32}}
  %out = "tcc.gather_nd"(%x, %indices) : (tensor<3x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<3x4xf32>, %indices: tensor<2x3xi64>) {
  // expected-error@+1 {{'tcc.gather_nd': C2: an index names 3 axes, there are 2}}
  %out = "tcc.gather_nd"(%x, %indices) : (tensor<3x4xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c2_b(%x: tensor<3x4xf32>, %indices: tensor<2x?xi64, [2, "S"]>) {
  // expected-error@+1 {{'tcc.gather_nd': C2: the last size of 'indices' must be a constant}}
  %out = "tcc.gather_nd"(%x, %indices) : (tensor<3x4xf32>, tensor<2x?xi64, [2, "S"]>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c3(%x: tensor<3x4xf32>, %indices: tensor<2x1xi64>) {
  // expected-error@+1 {{'tcc.gather_nd': C3: sizes '3' and '2' of batch axis 0 differ}}
  %out = "tcc.gather_nd"(%x, %indices) {batch_dims = 1 : i64} : (tensor<3x4xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c4(%x: tensor<0x3xf32>, %indices: tensor<2x1xi64>) {
  // expected-error@+1 {{'tcc.gather_nd': C4: an index into axis 0, which has no elements}}
  %out = "tcc.gather_nd"(%x, %indices) : (tensor<0x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  return
}
