// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @gather(%x: tensor<?x64xf32, ["V", 64]>, %indices: tensor<?x?xi64, ["B", "S"]>) {
  %out = "tcc.gather"(%x, %indices) {axis = 0 : i64} : (tensor<?x64xf32, ["V", 64]>, tensor<?x?xi64, ["B", "S"]>) -> tensor<?x?x64xf32, ["B", "S", 64]>
  return
}

func.func @gather_1(%x: tensor<3x4xf32>, %indices: tensor<i64>) {
  %out = "tcc.gather"(%x, %indices) {axis = 1 : i64} : (tensor<3x4xf32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<3x4xf32>, %indices: tensor<2xf32>) {
  // expected-error@+1 {{'tcc.gather': C1: 'indices' must have i32 or i64 elements, not f32}}
  %out = "tcc.gather"(%x, %indices) {axis = 0 : i64} : (tensor<3x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<3x4xf32>, %indices: tensor<2xi64>) {
  // expected-error@+1 {{'tcc.gather': C2: axis 2 is not in [0, 2)}}
  %out = "tcc.gather"(%x, %indices) {axis = 2 : i64} : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<3x0xf32>, %indices: tensor<2xi64>) {
  // expected-error@+1 {{'tcc.gather': C3: an index into axis 1, which has no elements}}
  %out = "tcc.gather"(%x, %indices) {axis = 1 : i64} : (tensor<3x0xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  return
}
