// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @dynamic_slice(%x: tensor<?x8xf32, ["S", 8]>, %starts: tensor<2xi64>) {
  %out = "tcc.dynamic_slice"(%x, %starts) : (tensor<?x8xf32, ["S", 8]>, tensor<2xi64>) -> tensor<?x4xf32, ["S", 4]>
  return
}

// -----

func.func @dynamic_slice_c1(%x: tensor<8xf32>, %starts: tensor<1xi64>) {
  // expected-error@+1 {{'tcc.dynamic_slice': C1: the result's element type i64 must be x's, f32}}
  %out = "tcc.dynamic_slice"(%x, %starts) : (tensor<8xf32>, tensor<1xi64>) -> tensor<4xi64>
  return
}

// -----

func.func @dynamic_slice_c2(%x: tensor<8xf32>, %starts: tensor<2xi64>) {
  // expected-error@+1 {{'tcc.dynamic_slice': C2: 'starts' must be i64 with x's rank, 1, entries}}
  %out = "tcc.dynamic_slice"(%x, %starts) : (tensor<8xf32>, tensor<2xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_slice_c3(%x: tensor<8xf32>, %starts: tensor<1xi64>) {
  // expected-error@+1 {{'tcc.dynamic_slice': C3: the result's size 9 on axis 0 is larger than x's, 8}}
  %out = "tcc.dynamic_slice"(%x, %starts) : (tensor<8xf32>, tensor<1xi64>) -> tensor<9xf32>
  return
}
