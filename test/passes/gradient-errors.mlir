// RUN: tcc-opt %s --split-input-file --tcc-gradient --verify-diagnostics
func.func @main(%a: tensor<2xf32>) -> tensor<f32> {
  %y = "tcc.mul"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // expected-error@+1 {{tcc-gradient: operands are a value and what it is differentiated by, of float types; results have the types of the latter}}
  %d = call @first(%y, %a) {tcc.gradient} : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %d : tensor<f32>
}
func.func private @first(tensor<2xf32>, tensor<2xf32>) -> tensor<f32>

// -----
func.func @main(%a: tensor<2xi64>) -> tensor<2xi64> {
  // expected-error@+1 {{of float types}}
  %d = call @first(%a, %a) {tcc.gradient} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %d : tensor<2xi64>
}
func.func private @first(tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>

// -----
func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error@+1 {{'tcc.bitcast' has no derivative and a gradient has to pass it}}
  %y = "tcc.bitcast"(%a) : (tensor<2xf16>) -> tensor<2xbf16>
  %d = call @first(%y, %a) {tcc.gradient} : (tensor<2xbf16>, tensor<2xf16>) -> tensor<2xf16>
  return %d : tensor<2xf16>
}
func.func private @first(tensor<2xbf16>, tensor<2xf16>) -> tensor<2xf16>

// -----
// A loop that data ends.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %go = "tcc.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  // expected-error@+1 {{tcc-grad: a loop without a bound, whose iterations have to be kept for its derivative}}
  %a:2 = call @while(%go, %x) {tcc.trips = [9223372036854775807], tcc.while} : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>)
  %d = call @first(%a#1, %x) {tcc.gradient} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func private @while(%go: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
  %0 = "tcc.mul"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %go, %0 : tensor<i1>, tensor<4xf32>
}
func.func private @first(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
