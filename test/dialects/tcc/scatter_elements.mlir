// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @scatter_elements(%x: tensor<3x?xf32, [3, "S"]>, %indices: tensor<3x2xi64>, %updates: tensor<3x2xf32>) {
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 1 : i64, reduction = "add"} : (tensor<3x?xf32, [3, "S"]>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x?xf32, [3, "S"]>
  return
}

// -----

func.func @scatter_elements_c1(%x: tensor<3x4xf32>, %indices: tensor<3x2xi64>, %updates: tensor<3x2xi64>) {
  // expected-error@+1 {{'tcc.scatter_elements': C1: 'updates' must have x's element type, f32}}
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_elements_c2(%x: tensor<3x4xf32>, %indices: tensor<3x2xi64>, %updates: tensor<3x2xf32>) {
  // expected-error@+1 {{'tcc.scatter_elements': C2: axis 2 is not in [0, 2)}}
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 2 : i64} : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_elements_c3(%x: tensor<3x4xf32>, %indices: tensor<4x2xi64>, %updates: tensor<4x2xf32>) {
  // expected-error@+1 {{'tcc.scatter_elements': C3: 'indices' has size 4 on axis 0, x has 3}}
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<4x2xi64>, tensor<4x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_elements_c4(%x: tensor<3x4xf32>, %indices: tensor<3x2xi64>, %updates: tensor<3x1xf32>) {
  // expected-error@+1 {{'tcc.scatter_elements': C4: 'updates' must have the shape of 'indices'}}
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x2xi64>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_elements_c5(%x: tensor<3x0xf32>, %indices: tensor<2x2xi64>, %updates: tensor<2x2xf32>) {
  // expected-error@+1 {{'tcc.scatter_elements': C5: an index into axis 1, which has no elements}}
  %out = "tcc.scatter_elements"(%x, %indices, %updates) {axis = 1 : i64} : (tensor<3x0xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<3x0xf32>
  return
}
