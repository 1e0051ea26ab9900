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

// RUN: tcc-interp %s --pipeline tcc-decompose --print --function half | FileCheck %s --check-prefix=HALF

// Narrow floats are computed in f32; an absent operand goes with its composite.
// HALF-LABEL: func.func @half
// HALF-NOT: tcc.none
// HALF: "tcc.convert"{{.*}}tensor<2xf16>) -> tensor<2xf32>
// HALF-NOT: f16
// HALF: %[[R:.*]] = "tcc.convert"({{.*}}tensor<2xf32>) -> tensor<2xf16>
// HALF-NEXT: return %[[R]]
// HALF: output 0: 2xf16 = -1 1
func.func @half() -> tensor<2xf16> {
  %n = "tcc.none"() : () -> none
  %x = "tcc.constant"() {value = dense<[60000.0, 65000.0]> : tensor<2xf16>} : () -> tensor<2xf16>
  %0 = "tcc.layer_norm"(%x, %n, %n) {axis = 0 : i64, eps = 1.0e-5 : f64} : (tensor<2xf16>, none, none) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
