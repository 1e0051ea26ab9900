// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @clamp(%x: tensor<?x64xf32, ["S", 64]>, %low: tensor<f32>, %high: tensor<64xf32>) {
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<?x64xf32, ["S", 64]>, tensor<f32>, tensor<64xf32>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @clamp_1(%x: tensor<?x64xf32, ["S", 64]>, %high: tensor<f32>) {
  %low = "tcc.none"() : () -> none
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<?x64xf32, ["S", 64]>, none, tensor<f32>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @clamp_c1(%x: tensor<3xi1>) {
  %low = "tcc.none"() : () -> none
  %high = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.clamp': C1: operand 'x' must have number elements}}
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<3xi1>, none, none) -> tensor<3xi1>
  return
}

// -----

func.func @clamp_c1_b(%x: tensor<?x64xf32, ["S", 64]>, %low: tensor<i64>) {
  %high = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.clamp': C1: 'low' must have x's element type}}
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<?x64xf32, ["S", 64]>, tensor<i64>, none) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @clamp_c2(%x: tensor<3xf32>, %low: tensor<4xf32>) {
  %high = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.clamp': C2: size '4' of 'low' on axis 0 does not broadcast to '3'}}
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<3xf32>, tensor<4xf32>, none) -> tensor<3xf32>
  return
}

// -----

func.func @clamp_c2_b(%x: tensor<3xf32>, %high: tensor<2x3xf32>) {
  %low = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.clamp': C2: 'high' has rank 2, more than 1}}
  %out = "tcc.clamp"(%x, %low, %high) : (tensor<3xf32>, none, tensor<2x3xf32>) -> tensor<3xf32>
  return
}
