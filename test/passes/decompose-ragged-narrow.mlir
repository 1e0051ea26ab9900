// RUN: tcc-opt %s --tcc-decompose --tcc-simplify | FileCheck %s
// RUN: tcc-opt %s --target=nvptx,sm_90a --tcc-decompose --tcc-simplify | FileCheck %s
// RUN: tcc-opt %s --tcc-decompose | FileCheck %s --check-prefix=ONCE
// RUN: tcc-run %s --target=reference --random=3 --dim=T=5 --no-cache --compare=interp | FileCheck %s --check-prefix=RIGHT

// Matrices in 4 bits: what is picked is picked before it is widened, for each row its own. Scales and zero points, of which there are few, may be widened for all.
// CHECK: func.func @main
// CHECK-DAG: %[[ZERO:.*]] = "tcc.convert"(%arg3) {{.*}} -> tensor<6x40x2x1xf32>
// CHECK-DAG: %[[Q:.*]] = "tcc.gather"(%arg1, %[[GROUP:.*]]) {axis = 0 : i64} : (tensor<6x40x2x32xui4>, tensor<?xi64, ["T"]>) -> tensor<?x40x2x32xui4, ["T", 40, 2, 32]>
// CHECK: "tcc.convert"(%[[Q]])
// CHECK: "tcc.gather"(%[[ZERO]], %[[GROUP]])
// CHECK: "tcc.gather"(%arg2, %[[GROUP]])
// CHECK-NOT: tensor<6x40x2x32xf32>
// CHECK: "tcc.reduce"
// RIGHT: kernels match the interpreter
func.func @main(%a: tensor<?x64xf32, ["T", 64]>, %q: tensor<6x40x2x32xui4>, %s: tensor<6x40x2x1xf32>, %z: tensor<6x40x2x1xui4>, %ends: tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]> {
  %w = "tcc.convert"(%q) : (tensor<6x40x2x32xui4>) -> tensor<6x40x2x32xf32>
  %zero = "tcc.convert"(%z) : (tensor<6x40x2x1xui4>) -> tensor<6x40x2x1xf32>
  %m = "tcc.sub"(%w, %zero) : (tensor<6x40x2x32xf32>, tensor<6x40x2x1xf32>) -> tensor<6x40x2x32xf32>
  %n = "tcc.mul"(%m, %s) : (tensor<6x40x2x32xf32>, tensor<6x40x2x1xf32>) -> tensor<6x40x2x32xf32>
  %f = "tcc.reshape"(%n) : (tensor<6x40x2x32xf32>) -> tensor<6x40x64xf32>
  %t = "tcc.transpose"(%f) {perm = array<i64: 0, 2, 1>} : (tensor<6x40x64xf32>) -> tensor<6x64x40xf32>
  %0 = "tcc.ragged_dot"(%a, %t, %ends) : (tensor<?x64xf32, ["T", 64]>, tensor<6x64x40xf32>, tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]>
  return %0 : tensor<?x40xf32, ["T", 40]>
}

// Numbers that several ops read are picked once, before common subexpressions are one: a chain of squares stays a chain.
// ONCE-LABEL: func.func @squares
// ONCE: "tcc.gather"(%arg1,
// ONCE-NOT: "tcc.gather"(%arg1,
func.func @squares(%a: tensor<?x64xf32, ["T", 64]>, %q: tensor<6x40x64xui8>, %ends: tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]> {
  %v0 = "tcc.convert"(%q) : (tensor<6x40x64xui8>) -> tensor<6x40x64xf32>
  %v1 = "tcc.mul"(%v0, %v0) : (tensor<6x40x64xf32>, tensor<6x40x64xf32>) -> tensor<6x40x64xf32>
  %v2 = "tcc.mul"(%v1, %v1) : (tensor<6x40x64xf32>, tensor<6x40x64xf32>) -> tensor<6x40x64xf32>
  %v3 = "tcc.mul"(%v2, %v2) : (tensor<6x40x64xf32>, tensor<6x40x64xf32>) -> tensor<6x40x64xf32>
  %t = "tcc.transpose"(%v3) {perm = array<i64: 0, 2, 1>} : (tensor<6x40x64xf32>) -> tensor<6x64x40xf32>
  %0 = "tcc.ragged_dot"(%a, %t, %ends) : (tensor<?x64xf32, ["T", 64]>, tensor<6x64x40xf32>, tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]>
  return %0 : tensor<?x40xf32, ["T", 40]>
}
