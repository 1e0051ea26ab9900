// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @linear(%x: tensor<?x?x64xf32, ["B", "S", 64]>, %w: tensor<32x64xf32>, %bias: tensor<32xf32>) {
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<?x?x64xf32, ["B", "S", 64]>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x?x32xf32, ["B", "S", 32]>
  return
}

func.func @linear_1(%x: tensor<64xf32>, %w: tensor<64x32xf32>) {
  %bias = "tcc.none"() : () -> none
  %out = "tcc.linear"(%x, %w, %bias) {transposed = false} : (tensor<64xf32>, tensor<64x32xf32>, none) -> tensor<32xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<3x64xf32>, %w: tensor<32x64xf64>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.linear': C1: element types f32 and f64 do not multiply}}
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<3x64xf32>, tensor<32x64xf64>, none) -> tensor<3x32xf32>
  return
}

// -----

func.func @linear_c1_b(%x: tensor<3x64xf32>, %w: tensor<32x64xf32>, %bias: tensor<32xf64>) {
  // expected-error@+1 {{'tcc.linear': C1: bias must have element type f32}}
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<3x64xf32>, tensor<32x64xf32>, tensor<32xf64>) -> tensor<3x32xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<3x64xf32>, %w: tensor<32x64x1xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.linear': C2: x must have rank 1 at least and w rank 2, not 2 and 3}}
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<3x64xf32>, tensor<32x64x1xf32>, none) -> tensor<3x32xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<3x64xf32>, %w: tensor<64x32xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.linear': C3: x has '64' features, w takes '32'}}
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<3x64xf32>, tensor<64x32xf32>, none) -> tensor<3x32xf32>
  return
}

// -----

func.func @linear_c4(%x: tensor<3x64xf32>, %w: tensor<32x64xf32>, %bias: tensor<31xf32>) {
  // expected-error@+1 {{'tcc.linear': C4: size '31' of 'bias' on axis 0 does not broadcast to '32'}}
  %out = "tcc.linear"(%x, %w, %bias) : (tensor<3x64xf32>, tensor<32x64xf32>, tensor<31xf32>) -> tensor<3x32xf32>
  return
}
