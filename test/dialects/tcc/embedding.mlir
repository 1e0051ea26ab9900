// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @embedding(%table: tensor<1000x64xf32>, %indices: tensor<?x?xi64, ["B", "S"]>) {
  %out = "tcc.embedding"(%table, %indices) : (tensor<1000x64xf32>, tensor<?x?xi64, ["B", "S"]>) -> tensor<?x?x64xf32, ["B", "S", 64]>
  return
}

// -----

func.func @embedding_c1(%table: tensor<10x4xf32>, %indices: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.embedding': C1: 'indices' must have i32 or i64 elements, not f32}}
  %out = "tcc.embedding"(%table, %indices) : (tensor<10x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @embedding_c2(%table: tensor<10xf32>, %indices: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.embedding': C2: 'table' must have rank 2, not 1}}
  %out = "tcc.embedding"(%table, %indices) : (tensor<10xf32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @embedding_c3(%table: tensor<0x3xf32>, %indices: tensor<2xi64>) {
  // expected-error@+1 {{'tcc.embedding': C3: an index into axis 0, which has no elements}}
  %out = "tcc.embedding"(%table, %indices) : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}
