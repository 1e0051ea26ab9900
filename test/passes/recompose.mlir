// RUN: tcc-opt %s --tcc-recompose --tcc-simplify --verify-each | FileCheck %s

// CHECK-LABEL: @gelu(
// CHECK: "tcc.gelu"(%arg0) {approximate = "none"}
// CHECK-NEXT: return
func.func @gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = "tcc.constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.div"(%x, %s) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = "tcc.erf"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "tcc.add"(%1, %one) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = "tcc.mul"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "tcc.mul"(%3, %half) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// Another constant is another function.
// CHECK-LABEL: @not_gelu(
// CHECK-NOT: tcc.gelu
// CHECK: "tcc.erf"
// CHECK: return
func.func @not_gelu(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.div"(%x, %s) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = "tcc.erf"(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = "tcc.add"(%1, %one) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %3 = "tcc.mul"(%x, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = "tcc.mul"(%3, %half) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// CHECK-LABEL: @softmax(
// CHECK-NEXT: "tcc.softmax"(%arg0) {axis = 1 : i64}
// CHECK-NEXT: return
func.func @softmax(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]> {
  %0 = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x1xf32, ["B", 1]>
  %1 = "tcc.sub"(%x, %0) : (tensor<?x8xf32, ["B", 8]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x8xf32, ["B", 8]>
  %2 = "tcc.exp"(%1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %3 = "tcc.reduce"(%2) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x1xf32, ["B", 1]>
  %4 = "tcc.div"(%2, %3) : (tensor<?x8xf32, ["B", 8]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x8xf32, ["B", 8]>
  return %4 : tensor<?x8xf32, ["B", 8]>
}

// CHECK-LABEL: @layer_norm(
// CHECK-NEXT: "tcc.layer_norm"(%arg0, %arg1, %arg2) {axis = 1 : i64, eps = 9.99{{.*}}E-6
// CHECK-NEXT: return
func.func @layer_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %eps = "tcc.constant"() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = "tcc.sub"(%x, %0) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = "tcc.mul"(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "tcc.mean"(%2) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = "tcc.add"(%3, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %5 = "tcc.sqrt"(%4) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = "tcc.div"(%1, %5) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %7 = "tcc.mul"(%6, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %8 = "tcc.add"(%7, %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// CHECK-LABEL: @attention(
// CHECK: "tcc.attention"(%arg0, %arg1, %arg2, %{{.*}}) {scale = 2.500000e-01 : f64
// CHECK-NEXT: return
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %kt = "tcc.transpose"(%k) {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %0 = "tcc.matmul"(%q, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %2 = "tcc.softmax"(%1) {axis = 3} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = "tcc.matmul"(%2, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %3 : tensor<2x4x8x16xf32>
}

// Keys transposed at once from [B, S, H, D]: one transpose remains for each operand, a view of the kernel.
// CHECK-LABEL: @attention_keys_by_one_transpose(
// CHECK: %[[K:.*]] = "tcc.transpose"(%arg1) {perm = array<i64: 0, 2, 1, 3>}
// CHECK: "tcc.attention"(%arg0, %[[K]], %arg2, %{{.*}}) {scale = 2.500000e-01 : f64
func.func @attention_keys_by_one_transpose(%q: tensor<2x4x8x16xf32>, %k: tensor<2x8x4x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %kt = "tcc.transpose"(%k) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x16x8xf32>
  %0 = "tcc.matmul"(%q, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %2 = "tcc.softmax"(%1) {axis = 3} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %3 = "tcc.matmul"(%2, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %3 : tensor<2x4x8x16xf32>
}

// Heads that are a part of the batch, as torch.nn.MultiheadAttention writes them: keys transposed at once from [S, B * H, D], with a mask.
// CHECK-LABEL: @attention_of_heads_in_the_batch(
// CHECK-DAG: %[[Q:.*]] = "tcc.reshape"(%arg0) : (tensor<8x10x16xf32>) -> tensor<1x8x10x16xf32>
// CHECK-DAG: %[[T:.*]] = "tcc.transpose"(%arg1) {perm = array<i64: 1, 0, 2>}
// CHECK-DAG: %[[K:.*]] = "tcc.reshape"(%[[T]]) : (tensor<8x12x16xf32>) -> tensor<1x8x12x16xf32>
// CHECK-DAG: %[[M:.*]] = "tcc.reshape"(%arg3) : (tensor<10x12xf32>) -> tensor<1x1x10x12xf32>
// CHECK: %[[A:.*]] = "tcc.attention"(%[[Q]], %[[K]], %{{.*}}, %[[M]]) {scale = 2.500000e-01 : f64
// CHECK-NEXT: "tcc.reshape"(%[[A]]) : (tensor<1x8x10x32xf32>) -> tensor<8x10x32xf32>
// CHECK-NEXT: return
func.func @attention_of_heads_in_the_batch(%q: tensor<8x10x16xf32>, %k: tensor<12x8x16xf32>, %v: tensor<8x12x32xf32>, %m: tensor<10x12xf32>) -> tensor<8x10x32xf32> {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.mul"(%q, %s) : (tensor<8x10x16xf32>, tensor<f32>) -> tensor<8x10x16xf32>
  %kt = "tcc.transpose"(%k) {perm = array<i64: 1, 2, 0>} : (tensor<12x8x16xf32>) -> tensor<8x16x12xf32>
  %1 = "tcc.matmul"(%0, %kt) : (tensor<8x10x16xf32>, tensor<8x16x12xf32>) -> tensor<8x10x12xf32>
  %2 = "tcc.add"(%1, %m) : (tensor<8x10x12xf32>, tensor<10x12xf32>) -> tensor<8x10x12xf32>
  %3 = "tcc.softmax"(%2) {axis = 2} : (tensor<8x10x12xf32>) -> tensor<8x10x12xf32>
  %4 = "tcc.matmul"(%3, %v) : (tensor<8x10x12xf32>, tensor<8x12x32xf32>) -> tensor<8x10x32xf32>
  return %4 : tensor<8x10x32xf32>
}

// The same with the keys' heads apart behind a reshape.
// CHECK-LABEL: @attention_keys_reshaped_behind_a_transpose(
// CHECK: %[[T:.*]] = "tcc.transpose"(%arg1) {perm = array<i64: 1, 0, 2>}
// CHECK: %[[K:.*]] = "tcc.reshape"(%[[T]]) : (tensor<8x12x16xf32>) -> tensor<2x4x12x16xf32>
// CHECK: "tcc.attention"(%arg0, %[[K]], %arg2, %{{.*}}) {scale = 1.000000e+00 : f64
func.func @attention_keys_reshaped_behind_a_transpose(%q: tensor<2x4x10x16xf32>, %k: tensor<12x8x16xf32>, %v: tensor<2x4x12x16xf32>) -> tensor<2x4x10x16xf32> {
  %0 = "tcc.transpose"(%k) {perm = array<i64: 1, 2, 0>} : (tensor<12x8x16xf32>) -> tensor<8x16x12xf32>
  %kt = "tcc.reshape"(%0) : (tensor<8x16x12xf32>) -> tensor<2x4x16x12xf32>
  %1 = "tcc.matmul"(%q, %kt) : (tensor<2x4x10x16xf32>, tensor<2x4x16x12xf32>) -> tensor<2x4x10x12xf32>
  %2 = "tcc.softmax"(%1) {axis = 3} : (tensor<2x4x10x12xf32>) -> tensor<2x4x10x12xf32>
  %3 = "tcc.matmul"(%2, %v) : (tensor<2x4x10x12xf32>, tensor<2x4x12x16xf32>) -> tensor<2x4x10x16xf32>
  return %3 : tensor<2x4x10x16xf32>
}

// A mask for which the heads would have to lie apart is none of theirs.
// CHECK-LABEL: @mask_of_another_rank(
// CHECK-NOT: tcc.attention
func.func @mask_of_another_rank(%q: tensor<8x10x16xf32>, %k: tensor<8x16x12xf32>, %v: tensor<8x12x16xf32>, %m: tensor<2x8x10x12xf32>) -> tensor<2x8x10x16xf32> {
  %0 = "tcc.matmul"(%q, %k) : (tensor<8x10x16xf32>, tensor<8x16x12xf32>) -> tensor<8x10x12xf32>
  %1 = "tcc.add"(%0, %m) : (tensor<8x10x12xf32>, tensor<2x8x10x12xf32>) -> tensor<2x8x10x12xf32>
  %2 = "tcc.softmax"(%1) {axis = 3} : (tensor<2x8x10x12xf32>) -> tensor<2x8x10x12xf32>
  %3 = "tcc.matmul"(%2, %v) : (tensor<2x8x10x12xf32>, tensor<8x12x16xf32>) -> tensor<2x8x10x16xf32>
  return %3 : tensor<2x8x10x16xf32>
}

// CHECK-LABEL: @swish(
// CHECK-NEXT: "tcc.swish"(%arg0)
// CHECK-NEXT: return
func.func @swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.sigmoid"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.mul"(%x, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @rms_norm(
// CHECK-NEXT: "tcc.rms_norm"(%arg0, %arg1) {axis = 1 : i64, eps = 9.99{{.*}}E-7
// CHECK-NEXT: return
func.func @rms_norm(%x: tensor<4x8xf32>, %g: tensor<8xf32>) -> tensor<4x8xf32> {
  %eps = "tcc.constant"() {value = dense<1.0e-6> : tensor<f32>} : () -> tensor<f32>
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.pow"(%x, %two) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = "tcc.mean"(%0) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = "tcc.add"(%1, %eps) : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %3 = "tcc.rsqrt"(%2) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = "tcc.mul"(%x, %3) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = "tcc.mul"(%g, %4) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// Heads of keys and values that are repeated in front of attention are its groups; it keeps what else it says.
// CHECK-LABEL: @grouped_heads(
// CHECK-NEXT: "tcc.attention"(%arg0, %arg1, %arg2, %arg3) {causal = true, scale = 2.500000e-01 : f64, zero_masked = true}
// CHECK-NEXT: return
func.func @grouped_heads(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x?x16xf32, [1, 2, "S", 16]>, %v: tensor<1x2x?x16xf32, [1, 2, "S", 16]>, %m: tensor<1x1x1x?xi1, [1, 1, 1, "S"]>) -> tensor<1x8x3x16xf32> {
  %0 = "tcc.reshape"(%k) : (tensor<1x2x?x16xf32, [1, 2, "S", 16]>) -> tensor<1x2x1x?x16xf32, [1, 2, 1, "S", 16]>
  %1 = "tcc.broadcast"(%0) : (tensor<1x2x1x?x16xf32, [1, 2, 1, "S", 16]>) -> tensor<1x2x4x?x16xf32, [1, 2, 4, "S", 16]>
  %2 = "tcc.reshape"(%1) : (tensor<1x2x4x?x16xf32, [1, 2, 4, "S", 16]>) -> tensor<1x8x?x16xf32, [1, 8, "S", 16]>
  %3 = "tcc.reshape"(%v) : (tensor<1x2x?x16xf32, [1, 2, "S", 16]>) -> tensor<1x2x1x?x16xf32, [1, 2, 1, "S", 16]>
  %4 = "tcc.broadcast"(%3) : (tensor<1x2x1x?x16xf32, [1, 2, 1, "S", 16]>) -> tensor<1x2x4x?x16xf32, [1, 2, 4, "S", 16]>
  %5 = "tcc.reshape"(%4) : (tensor<1x2x4x?x16xf32, [1, 2, 4, "S", 16]>) -> tensor<1x8x?x16xf32, [1, 8, "S", 16]>
  %6 = "tcc.attention"(%q, %2, %5, %m) {scale = 0.25 : f64, causal = true, zero_masked = true} : (tensor<1x8x3x16xf32>, tensor<1x8x?x16xf32, [1, 8, "S", 16]>, tensor<1x8x?x16xf32, [1, 8, "S", 16]>, tensor<1x1x1x?xi1, [1, 1, 1, "S"]>) -> tensor<1x8x3x16xf32>
  return %6 : tensor<1x8x3x16xf32>
}

// Keys that are repeated beside values that are not, and heads that are repeated as a whole (head h reads h mod 2), stay.
// CHECK-LABEL: @ungrouped_heads(
// CHECK-COUNT-3: "tcc.broadcast"
// CHECK: return
func.func @ungrouped_heads(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x5x16xf32>, %v: tensor<1x8x5x16xf32>) -> (tensor<1x8x3x16xf32>, tensor<1x8x3x16xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.reshape"(%k) : (tensor<1x2x5x16xf32>) -> tensor<1x2x1x5x16xf32>
  %1 = "tcc.broadcast"(%0) : (tensor<1x2x1x5x16xf32>) -> tensor<1x2x4x5x16xf32>
  %2 = "tcc.reshape"(%1) : (tensor<1x2x4x5x16xf32>) -> tensor<1x8x5x16xf32>
  %3 = "tcc.attention"(%q, %2, %v, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3x16xf32>
  %4 = "tcc.reshape"(%k) : (tensor<1x2x5x16xf32>) -> tensor<1x1x2x5x16xf32>
  %5 = "tcc.broadcast"(%4) : (tensor<1x1x2x5x16xf32>) -> tensor<1x4x2x5x16xf32>
  %6 = "tcc.reshape"(%5) : (tensor<1x4x2x5x16xf32>) -> tensor<1x8x5x16xf32>
  %7 = "tcc.neg"(%k) : (tensor<1x2x5x16xf32>) -> tensor<1x2x5x16xf32>
  %8 = "tcc.reshape"(%7) : (tensor<1x2x5x16xf32>) -> tensor<1x1x2x5x16xf32>
  %9 = "tcc.broadcast"(%8) : (tensor<1x1x2x5x16xf32>) -> tensor<1x4x2x5x16xf32>
  %10 = "tcc.reshape"(%9) : (tensor<1x4x2x5x16xf32>) -> tensor<1x8x5x16xf32>
  %11 = "tcc.attention"(%q, %6, %10, %none) {scale = 0.25 : f64} : (tensor<1x8x3x16xf32>, tensor<1x8x5x16xf32>, tensor<1x8x5x16xf32>, none) -> tensor<1x8x3x16xf32>
  return %3, %11 : tensor<1x8x3x16xf32>, tensor<1x8x3x16xf32>
}

// CHECK-LABEL: @rotary(
// CHECK: %[[C:.*]] = "tcc.cos"({{.*}}) : (tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
// CHECK: %[[S:.*]] = "tcc.sin"({{.*}}) : (tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
// CHECK: "tcc.rotary_embedding"(%arg0, %[[C]], %[[S]])
// CHECK: return
func.func @rotary(%x: tensor<2x4x5x16xf32>, %t: tensor<1x1x5x8xf32>) -> tensor<2x4x5x16xf32> {
  %0 = "tcc.concat"(%t, %t) {axis = 3 : i64} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) -> tensor<1x1x5x16xf32>
  %c = "tcc.cos"(%0) : (tensor<1x1x5x16xf32>) -> tensor<1x1x5x16xf32>
  %s = "tcc.sin"(%0) : (tensor<1x1x5x16xf32>) -> tensor<1x1x5x16xf32>
  %low = "tcc.slice"(%x) {starts = [0, 0, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x4x5x16xf32>) -> tensor<2x4x5x8xf32>
  %high = "tcc.slice"(%x) {starts = [0, 0, 0, 8], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x4x5x16xf32>) -> tensor<2x4x5x8xf32>
  %neg = "tcc.neg"(%high) : (tensor<2x4x5x8xf32>) -> tensor<2x4x5x8xf32>
  %turned = "tcc.concat"(%neg, %low) {axis = 3 : i64} : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<2x4x5x16xf32>
  %1 = "tcc.mul"(%x, %c) : (tensor<2x4x5x16xf32>, tensor<1x1x5x16xf32>) -> tensor<2x4x5x16xf32>
  %2 = "tcc.mul"(%turned, %s) : (tensor<2x4x5x16xf32>, tensor<1x1x5x16xf32>) -> tensor<2x4x5x16xf32>
  %3 = "tcc.add"(%1, %2) : (tensor<2x4x5x16xf32>, tensor<2x4x5x16xf32>) -> tensor<2x4x5x16xf32>
  return %3 : tensor<2x4x5x16xf32>
}

// Positions in front of heads: tables that differ along axis 1 are not those of tcc.rotary_embedding.
// CHECK-LABEL: @rotary_before_heads(
// CHECK-NOT: tcc.rotary_embedding
// CHECK: return
func.func @rotary_before_heads(%x: tensor<2x5x4x16xf32>, %t: tensor<1x5x1x8xf32>) -> tensor<2x5x4x16xf32> {
  %0 = "tcc.concat"(%t, %t) {axis = 3 : i64} : (tensor<1x5x1x8xf32>, tensor<1x5x1x8xf32>) -> tensor<1x5x1x16xf32>
  %c = "tcc.cos"(%0) : (tensor<1x5x1x16xf32>) -> tensor<1x5x1x16xf32>
  %s = "tcc.sin"(%0) : (tensor<1x5x1x16xf32>) -> tensor<1x5x1x16xf32>
  %low = "tcc.slice"(%x) {starts = [0, 0, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x5x4x16xf32>) -> tensor<2x5x4x8xf32>
  %high = "tcc.slice"(%x) {starts = [0, 0, 0, 8], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x5x4x16xf32>) -> tensor<2x5x4x8xf32>
  %neg = "tcc.neg"(%high) : (tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32>
  %turned = "tcc.concat"(%neg, %low) {axis = 3 : i64} : (tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>) -> tensor<2x5x4x16xf32>
  %1 = "tcc.mul"(%x, %c) : (tensor<2x5x4x16xf32>, tensor<1x5x1x16xf32>) -> tensor<2x5x4x16xf32>
  %2 = "tcc.mul"(%turned, %s) : (tensor<2x5x4x16xf32>, tensor<1x5x1x16xf32>) -> tensor<2x5x4x16xf32>
  %3 = "tcc.add"(%1, %2) : (tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>) -> tensor<2x5x4x16xf32>
  return %3 : tensor<2x5x4x16xf32>
}
