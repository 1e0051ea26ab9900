// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @broadcast(%x: tensor<64xf32>) {
  %out = "tcc.broadcast"(%x) : (tensor<64xf32>) -> tensor<?x64xf32, ["B", 64]>
  return
}

func.func @broadcast_1(%x: tensor<?x1xf32, ["S", 1]>) {
  %out = "tcc.broadcast"(%x) : (tensor<?x1xf32, ["S", 1]>) -> tensor<?x?xf32, ["S", "S"]>
  return
}

// -----

func.func @broadcast_c1(%x: tensor<64xf32>) {
  // expected-error@+1 {{'tcc.broadcast': C1: the result's element type i64 must be x's, f32}}
  %out = "tcc.broadcast"(%x) : (tensor<64xf32>) -> tensor<64xi64>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.broadcast': C2: size '3' of 'x' on axis 0 does not broadcast to '4'}}
  %out = "tcc.broadcast"(%x) : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_c2_b(%x: tensor<3x1xf32>) {
  // expected-error@+1 {{'tcc.broadcast': C2: 'x' has rank 2, more than 1}}
  %out = "tcc.broadcast"(%x) : (tensor<3x1xf32>) -> tensor<3xf32>
  return
}
