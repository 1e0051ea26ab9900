// A region ends behind an op that counts a size, and makes what is counted: the op goes behind the call, and so does what has that size, though it
// reads nothing of the two.
// RUN: tcc-opt --tcc-dedup-regions=min-ops=2 %s | FileCheck %s
// RUN: tcc-compile %s -o %t.so --no-cache

// CHECK: func.func @main
// CHECK: call @region0(%arg0
// CHECK: "tcc.nonzero"{{.*}} {size = "nz0"}
// CHECK: "tcc.broadcast"{{.*}} ["nz0"]>
// CHECK: call @region0(%arg1
// CHECK: "tcc.nonzero"{{.*}} {size = "nz1"}
// CHECK: "tcc.broadcast"{{.*}} ["nz1"]>
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<?xf32, ["nz0"]>, tensor<8xf32>, tensor<?xf32, ["nz1"]>, tensor<8xf32>) {
  %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %p1 = "tcc.exp"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %p2 = "tcc.neg"(%p1) : (tensor<8xf32>) -> tensor<8xf32>
  %p3 = "tcc.tanh"(%p2) : (tensor<8xf32>) -> tensor<8xf32>
  %p4 = "tcc.sigmoid"(%p3) : (tensor<8xf32>) -> tensor<8xf32>
  %p5 = "tcc.abs"(%p4) : (tensor<8xf32>) -> tensor<8xf32>
  %p6 = "tcc.sqrt"(%p5) : (tensor<8xf32>) -> tensor<8xf32>
  %p7 = "tcc.erf"(%p6) : (tensor<8xf32>) -> tensor<8xf32>
  %p8 = "tcc.sin"(%p7) : (tensor<8xf32>) -> tensor<8xf32>
  %p9 = "tcc.exp"(%p8) : (tensor<8xf32>) -> tensor<8xf32>
  %p10 = "tcc.tanh"(%p9) : (tensor<8xf32>) -> tensor<8xf32>
  %p11 = "tcc.abs"(%p10) : (tensor<8xf32>) -> tensor<8xf32>
  %p12 = "tcc.neg"(%p11) : (tensor<8xf32>) -> tensor<8xf32>
  %p13 = "tcc.sin"(%p12) : (tensor<8xf32>) -> tensor<8xf32>
  %p14 = "tcc.abs"(%p13) : (tensor<8xf32>) -> tensor<8xf32>
  %pc = "tcc.compare"(%p14, %half) {predicate = "gt"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
  %pn = "tcc.nonzero"(%pc) {size = "nz0"} : (tensor<8xi1>) -> tensor<1x?xi64, [1, "nz0"]>
  %pb = "tcc.broadcast"(%one) : (tensor<f32>) -> tensor<?xf32, ["nz0"]>
  %p15 = "tcc.cos"(%p14) : (tensor<8xf32>) -> tensor<8xf32>
  %p16 = "tcc.exp"(%p15) : (tensor<8xf32>) -> tensor<8xf32>
  %q1 = "tcc.exp"(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %q2 = "tcc.neg"(%q1) : (tensor<8xf32>) -> tensor<8xf32>
  %q3 = "tcc.tanh"(%q2) : (tensor<8xf32>) -> tensor<8xf32>
  %q4 = "tcc.sigmoid"(%q3) : (tensor<8xf32>) -> tensor<8xf32>
  %q5 = "tcc.abs"(%q4) : (tensor<8xf32>) -> tensor<8xf32>
  %q6 = "tcc.sqrt"(%q5) : (tensor<8xf32>) -> tensor<8xf32>
  %q7 = "tcc.erf"(%q6) : (tensor<8xf32>) -> tensor<8xf32>
  %q8 = "tcc.sin"(%q7) : (tensor<8xf32>) -> tensor<8xf32>
  %q9 = "tcc.exp"(%q8) : (tensor<8xf32>) -> tensor<8xf32>
  %q10 = "tcc.tanh"(%q9) : (tensor<8xf32>) -> tensor<8xf32>
  %q11 = "tcc.abs"(%q10) : (tensor<8xf32>) -> tensor<8xf32>
  %q12 = "tcc.neg"(%q11) : (tensor<8xf32>) -> tensor<8xf32>
  %q13 = "tcc.sin"(%q12) : (tensor<8xf32>) -> tensor<8xf32>
  %q14 = "tcc.abs"(%q13) : (tensor<8xf32>) -> tensor<8xf32>
  %qc = "tcc.compare"(%q14, %half) {predicate = "gt"} : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
  %qn = "tcc.nonzero"(%qc) {size = "nz1"} : (tensor<8xi1>) -> tensor<1x?xi64, [1, "nz1"]>
  %qb = "tcc.broadcast"(%one) : (tensor<f32>) -> tensor<?xf32, ["nz1"]>
  %q15 = "tcc.cos"(%q14) : (tensor<8xf32>) -> tensor<8xf32>
  %q16 = "tcc.exp"(%q15) : (tensor<8xf32>) -> tensor<8xf32>
  return %pb, %p16, %qb, %q16 : tensor<?xf32, ["nz0"]>, tensor<8xf32>, tensor<?xf32, ["nz1"]>, tensor<8xf32>
}
