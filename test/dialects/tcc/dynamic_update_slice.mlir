// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @dynamic_update_slice(%x: tensor<?x3xf32, ["T", 3]>, %i: tensor<i64>, %row: tensor<3xf32>) {
  %r = "tcc.dynamic_update_slice"(%x, %i, %row) : (tensor<?x3xf32, ["T", 3]>, tensor<i64>, tensor<3xf32>) -> tensor<?x3xf32, ["T", 3]>
  return
}

// -----

func.func @dynamic_update_slice_c1(%x: tensor<4x3xf32>, %i: tensor<1xi64>, %row: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.dynamic_update_slice': C1: operand 'index' must be a scalar of type i64}}
  %r = "tcc.dynamic_update_slice"(%x, %i, %row) : (tensor<4x3xf32>, tensor<1xi64>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_update_slice_c2(%x: tensor<4x3xf32>, %i: tensor<i64>, %row: tensor<3xf16>) {
  // expected-error@+1 {{'tcc.dynamic_update_slice': C2: operand 'row' must have the element type of 'x'}}
  %r = "tcc.dynamic_update_slice"(%x, %i, %row) : (tensor<4x3xf32>, tensor<i64>, tensor<3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3(%x: tensor<4x3xf32>, %i: tensor<i64>, %row: tensor<1x3xf32>) {
  // expected-error@+1 {{'tcc.dynamic_update_slice': C3: operand 'row' must have rank 1, not 2}}
  %r = "tcc.dynamic_update_slice"(%x, %i, %row) : (tensor<4x3xf32>, tensor<i64>, tensor<1x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_update_slice_c3_b(%x: tensor<4x3xf32>, %i: tensor<i64>, %row: tensor<2xf32>) {
  // expected-error@+1 {{'tcc.dynamic_update_slice': C3: 'row' has size '2' on axis 0, not '3'}}
  %r = "tcc.dynamic_update_slice"(%x, %i, %row) : (tensor<4x3xf32>, tensor<i64>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dynamic_update_slice_c4(%x: tensor<0x3xf32>, %index: tensor<i64>, %row: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.dynamic_update_slice': C4: an index into axis 0, which has no elements}}
  %out = "tcc.dynamic_update_slice"(%x, %index, %row) : (tensor<0x3xf32>, tensor<i64>, tensor<3xf32>) -> tensor<0x3xf32>
  return
}
