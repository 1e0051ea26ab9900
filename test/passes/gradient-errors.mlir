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
