// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @irfft(%x: tensor<?x4xf32, ["B", 4]>, %y: tensor<?x4xf32, ["B", 4]>) {
  %a = "tcc.irfft"(%x, %y) {axis = 1 : i64, size = [6]} : (tensor<?x4xf32, ["B", 4]>, tensor<?x4xf32, ["B", 4]>) -> tensor<?x6xf32, ["B", 6]>
  %b = "tcc.irfft"(%x, %y) {axis = 1 : i64, size = [7]} : (tensor<?x4xf32, ["B", 4]>, tensor<?x4xf32, ["B", 4]>) -> tensor<?x7xf32, ["B", 7]>
  return
}

func.func @irfft_1(%x: tensor<?xf64, ["N"]>) {
  %n = "tcc.none"() : () -> none
  %a = "tcc.irfft"(%x, %n) {axis = 0 : i64, size = ["2*N - 1"]} : (tensor<?xf64, ["N"]>, none) -> tensor<?xf64, ["2*N - 1"]>
  return
}

// -----

func.func @irfft_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{'tcc.irfft': C1: x and y must both be f32 or f64}}
  %a = "tcc.irfft"(%x, %y) {axis = 0 : i64, size = [6]} : (tensor<4xf32>, tensor<4xf64>) -> tensor<6xf32>
  return
}

// -----

func.func @irfft_c2(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.irfft': C2: }}
  %a = "tcc.irfft"(%x, %y) {axis = -1 : i64, size = [6]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @irfft_c3(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{'tcc.irfft': C3: sizes '4' and '5' of x and y differ}}
  %a = "tcc.irfft"(%x, %y) {axis = 0 : i64, size = [6]} : (tensor<4xf32>, tensor<5xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @irfft_c4(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.irfft': C4: size must have one entry, 1 to 268435456}}
  %a = "tcc.irfft"(%x, %y) {axis = 0 : i64, size = [0]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @irfft_c5(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.irfft': C5: x has size '4' on axis 0, not '5'}}
  %a = "tcc.irfft"(%x, %y) {axis = 0 : i64, size = [8]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}
