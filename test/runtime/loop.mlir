// Loops: a function that is called again with its own results. What changes places, what was before, a condition that data
// decides, a loop in a loop, no iteration at all, a result that is an output twice; one thread and two, the interpreter and the plan.
// REQUIRES: python
// RUN: rm -rf %t && mkdir -p %t/0 %t/5
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); f = lambda *d: r.random(d).astype('f'); [np.save('%t/%%d/input_%%d.npy' %% (n, i), v) for n in (0, 5) for i, v in enumerate((f(4), f(n, 4), .1 * f(300, 70), .03 * f(70, 70), np.array(n > 0)))]"
// RUN: tcc-run %s --no-cache --threads=1 --data=%t/5 --save=%t/5 && tcc-run %s --no-cache --threads=2 --data=%t/5 --check --rtol=0 --atol=0
// RUN: tcc-interp --data %t/5 --check %s
// RUN: tcc-run %s --no-cache --threads=2 --data=%t/0 --save=%t/0 && tcc-interp --data %t/0 --check %s
// RUN: tcc-run %s --no-cache --threads=2 --data=%t/5 --profile | FileCheck %s --check-prefix=TIMED
// RUN: tcc-explain --no-cache --plan %s | FileCheck %s
// A kernel of a loop has run as often as the loop: N is 5, and the loop within runs 3 times.
// TIMED-DAG: tiles  x15  map
// TIMED-DAG: tiles  x5  builtin {{.*}} k{{.*}}dynamic_update_slice
// TIMED: bytes for intermediate results
// CHECK-DAG: loop N region swap(
// CHECK-DAG: loop 100 while region grow(
// CHECK-DAG: loop N region outer(
// CHECK-DAG: loop 3 region inner(
func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %before: tensor<4xf32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = "tcc.add"(%b, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %a, %b : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @grow(%go: tensor<i1>, %i: tensor<i64>, %v: tensor<300x70xf32>, %w: tensor<70x70xf32>) -> (tensor<i1>, tensor<i64>, tensor<300x70xf32>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %limit = "tcc.constant"() {value = dense<0.8> : tensor<f32>} : () -> tensor<f32>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %p = "tcc.dot_general"(%v, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<300x70xf32>, tensor<70x70xf32>) -> tensor<300x70xf32>
  %q = "tcc.add"(%p, %v) : (tensor<300x70xf32>, tensor<300x70xf32>) -> tensor<300x70xf32>
  %m = "tcc.reduce"(%q) {axes = array<i64: 0, 1>, kind = "max", keepdims = false} : (tensor<300x70xf32>) -> tensor<f32>
  %c = "tcc.compare"(%m, %limit) {predicate = "lt"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %c, %j, %q : tensor<i1>, tensor<i64>, tensor<300x70xf32>
}
func.func private @inner(%a: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.mul"(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @outer(%i: tensor<i64>, %a: tensor<4xf32>, %rows: tensor<?x4xf32, ["N", 4]>, %x: tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %0 = func.call @inner(%a, %x) {tcc.trips = [3]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.sub"(%0, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = "tcc.dynamic_update_slice"(%rows, %i, %1) : (tensor<?x4xf32, ["N", 4]>, tensor<i64>, tensor<4xf32>) -> tensor<?x4xf32, ["N", 4]>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %j, %1, %r : tensor<i64>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>
}
func.func @main(%x: tensor<4xf32> {tcc.name = "x"}, %y: tensor<?x4xf32, ["N", 4]> {tcc.name = "y"}, %v: tensor<300x70xf32>, %w: tensor<70x70xf32>, %go: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<300x70xf32>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>, tensor<4xf32>) {
  %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %n = "tcc.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %s:3 = func.call @swap(%x, %n, %n, %x) {tcc.trips = ["N"]} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %g:3 = func.call @grow(%go, %zero, %v, %w) {tcc.trips = [100], tcc.while} : (tensor<i1>, tensor<i64>, tensor<300x70xf32>, tensor<70x70xf32>) -> (tensor<i1>, tensor<i64>, tensor<300x70xf32>)
  %o:3 = func.call @outer(%zero, %x, %y, %n) {tcc.trips = ["N"]} : (tensor<i64>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>, tensor<4xf32>) -> (tensor<i64>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>)
  return %s#0, %s#1, %s#2, %g#1, %g#2, %o#1, %o#2, %s#0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<300x70xf32>, tensor<4xf32>, tensor<?x4xf32, ["N", 4]>, tensor<4xf32>
}
