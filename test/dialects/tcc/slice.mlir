// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @slice(%x: tensor<?x10xf32, ["S", 10]>) {
  %out = "tcc.slice"(%x) {starts = [1, 9], steps = array<i64: 1, -4>} : (tensor<?x10xf32, ["S", 10]>) -> tensor<?x3xf32, ["S - 1", 3]>
  return
}

func.func @slice_1(%x: tensor<4xf32>) {
  %out = "tcc.slice"(%x) {starts = [4], steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<0xf32>
  return
}

func.func @slice_2(%x: tensor<?xf32, ["S"]>) {
  %out = "tcc.slice"(%x) {starts = ["S - 1"], steps = array<i64: 1>} : (tensor<?xf32, ["S"]>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.slice': C1: the result's element type i64 must be x's, f32}}
  %out = "tcc.slice"(%x) {starts = [0], steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @slice_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.slice': C2: result, starts and steps must have x's rank 1}}
  %out = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.slice': C3: the step of axis 0 is 0}}
  %out = "tcc.slice"(%x) {starts = [0], steps = array<i64: 0>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c4(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.slice': C4: the slice of axis 0 leaves x, which has size '4' there}}
  %out = "tcc.slice"(%x) {starts = [2], steps = array<i64: 1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c4_b(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.slice': C4: the slice of axis 0 leaves x, which has size '4' there}}
  %out = "tcc.slice"(%x) {starts = [0], steps = array<i64: -1>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// A last element that 64 bits hold only modulo 2^64.
func.func @slice_c4_c(%x: tensor<10xf32>) {
  // expected-error@+1 {{'tcc.slice': C4: the slice of axis 0 leaves x, which has size '10' there}}
  %out = "tcc.slice"(%x) {starts = [9223372036854775807], steps = array<i64: 4611686018427387904>} : (tensor<10xf32>) -> tensor<2xf32>
  return
}
