// A pass gets verified ops: what breaks a rule is reported before it runs.
// RUN: tcc-opt --tcc-simplify --verify-diagnostics --split-input-file %s -o /dev/null

func.func @slice(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'tcc.slice': C0: attribute 'steps' is missing}}
  %0 = "tcc.slice"(%x) {starts = [0]} : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @transpose(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tcc.transpose': C1: axis 7 in 'perm' is not in [0, 1)}}
  %0 = "tcc.transpose"(%x) {perm = array<i64: 7>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
