// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @transpose(%x: tensor<?x3x4xf32, ["S", 3, 4]>) {
  %out = "tcc.transpose"(%x) {perm = array<i64: 2, 0, 1>} : (tensor<?x3x4xf32, ["S", 3, 4]>) -> tensor<4x?x3xf32, [4, "S", 3]>
  return
}

func.func @transpose_1(%x: tensor<f32>) {
  %out = "tcc.transpose"(%x) {perm = array<i64>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{'tcc.transpose': C1: perm has 1 entries, x has rank 2}}
  %out = "tcc.transpose"(%x) {perm = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @transpose_c1_b(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{'tcc.transpose': C1: axis 0 is twice in 'perm'}}
  %out = "tcc.transpose"(%x) {perm = array<i64: 0, 0>} : (tensor<3x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_c1_c(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{'tcc.transpose': C1: axis 2 in 'perm' is not in [0, 2)}}
  %out = "tcc.transpose"(%x) {perm = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
