// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @matmul(%a: tensor<?x1x?x64xf32, ["B", 1, "S", 64]>, %b: tensor<8x64x?xf32, [8, 64, "T"]>) {
  %out = "tcc.matmul"(%a, %b) : (tensor<?x1x?x64xf32, ["B", 1, "S", 64]>, tensor<8x64x?xf32, [8, 64, "T"]>) -> tensor<?x8x?x?xf32, ["B", 8, "S", "T"]>
  return
}

func.func @matmul_1(%a: tensor<64xf32>, %b: tensor<64xf32>) {
  %out = "tcc.matmul"(%a, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

func.func @matmul_2(%a: tensor<3x64xf32>, %b: tensor<64xf32>) {
  %out = "tcc.matmul"(%a, %b) : (tensor<3x64xf32>, tensor<64xf32>) -> tensor<3xf32>
  return
}

func.func @matmul_3(%a: tensor<64xf32>, %b: tensor<2x64x3xf32>) {
  %out = "tcc.matmul"(%a, %b) : (tensor<64xf32>, tensor<2x64x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c1(%a: tensor<3x4xf32>, %b: tensor<4x5xf64>) {
  // expected-error@+1 {{'tcc.matmul': C1: element types f32 and f64 do not multiply}}
  %out = "tcc.matmul"(%a, %b) : (tensor<3x4xf32>, tensor<4x5xf64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.matmul': C2: operands must have rank 1 at least}}
  %out = "tcc.matmul"(%a, %b) : (tensor<f32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>) {
  // expected-error@+1 {{'tcc.matmul': C3: contracted sizes '4' and '5' differ}}
  %out = "tcc.matmul"(%a, %b) : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x3x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'tcc.matmul': C4: sizes '2' and '3' of result axis 0 do not broadcast}}
  %out = "tcc.matmul"(%a, %b) : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}
