// RUN: tcc-opt %s --split-input-file --tcc-grad --verify-diagnostics -o /dev/null
// RUN: not tcc-opt %s --split-input-file "--tcc-grad=wrt=i" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not tcc-opt %s --split-input-file "--tcc-grad=wrt=x,nothing*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tcc-opt %s --split-input-file "--tcc-grad=of=loss" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OF
// RUN: not tcc-opt %s --split-input-file "--tcc-grad=mode=sideways" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE

// INTEGER: tcc-grad: 'i' of wrt has no float elements, so there is no gradient
// NOTHING: tcc-grad: no argument and no weight is called 'nothing*', as wrt says
// OF: tcc-grad: no result is called 'loss', as of says
// MODE: tcc-grad: mode is reverse or forward, not 'sideways'

// Everything without a derivative that a gradient has to pass is told at once, in called functions too, each once; what no gradient passes is
// not.
func.func private @part(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'tcc.bitcast' has no derivative and a gradient has to pass it: the bits of a number are no function that has a derivative}}
  %0 = "tcc.bitcast"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}, %i: tensor<4xi64> {tcc.name = "i"}) -> tensor<f32> {
  // expected-error@+1 {{'tcc.bitcast' has no derivative and a gradient has to pass it}}
  %0 = "tcc.bitcast"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @part(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @part(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.bitcast"(%x) : (tensor<4xf32>) -> tensor<4xi32>
  %4 = "tcc.convert"(%3) : (tensor<4xi32>) -> tensor<4xf32>
  %5 = "tcc.add"(%2, %4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "tcc.reduce"(%5) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %6 : tensor<f32>
}

// -----

// expected-error@+1 {{tcc-grad: of has to name the loss: 0 results are float scalars}}
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> tensor<4xf32> {
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{tcc-grad: the loss depends on nothing that it is differentiated with respect to}}
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> tensor<f32> {
  %0 = "tcc.floor"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// expected-error@+1 {{tcc-grad: @main has no weight and no argument of a float type}}
func.func @main(%x: tensor<4xi64> {tcc.name = "x"}) -> tensor<i64> {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0>} : (tensor<4xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// Each loop that data ends, and whatever else stops a gradient.
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %go = "tcc.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  // expected-error@+1 {{tcc-grad: a loop without a bound, whose iterations have to be kept for its derivative}}
  %a:2 = call @while(%go, %x) {tcc.trips = [9223372036854775807], tcc.while} : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>)
  // expected-error@+1 {{'tcc.bitcast' has no derivative and a gradient has to pass it}}
  %d = "tcc.bitcast"(%a#1) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{tcc-grad: a loop without a bound, whose iterations have to be kept for its derivative}}
  %e:2 = call @while(%go, %x) {tcc.trips = [9223372036854775807], tcc.while} : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>)
  %f = "tcc.add"(%d, %e#1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %l = "tcc.reduce"(%f) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func private @while(%go: tensor<i1>, %x: tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
  %y = "tcc.tanh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s = "tcc.reduce"(%y) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %on = "tcc.compare"(%s, %zero) {predicate = "gt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %on, %y : tensor<i1>, tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32> {tcc.name = "x"}) -> (tensor<f32> {tcc.name = "loss"}) {
  // expected-error@+1 {{tcc-grad: a derivative that the model asks for: tcc-gradient has to run first}}
  %d = call @first(%x, %x) {tcc.gradient} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %l = "tcc.reduce"(%d) {kind = "sum", axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func private @first(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
