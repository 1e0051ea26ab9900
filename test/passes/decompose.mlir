// RUN: tcc-interp %s --pipeline tcc-decompose --print --input 2x3xf32=1,2,3,4,5,7 | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose --keep softmax,mean --print --input 2x3xf32=1,2,3,4,5,7 | FileCheck %s --check-prefix=KEEP

// The maximum is taken out before the exponential; a static mean divides by a constant.
// CHECK-NOT: tcc.softmax
// CHECK: %[[MAX:.*]] = "tcc.reduce"(%[[X:.*]]) {{.*}}kind = "max"
// CHECK: %[[D:.*]] = "tcc.sub"(%[[X]], %[[MAX]])
// CHECK: %[[E:.*]] = "tcc.exp"(%[[D]])
// CHECK: %[[S:.*]] = "tcc.reduce"(%[[E]]) {{.*}}kind = "sum"
// CHECK: %[[R:.*]] = "tcc.div"(%[[E]], %[[S]])
// CHECK: %[[SUM:.*]] = "tcc.reduce"(%[[X]]) {axes = array<i64: 1>, keepdims = false, kind = "sum"}
// CHECK: %[[N:.*]] = "tcc.constant"() {value = dense<3.000000e+00>
// CHECK: "tcc.div"(%[[SUM]], %[[N]])
// CHECK-NOT: tcc.mean
// CHECK: output 0: 2x3xf32 = 0.0158762 0.11731 0.866813 0.00637746 0.0471234 0.946499
// CHECK: output 1: 2xf32 = 4 7.33333
// A mean over a symbolic size reads the size at run time.
// CHECK-NEXT: output 2: 3xf32 = 3.5 5.5 8
// KEEP: tcc.softmax
// KEEP: tcc.mean
// KEEP: output 2: 3xf32 = 3.5 5.5 8
func.func @main(%x: tensor<?x3xf32, ["B", 3]>) -> (tensor<?x3xf32, ["B", 3]>, tensor<?xf32, ["B"]>, tensor<3xf32>) {
  %c = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = "tcc.add"(%x, %c) : (tensor<?x3xf32, ["B", 3]>, tensor<3xf32>) -> tensor<?x3xf32, ["B", 3]>
  %1 = "tcc.softmax"(%0) {axis = 1 : i64} : (tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
  %2 = "tcc.mean"(%0) {axes = array<i64: 1>} : (tensor<?x3xf32, ["B", 3]>) -> tensor<?xf32, ["B"]>
  %3 = "tcc.mean"(%0) {axes = array<i64: 0>} : (tensor<?x3xf32, ["B", 3]>) -> tensor<3xf32>
  return %1, %2, %3 : tensor<?x3xf32, ["B", 3]>, tensor<?xf32, ["B"]>, tensor<3xf32>
}
