// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @max(%a: tensor<?x64xf32, ["S", 64]>, %b: tensor<64xf32>) {
  %out = "tcc.max"(%a, %b) : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @max_1(%a: tensor<3x1xf32>, %b: tensor<1x?xf32, [1, "S"]>) {
  %out = "tcc.max"(%a, %b) : (tensor<3x1xf32>, tensor<1x?xf32, [1, "S"]>) -> tensor<3x?xf32, [3, "S"]>
  return
}

func.func @max_2(%a: tensor<f32>, %b: tensor<?xf32, ["B*S"]>) {
  %out = "tcc.max"(%a, %b) : (tensor<f32>, tensor<?xf32, ["B*S"]>) -> tensor<?xf32, ["B*S"]>
  return
}

// -----

func.func @max_c1(%a: tensor<3xi1>, %b: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.max': C1: operands must have number elements}}
  %out = "tcc.max"(%a, %b) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @max_c1_b(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{'tcc.max': C1: operands have element types f32 and f64}}
  %out = "tcc.max"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @max_c2(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.max': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.max"(%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @max_c2_b(%a: tensor<?xf32, ["S"]>, %b: tensor<?xf32, ["B"]>) {
  // expected-error@+1 {{'tcc.max': C2: sizes 'S' and 'B' of result axis 0 do not broadcast}}
  %out = "tcc.max"(%a, %b) : (tensor<?xf32, ["S"]>, tensor<?xf32, ["B"]>) -> tensor<?xf32, ["S"]>
  return
}
