// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @weight() {
  %out = "tcc.weight"() {length = 24 : i64, name = "w", source = 0 : i64, offset = 64 : i64} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @weight_c1() {
  // expected-error@+1 {{'tcc.weight': C1: a weight must have a static type of a size that memory can hold}}
  %out = "tcc.weight"() {length = 24 : i64, name = "w", source = 0 : i64, offset = 64 : i64} : () -> tensor<?xf32, ["S"]>
  return
}

// -----

func.func @weight_c2() {
  // expected-error@+1 {{'tcc.weight': C2: length is 20, the type takes 24 bytes}}
  %out = "tcc.weight"() {length = 20 : i64, name = "w", source = 0 : i64, offset = 64 : i64} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @weight_c3() {
  // expected-error@+1 {{'tcc.weight': C3: source and offset must not be negative}}
  %out = "tcc.weight"() {length = 24 : i64, name = "w", source = 0 : i64, offset = -1 : i64} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @weight_c3_b() {
  // expected-error@+1 {{'tcc.weight': C3: no file has bytes from 9223372036854775800 on}}
  %out = "tcc.weight"() {length = 24 : i64, name = "w", source = 0 : i64, offset = 9223372036854775800 : i64} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @weight_c4() {
  // expected-error@+1 {{'tcc.weight': C4: triangle must be one diagonal of a matrix, or none}}
  %out = "tcc.weight"() {length = 24 : i64, name = "w", source = 0 : i64, offset = 0 : i64, triangle = [0, 1]} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @weight_c4_b() {
  // expected-error@+1 {{'tcc.weight': C4: triangle must be one diagonal of a matrix, or none}}
  %out = "tcc.weight"() {length = 8 : i64, name = "w", source = 0 : i64, offset = 0 : i64, triangle = [0]} : () -> tensor<2xf32>
  return
}
