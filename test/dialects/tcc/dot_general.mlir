// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @dot_general(%a: tensor<?x?x64xf32, ["B", "S", 64]>, %b: tensor<?x64x?xf32, ["B", 64, "T"]>) {
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x?x64xf32, ["B", "S", 64]>, tensor<?x64x?xf32, ["B", 64, "T"]>) -> tensor<?x?x?xf32, ["B", "S", "T"]>
  return
}

func.func @dot_general_1(%a: tensor<3x4xi8>, %b: tensor<4x5xui8>) {
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3x4xi8>, tensor<4x5xui8>) -> tensor<3x5xi32>
  return
}

func.func @dot_general_wide(%a: tensor<3x4xbf16>, %b: tensor<4x5xbf16>) {
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  return
}

func.func @dot_general_wide_already(%a: tensor<3x4xf64>, %b: tensor<4x5xf64>) {
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<3x4xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  return
}

// -----

func.func @dot_general_c1(%a: tensor<?x?x64xf32, ["B", "S", 64]>, %b: tensor<?x64x?xf16, ["B", 64, "T"]>) {
  // expected-error@+1 {{'tcc.dot_general': C1: element types f32 and f16 do not multiply}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x?x64xf32, ["B", "S", 64]>, tensor<?x64x?xf16, ["B", 64, "T"]>) -> tensor<?x?x?xf32, ["B", "S", "T"]>
  return
}

// -----

func.func @dot_general_c2(%a: tensor<?x64xf32, ["B", 64]>, %b: tensor<?x64x?xf32, ["B", 64, "T"]>) {
  // expected-error@+1 {{'tcc.dot_general': C2: axis 2 in 'lhs_contract' is not in [0, 2)}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x64xf32, ["B", 64]>, tensor<?x64x?xf32, ["B", 64, "T"]>) -> tensor<?x?xf32, ["B", "T"]>
  return
}

// -----

func.func @dot_general_c2_b(%a: tensor<?x?x64xf32, ["B", "S", 64]>, %b: tensor<?x64x?xf32, ["B", 64, "T"]>) {
  // expected-error@+1 {{'tcc.dot_general': C2: axis 1 is twice in 'rhs_contract'}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x?x64xf32, ["B", "S", 64]>, tensor<?x64x?xf32, ["B", 64, "T"]>) -> tensor<?x?x?xf32, ["B", "S", "T"]>
  return
}

// -----

func.func @dot_general_c3(%a: tensor<?x?x64xf32, ["B", "S", 64]>, %b: tensor<?x32x?xf32, ["B", 32, "T"]>) {
  // expected-error@+1 {{'tcc.dot_general': C3: contracted sizes '64' and '32' differ}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x?x64xf32, ["B", "S", 64]>, tensor<?x32x?xf32, ["B", 32, "T"]>) -> tensor<?x?x?xf32, ["B", "S", "T"]>
  return
}

// -----

func.func @dot_general_c3_b(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'tcc.dot_general': C3: both sides must name as many batch and contracted axes}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64>} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @dot_general_r(%a: tensor<3x4xf16>, %b: tensor<4x5xf16>) {
  // expected-error@+1 {{tcc.dot_general}}
  %out = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  return
}
