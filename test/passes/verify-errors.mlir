// All faults are reported, not only the first.
// RUN: tcc-opt --tcc-verify --verify-diagnostics %s -o /dev/null

// expected-error@+1 {{argument 1: entry 0 of the encoding, 'T + S', is not the normal form 'S + T'}}
func.func @several(%x: tensor<3xf32>, %y: tensor<?xf32, ["T + S"]>) -> tensor<3xf32> {
  // expected-error@+1 {{'tcc.neg': C0: unknown attribute 'axis'}}
  %0 = "tcc.neg"(%x) {axis = 0 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  // expected-error@+1 {{'tcc.is_nan': C0: result 'r' must have type tensor<3xi1>, not tensor<3xf32>}}
  %1 = "tcc.is_nan"(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

func.func private @turns(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  return %y : tensor<3xf32>
}
func.func private @counts(%x: tensor<i64>) -> tensor<i64> {
  return %x : tensor<i64>
}
func.func @loops(%x: tensor<2xf32>, %y: tensor<3xf32>, %i: tensor<i64>) {
  // expected-error@+1 {{a loop's first operands must have the types of its results, and with tcc.while the first that of a bool scalar}}
  %0 = func.call @turns(%x, %y) {tcc.trips = [2]} : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  // expected-error@+1 {{a loop's first operands must have the types of its results, and with tcc.while the first that of a bool scalar}}
  %1 = func.call @counts(%i) {tcc.trips = [2], tcc.while} : (tensor<i64>) -> tensor<i64>
  return
}

// expected-error@+1 {{function 'blocks' has more than one block}}
func.func @blocks(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
^bb1:
  return %x : tensor<3xf32>
}

func.func private @elsewhere(tensor<3xf32>) -> tensor<3xf32>
func.func @calls(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{function 'elsewhere' has no body}}
  %0 = func.call @elsewhere(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
