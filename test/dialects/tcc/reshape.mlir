// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @reshape(%x: tensor<?x64xf32, ["B*S", 64]>) {
  %out = "tcc.reshape"(%x) : (tensor<?x64xf32, ["B*S", 64]>) -> tensor<?x?x8x8xf32, ["B", "S", 8, 8]>
  return
}

func.func @reshape_1(%x: tensor<2x6xf32>) {
  %out = "tcc.reshape"(%x) : (tensor<2x6xf32>) -> tensor<12xf32>
  return
}

func.func @reshape_2(%x: tensor<?x0xf32, ["S", 0]>) {
  %out = "tcc.reshape"(%x) : (tensor<?x0xf32, ["S", 0]>) -> tensor<0xf32>
  return
}

// -----

func.func @reshape_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.reshape': C1: the result's element type i64 must be x's, f32}}
  %out = "tcc.reshape"(%x) : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @reshape_c2(%x: tensor<2x6xf32>) {
  // expected-error@+1 {{'tcc.reshape': C2: x has '12' elements, the result '11'}}
  %out = "tcc.reshape"(%x) : (tensor<2x6xf32>) -> tensor<11xf32>
  return
}

// -----

func.func @reshape_c2_b(%x: tensor<?x64xf32, ["B*S", 64]>) {
  // expected-error@+1 {{'tcc.reshape': C2: x has '64*B*S' elements, the result '64*B'}}
  %out = "tcc.reshape"(%x) : (tensor<?x64xf32, ["B*S", 64]>) -> tensor<?x64xf32, ["B", 64]>
  return
}
