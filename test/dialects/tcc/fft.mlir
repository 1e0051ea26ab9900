// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @fft(%x: tensor<?x6xf32, ["B", 6]>, %y: tensor<?x6xf32, ["B", 6]>) {
  %a, %b = "tcc.fft"(%x, %y) {axis = 1 : i64} : (tensor<?x6xf32, ["B", 6]>, tensor<?x6xf32, ["B", 6]>) -> (tensor<?x6xf32, ["B", 6]>, tensor<?x6xf32, ["B", 6]>)
  return
}

func.func @fft_1(%x: tensor<?x3xf64, ["N", 3]>) {
  %n = "tcc.none"() : () -> none
  %a, %b = "tcc.fft"(%x, %n) {axis = 0 : i64, inverse = true, half = true} : (tensor<?x3xf64, ["N", 3]>, none) -> (tensor<?x3xf64, ["floordiv(N, 2) + 1", 3]>, tensor<?x3xf64, ["floordiv(N, 2) + 1", 3]>)
  return
}

// -----

func.func @fft_c1(%x: tensor<4xf16>) {
  %n = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.fft': C1: x and y must both be f32 or f64}}
  %a, %b = "tcc.fft"(%x, %n) {axis = 0 : i64} : (tensor<4xf16>, none) -> (tensor<4xf16>, tensor<4xf16>)
  return
}

// -----

func.func @fft_c2(%x: tensor<4xf32>) {
  %n = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.fft': C2: }}
  %a, %b = "tcc.fft"(%x, %n) {axis = 1 : i64} : (tensor<4xf32>, none) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @fft_c3(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{'tcc.fft': C3: sizes '2' and '3' of x and y differ}}
  %a, %b = "tcc.fft"(%x, %y) {axis = 0 : i64} : (tensor<4x2xf32>, tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @fft_c3_1(%x: tensor<4x2xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{'tcc.fft': C3: x and y must have one shape}}
  %a, %b = "tcc.fft"(%x, %y) {axis = 0 : i64} : (tensor<4x2xf32>, tensor<8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @fft_c4(%x: tensor<0x2xf32>) {
  %n = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.fft': C4: a line must have 1 to 268435456 elements, not '0'}}
  %a, %b = "tcc.fft"(%x, %n) {axis = 0 : i64} : (tensor<0x2xf32>, none) -> (tensor<0x2xf32>, tensor<0x2xf32>)
  return
}

// -----

func.func @fft_c5(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.fft': C5: half is of real numbers, without y}}
  %a, %b = "tcc.fft"(%x, %y) {axis = 0 : i64, half = true} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
