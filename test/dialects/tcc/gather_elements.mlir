// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @gather_elements(%x: tensor<3x?xf32, [3, "S"]>, %indices: tensor<3x5xi64>) {
  %out = "tcc.gather_elements"(%x, %indices) {axis = 1 : i64} : (tensor<3x?xf32, [3, "S"]>, tensor<3x5xi64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gather_elements_c1(%x: tensor<3x4xf32>, %indices: tensor<3x2xi1>) {
  // expected-error@+1 {{'tcc.gather_elements': C1: 'indices' must have i32 or i64 elements, not i1}}
  %out = "tcc.gather_elements"(%x, %indices) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x2xi1>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_elements_c2(%x: tensor<3x4xf32>, %indices: tensor<3x2xi64>) {
  // expected-error@+1 {{'tcc.gather_elements': C2: axis -1 is not in [0, 2)}}
  %out = "tcc.gather_elements"(%x, %indices) {axis = -1 : i64} : (tensor<3x4xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_elements_c3(%x: tensor<3x4xf32>, %indices: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.gather_elements': C3: 'indices' has rank 1, x has rank 2}}
  %out = "tcc.gather_elements"(%x, %indices) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_elements_c3_b(%x: tensor<3x4xf32>, %indices: tensor<4x2xi64>) {
  // expected-error@+1 {{'tcc.gather_elements': C3: 'indices' has size 4 on axis 0, x has 3}}
  %out = "tcc.gather_elements"(%x, %indices) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_elements_c4(%x: tensor<3x0xf32>, %indices: tensor<2x2xi64>) {
  // expected-error@+1 {{'tcc.gather_elements': C4: an index into axis 1, which has no elements}}
  %out = "tcc.gather_elements"(%x, %indices) {axis = 1 : i64} : (tensor<3x0xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return
}
