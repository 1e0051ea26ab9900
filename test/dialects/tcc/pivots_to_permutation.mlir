// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @pivots_to_permutation(%p: tensor<?x3xi32, ["B", 3]>) {
  %r = "tcc.pivots_to_permutation"(%p) {size = [5]} : (tensor<?x3xi32, ["B", 3]>) -> tensor<?x5xi64, ["B", 5]>
  return
}

// -----

func.func @pivots_to_permutation_c1(%p: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.pivots_to_permutation': C1: pivots must be i32 and have an axis}}
  %r = "tcc.pivots_to_permutation"(%p) {size = [3]} : (tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @pivots_to_permutation_c2(%p: tensor<3xi32>) {
  // expected-error@+1 {{'tcc.pivots_to_permutation': C2: size must have one entry, no smaller than '3'}}
  %r = "tcc.pivots_to_permutation"(%p) {size = [2]} : (tensor<3xi32>) -> tensor<2xi64>
  return
}
