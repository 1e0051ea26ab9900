// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @ragged_dot(%a: tensor<?x8xf32, ["T", 8]>, %b: tensor<4x8x6xf32>, %ends: tensor<4xi32>) {
  %out = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<?x8xf32, ["T", 8]>, tensor<4x8x6xf32>, tensor<4xi32>) -> tensor<?x6xf32, ["T", 6]>
  return
}

func.func @ragged_dot_1(%a: tensor<8x?xbf16, [8, "T"]>, %b: tensor<?x6xbf16, ["T", 6]>, %ends: tensor<4xi64>) {
  %out = "tcc.ragged_dot"(%a, %b, %ends) {ragged = "depth"} : (tensor<8x?xbf16, [8, "T"]>, tensor<?x6xbf16, ["T", 6]>, tensor<4xi64>) -> tensor<4x8x6xbf16>
  return
}

// -----

func.func @ragged_dot_c1(%a: tensor<5x8xf32>, %b: tensor<4x8x6xf16>, %ends: tensor<4xi32>) {
  // expected-error@+1 {{'tcc.ragged_dot': C1: a and b must have one float type, ends i32 or i64}}
  %out = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<5x8xf32>, tensor<4x8x6xf16>, tensor<4xi32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @ragged_dot_c2(%a: tensor<5x8xf32>, %b: tensor<8x6xf32>, %ends: tensor<4xi32>) {
  // expected-error@+1 {{'tcc.ragged_dot': C2: a, b and ends must have ranks 2, 3 and 1, not 2, 2 and 1}}
  %out = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<4xi32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @ragged_dot_c3(%a: tensor<5x8xf32>, %b: tensor<7x6xf32>, %ends: tensor<4xi32>) {
  // expected-error@+1 {{'tcc.ragged_dot': C3: contracted sizes '8' and '7' differ}}
  %out = "tcc.ragged_dot"(%a, %b, %ends) {ragged = "depth"} : (tensor<5x8xf32>, tensor<7x6xf32>, tensor<4xi32>) -> tensor<4x5x6xf32>
  return
}

// -----

func.func @ragged_dot_c4(%a: tensor<5x8xf32>, %b: tensor<4x8x6xf32>, %ends: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.ragged_dot': C4: '3' ends of groups do not fit}}
  %out = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<5x8xf32>, tensor<4x8x6xf32>, tensor<3xi32>) -> tensor<5x6xf32>
  return
}
