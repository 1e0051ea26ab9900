// A loop in whose body data decide sizes, in a loop in whose body they do: COUNT, and both ends of such a loop, end stages; each iteration
// plans the body's again where they count something else. The second loop has no such body and is walked by the threads, as ever.
// REQUIRES: python
// RUN: rm -rf %t && mkdir -p %t/0 %t/4 %t/9
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); [np.save('%t/%%d/input_0.npy' %% n, (r.random((n, 6)) - .4).astype('f')) for n in (0, 4, 9)]"
// RUN: tcc-compile %s -o %t/a.so && tcc-run %t/a.so --threads=1 --data=%t/4 --save=%t/4 && tcc-run %t/a.so --threads=2 --data=%t/4 --check --rtol=0 --atol=0
// RUN: tcc-interp --data %t/4 --check %s
// RUN: tcc-run %t/a.so --data=%t/9 --save=%t/9 && tcc-interp --data %t/9 --check %s
// RUN: tcc-run %t/a.so --data=%t/0 --save=%t/0 && tcc-interp --data %t/0 --check %s
// RUN: tcc-run %s --no-cache --target=reference --data=%t/9 --check
// RUN: tcc-run %t/a.so --data=%t/4 --profile | FileCheck %s --check-prefix=TIMED
// RUN: tcc-run %t/a.so --data=%t/4 --trace=%t/trace.json && FileCheck %s --check-prefix=TRACE < %t/trace.json
// RUN: tcc-run %s --no-cache --data=%t/9 --compare=interp
// RUN: tcc-explain --no-cache --plan %s | FileCheck %s
// RUN: tcc-run %s --no-cache --target=nvptx --emulate --data=%t/4 --check
// What runs in each iteration is summed over all: N is 4, the inner loop runs 3 times in each.
// TIMED-DAG: x4  builtin {{.*}}nonzero
// TIMED-DAG: x12  builtin {{.*}}nonzero
// TRACE: nonzero
// Stage 1 is the outer body's first, 2 begins behind what it counts, 3 is the inner body's first, 5 is behind the inner loop, 6 behind the outer one.
// CHECK-DAG: symbol n stage 2
// CHECK-DAG: symbol m stage 4
// CHECK-DAG: symbol all stage 7
// CHECK-DAG: loop N region outer(
// CHECK-DAG: loop 3 region inner(
// CHECK-DAG: loop 5 region plain(
func.func private @inner(%limit: tensor<f32>, %sum: tensor<f32>, %found: tensor<?xf32, ["n"]>) -> (tensor<f32>, tensor<f32>) {
  %step = "tcc.constant"() {value = dense<0.2> : tensor<f32>} : () -> tensor<f32>
  %next = "tcc.add"(%limit, %step) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %larger = "tcc.compare"(%found, %limit) {predicate = "gt"} : (tensor<?xf32, ["n"]>, tensor<f32>) -> tensor<?xi1, ["n"]>
  %places = "tcc.nonzero"(%larger) {size = "m"} : (tensor<?xi1, ["n"]>) -> tensor<1x?xi64, [1, "m"]>
  %flat = "tcc.reshape"(%places) : (tensor<1x?xi64, [1, "m"]>) -> tensor<?xi64, ["m"]>
  %some = "tcc.gather"(%found, %flat) {axis = 0 : i64} : (tensor<?xf32, ["n"]>, tensor<?xi64, ["m"]>) -> tensor<?xf32, ["m"]>
  %e = "tcc.exp"(%some) : (tensor<?xf32, ["m"]>) -> tensor<?xf32, ["m"]>
  %more = "tcc.reduce"(%e) {axes = array<i64: 0>, kind = "sum", keepdims = false} : (tensor<?xf32, ["m"]>) -> tensor<f32>
  %all = "tcc.add"(%sum, %more) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %next, %all : tensor<f32>, tensor<f32>
}
func.func private @outer(%i: tensor<i64>, %rows: tensor<?xf32, ["N"]>, %x: tensor<?x6xf32, ["N", 6]>) -> (tensor<i64>, tensor<?xf32, ["N"]>) {
  %one = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %row = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<?x6xf32, ["N", 6]>, tensor<i64>) -> tensor<6xf32>
  %positive = "tcc.compare"(%row, %zero) {predicate = "gt"} : (tensor<6xf32>, tensor<f32>) -> tensor<6xi1>
  %places = "tcc.nonzero"(%positive) {size = "n"} : (tensor<6xi1>) -> tensor<1x?xi64, [1, "n"]>
  %flat = "tcc.reshape"(%places) : (tensor<1x?xi64, [1, "n"]>) -> tensor<?xi64, ["n"]>
  %found = "tcc.gather"(%row, %flat) {axis = 0 : i64} : (tensor<6xf32>, tensor<?xi64, ["n"]>) -> tensor<?xf32, ["n"]>
  %s:2 = func.call @inner(%zero, %zero, %found) {tcc.trips = [3]} : (tensor<f32>, tensor<f32>, tensor<?xf32, ["n"]>) -> (tensor<f32>, tensor<f32>)
  %last = "tcc.reduce"(%found) {axes = array<i64: 0>, kind = "sum", keepdims = false} : (tensor<?xf32, ["n"]>) -> tensor<f32>
  %made = "tcc.mul"(%s#1, %last) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = "tcc.dynamic_update_slice"(%rows, %i, %made) : (tensor<?xf32, ["N"]>, tensor<i64>, tensor<f32>) -> tensor<?xf32, ["N"]>
  %j = "tcc.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %j, %r : tensor<i64>, tensor<?xf32, ["N"]>
}
func.func private @plain(%a: tensor<?xf32, ["N"]>, %x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> {
  %0 = "tcc.mul"(%a, %x) : (tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  %1 = "tcc.tanh"(%0) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  return %1 : tensor<?xf32, ["N"]>
}
func.func @main(%x: tensor<?x6xf32, ["N", 6]> {tcc.name = "x"}) -> (tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>, tensor<1x?xi64, [1, "all"]>) {
  %none = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %rows = "tcc.broadcast"(%zero) : (tensor<f32>) -> tensor<?xf32, ["N"]>
  %o:2 = func.call @outer(%none, %rows, %x) {tcc.trips = ["N"]} : (tensor<i64>, tensor<?xf32, ["N"]>, tensor<?x6xf32, ["N", 6]>) -> (tensor<i64>, tensor<?xf32, ["N"]>)
  %p = func.call @plain(%o#1, %o#1) {tcc.trips = [5]} : (tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  %large = "tcc.compare"(%p, %half) {predicate = "gt"} : (tensor<?xf32, ["N"]>, tensor<f32>) -> tensor<?xi1, ["N"]>
  %places = "tcc.nonzero"(%large) {size = "all"} : (tensor<?xi1, ["N"]>) -> tensor<1x?xi64, [1, "all"]>
  return %o#1, %p, %places : tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>, tensor<1x?xi64, [1, "all"]>
}
