// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @random(%index: tensor<?x64xi64, ["S", 64]>, %seed: tensor<i64>, %offset: tensor<i64>) {
  %out = "tcc.random"(%index, %seed, %offset) : (tensor<?x64xi64, ["S", 64]>, tensor<i64>, tensor<i64>) -> tensor<?x64xui32, ["S", 64]>
  return
}

func.func @random_1(%index: tensor<3xi64>, %seed: tensor<2x1xi64>, %offset: tensor<i64>) {
  %out = "tcc.random"(%index, %seed, %offset) : (tensor<3xi64>, tensor<2x1xi64>, tensor<i64>) -> tensor<2x3xui32>
  return
}

// -----

func.func @random_c1(%index: tensor<3xi64>, %seed: tensor<i32>, %offset: tensor<i64>) {
  // expected-error@+1 {{'tcc.random': C1: operands must have i64 elements}}
  %out = "tcc.random"(%index, %seed, %offset) : (tensor<3xi64>, tensor<i32>, tensor<i64>) -> tensor<3xui32>
  return
}

// -----

func.func @random_c2(%index: tensor<3xi64>, %seed: tensor<4xi64>, %offset: tensor<i64>) {
  // expected-error@+1 {{'tcc.random': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.random"(%index, %seed, %offset) : (tensor<3xi64>, tensor<4xi64>, tensor<i64>) -> tensor<3xui32>
  return
}
