// RUN: tcc-opt %s --tcc-simplify --tcc-recompose --tcc-causal-masks --tcc-autocast --tcc-simplify --verify-each --target=x86,avx2 | FileCheck %s

// What changes an attention changes what gives the logarithms of its sums in the same way, so that one kernel can have both: operands of 16 bits, whose logarithms
// keep 32, keys that are repeated for their heads, and a mask that is spread or a triangle.
// CHECK-LABEL: func.func @heads
// CHECK-DAG: %[[Q:.*]] = "tcc.convert"(%arg0)
// CHECK-DAG: %[[K:.*]] = "tcc.convert"(%arg1)
// CHECK-DAG: "tcc.attention_logsumexp"(%[[Q]], %[[K]], %[[NONE:.*]]) {{.*}} : (tensor<1x8x3x16xbf16>, tensor<1x2x5x16xbf16>, none) -> tensor<1x8x3xf32>
// CHECK-DAG: "tcc.attention"(%[[Q]], %[[K]], %{{.*}}, %[[NONE]])
func.func @heads(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x5x16xf32>, %v: tensor<1x2x5x16xf32>) -> (tensor<1x8x3xf32>, tensor<1x8x3x16xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.reshape"(%k) : (tensor<1x2x5x16xf32>) -> tensor<1x2x1x5x16xf32>
  %1 = "tcc.broadcast"(%0) : (tensor<1x2x1x5x16xf32>) -> tensor<1x2x4x5x16xf32>
  %2 = "tcc.reshape"(%1) : (tensor<1x2x4x5x16xf32>) -> tensor<1x8x5x16xf32>
  %3 = "tcc.reshape"(%v) : (tensor<1x2x5x16xf32>) -> tensor<1x2x1x5x16xf32>
  %4 = "tcc.broadcast"(%3) : (tensor<1x2x1x5x16xf32>) -> tensor<1x2x4x5x16xf32>
  %5 = "tcc.reshape"(%4) : (tensor<1x2x4x5x16xf32>) -> tensor<1x8x5x16xf32>
  %l = "tcc.attention_logsumexp"(%q, %2, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3xf32>
  %r = "tcc.attention"(%q, %2, %5, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3x16xf32>
  return %l, %r : tensor<1x8x3xf32>, tensor<1x8x3x16xf32>
}

// Keys that are repeated beside values that are not stay so in both.
// CHECK-LABEL: func.func @values
// CHECK: "tcc.attention_logsumexp"(%{{.*}}, %[[K:.*]], %{{.*}}) {{.*}} : (tensor<1x8x3x16xbf16>, tensor<1x8x5x16xbf16>, none)
// CHECK: "tcc.attention"(%{{.*}}, %[[K]], %{{.*}}, %{{.*}})
func.func @values(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x5x16xf32>, %v: tensor<1x8x5x16xf32>) -> (tensor<1x8x3xf32>, tensor<1x8x3x16xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.reshape"(%k) : (tensor<1x2x5x16xf32>) -> tensor<1x2x1x5x16xf32>
  %1 = "tcc.broadcast"(%0) : (tensor<1x2x1x5x16xf32>) -> tensor<1x2x4x5x16xf32>
  %2 = "tcc.reshape"(%1) : (tensor<1x2x4x5x16xf32>) -> tensor<1x8x5x16xf32>
  %l = "tcc.attention_logsumexp"(%q, %2, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3xf32>
  %r = "tcc.attention"(%q, %2, %v, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3x16xf32>
  return %l, %r : tensor<1x8x3xf32>, tensor<1x8x3x16xf32>
}

// CHECK-LABEL: func.func @masks
// CHECK: "tcc.attention_logsumexp"(%[[X:.*]], %[[X]], %arg1)
// CHECK: "tcc.attention"(%[[X]], %[[X]], %[[X]], %arg1)
// CHECK: "tcc.attention_logsumexp"(%[[X]], %[[X]], %[[NONE:.*]]) {causal = true, offset = [0]
// CHECK: "tcc.attention"(%[[X]], %[[X]], %[[X]], %[[NONE]]) {causal = true, offset = [0]
func.func @masks(%x: tensor<3x4x8x16xf32>, %m: tensor<3x1x1x8xi1>) -> (tensor<3x4x8xf32>, tensor<3x4x8x16xf32>, tensor<3x4x8xf32>, tensor<3x4x8x16xf32>) {
  %0 = "tcc.broadcast"(%m) : (tensor<3x1x1x8xi1>) -> tensor<3x1x8x8xi1>
  %l0 = "tcc.attention_logsumexp"(%x, %x, %0) {scale = 1.0 : f64} : (tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x1x8x8xi1>) -> tensor<3x4x8xf32>
  %r0 = "tcc.attention"(%x, %x, %x, %0) {scale = 1.0 : f64} : (tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x1x8x8xi1>) -> tensor<3x4x8x16xf32>
  %t = "tcc.weight"() {name = "m", source = 0 : i64, offset = 0 : i64, length = 256 : i64, triangle = [0], inside = 0.0 : f64, outside = -3.0e38 : f64} : () -> tensor<1x1x8x8xf32>
  %l1 = "tcc.attention_logsumexp"(%x, %x, %t) {scale = 1.0 : f64} : (tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<3x4x8xf32>
  %r1 = "tcc.attention"(%x, %x, %x, %t) {scale = 1.0 : f64} : (tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<3x4x8x16xf32>, tensor<1x1x8x8xf32>) -> tensor<3x4x8x16xf32>
  return %l0, %r0, %l1, %r1 : tensor<3x4x8xf32>, tensor<3x4x8x16xf32>, tensor<3x4x8xf32>, tensor<3x4x8x16xf32>
}
