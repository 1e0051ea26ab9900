// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @shift_right(%a: tensor<?x64xi32, ["S", 64]>, %b: tensor<64xi32>) {
  %out = "tcc.shift_right"(%a, %b) : (tensor<?x64xi32, ["S", 64]>, tensor<64xi32>) -> tensor<?x64xi32, ["S", 64]>
  return
}

func.func @shift_right_1(%a: tensor<3x1xi32>, %b: tensor<1x?xi32, [1, "S"]>) {
  %out = "tcc.shift_right"(%a, %b) : (tensor<3x1xi32>, tensor<1x?xi32, [1, "S"]>) -> tensor<3x?xi32, [3, "S"]>
  return
}

func.func @shift_right_2(%a: tensor<i32>, %b: tensor<?xi32, ["B*S"]>) {
  %out = "tcc.shift_right"(%a, %b) : (tensor<i32>, tensor<?xi32, ["B*S"]>) -> tensor<?xi32, ["B*S"]>
  return
}

// -----

func.func @shift_right_c1(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.shift_right': C1: operands must have integer or bool elements}}
  %out = "tcc.shift_right"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @shift_right_c1_b(%a: tensor<3xi32>, %b: tensor<3xi8>) {
  // expected-error@+1 {{'tcc.shift_right': C1: operands have element types i32 and i8}}
  %out = "tcc.shift_right"(%a, %b) : (tensor<3xi32>, tensor<3xi8>) -> tensor<3xi32>
  return
}

// -----

func.func @shift_right_c2(%a: tensor<3xi32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{'tcc.shift_right': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.shift_right"(%a, %b) : (tensor<3xi32>, tensor<4xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @shift_right_c2_b(%a: tensor<?xi32, ["S"]>, %b: tensor<?xi32, ["B"]>) {
  // expected-error@+1 {{'tcc.shift_right': C2: sizes 'S' and 'B' of result axis 0 do not broadcast}}
  %out = "tcc.shift_right"(%a, %b) : (tensor<?xi32, ["S"]>, tensor<?xi32, ["B"]>) -> tensor<?xi32, ["S"]>
  return
}
