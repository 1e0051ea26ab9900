// RUN: tcc-opt %s --split-input-file --tcc-verify --verify-diagnostics
// Attributes tcc.* stand in dialects/tcc/attrs.def: a misspelt one would be ignored.

// expected-error@+1 {{'tcc.kernl' is no attribute of a function; did you mean 'tcc.kernel'?}}
func.func private @kernl(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernl = "map"} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tcc.kernel' of a function must be a kind of kernels}}
func.func private @kind(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "mapp"} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tcc.stable' of a function must be array<i64>}}
func.func private @form(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.stable = "0"} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tcc.nam' is no attribute of an argument; did you mean 'tcc.name'?}}
func.func @port(%x: tensor<4xf32> {tcc.nam = "x"}) -> (tensor<4xf32> {tcc.name = "y", other.attribute}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tcc.specialised' is no attribute of a result}}
func.func @result(%x: tensor<4xf32>) -> (tensor<4xf32> {tcc.specialised = dense<1.0> : tensor<4xf32>}) {
  return %x : tensor<4xf32>
}

// -----

func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tcc.kernel' is no attribute of a call}}
  %0 = func.call @callee(%x) {tcc.kernel = "map"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{'tcc.exp': C0: unknown attribute 'tcc.stage'}}
  %1 = "tcc.exp"(%0) {tcc.stage} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error@+1 {{'tcc.numerics' of a function must be 'direct' or 'eager'}}
func.func private @numerics(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map", tcc.numerics = "exact"} {
  return %x : tensor<4xf32>
}
