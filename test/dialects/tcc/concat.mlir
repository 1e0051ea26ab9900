// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @concat(%a: tensor<?x64xf32, ["P", 64]>, %b: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<?x64xf32, ["P", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["P + S", 64]>
  return
}

// -----

func.func @concat_c1(%a: tensor<3xf32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.concat': C1: 'a' and 'b' must have one element type and rank}}
  %out = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<3xf32>, tensor<3xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.concat': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.concat"(%a, %b) {axis = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<3x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{'tcc.concat': C3: sizes '4' and '5' on axis 1 differ}}
  %out = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<6x4xf32>
  return
}
