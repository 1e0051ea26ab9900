// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @scatter_nd(%x: tensor<?x4xf32, ["S", 4]>, %indices: tensor<2x1xi64>, %updates: tensor<2x4xf32>) {
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<?x4xf32, ["S", 4]>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<?x4xf32, ["S", 4]>
  return
}

// -----

func.func @scatter_nd_c1(%x: tensor<3x4xf32>, %indices: tensor<2x1xi64>, %updates: tensor<2x4xi64>) {
  // expected-error@+1 {{'tcc.scatter_nd': C1: 'updates' must have x's element type, f32}}
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xi64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_nd_c2(%x: tensor<3x4xf32>, %indices: tensor<2x3xi64>, %updates: tensor<2xf32>) {
  // expected-error@+1 {{'tcc.scatter_nd': C2: an index names 3 axes, there are 2}}
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<3x4xf32>, tensor<2x3xi64>, tensor<2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_nd_c3(%x: tensor<3x4xf32>, %indices: tensor<2x1xi64>, %updates: tensor<2x3xf32>) {
  // expected-error@+1 {{'tcc.scatter_nd': C3: 'updates' has size '3' on axis 1, not '4'}}
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_nd_c3_b(%x: tensor<3x4xf32>, %indices: tensor<2x1xi64>, %updates: tensor<2xf32>) {
  // expected-error@+1 {{'tcc.scatter_nd': C3: 'updates' must have rank 2, not 1}}
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_nd_c4(%x: tensor<0x3xf32>, %indices: tensor<2x1xi64>, %updates: tensor<2x3xf32>) {
  // expected-error@+1 {{'tcc.scatter_nd': C4: an index into axis 0, which has no elements}}
  %out = "tcc.scatter_nd"(%x, %indices, %updates) : (tensor<0x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<0x3xf32>
  return
}
