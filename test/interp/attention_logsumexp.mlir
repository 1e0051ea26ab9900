// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// The logarithms of the sums of an attention's rows, directly and through their expansion: grouped heads, a cap and an additive mask, rows without a
// visible key by a mask and by an offset, no keys at all, and operands of 16 bits, whose result has 32.
func.func @main() -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>) {
  %q = "tcc.constant"() {value = dense<[[[[0.0, 0.4], [0.5, 0.9]], [[0.3, -0.1], [-0.3, 1.1]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %k = "tcc.constant"() {value = dense<[[[[-2.3, -0.1], [0.0, -1.4], [0.3, -0.7]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %none = "tcc.none"() : () -> none
  // CHECK: output 0: 1x2x2xf32 = 0.957563 0.619051 1.05346 {{0.89606[78]$}}
  %0 = "tcc.attention_logsumexp"(%q, %k, %none) {scale = 0.5 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, none) -> tensor<1x2x2xf32>
  // CHECK: output 1: 1x2x2xf32 = 0.930466 0.37308 1.2935 0.980989{{$}}
  %soft = "tcc.constant"() {value = dense<[[[[0.0, 1.0, -1.0]]]]> : tensor<1x1x1x3xf32>} : () -> tensor<1x1x1x3xf32>
  %1 = "tcc.attention_logsumexp"(%q, %k, %soft) {scale = 1.0 : f64, softcap = 2.0 : f64, causal = true, offset = [1]} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x2xf32>
  // CHECK: output 2: 1x2x2xf32 = 0.54033 -inf 0.51887 -inf{{$}}
  %seen = "tcc.constant"() {value = dense<[[true, false, true], [false, false, false]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %2 = "tcc.attention_logsumexp"(%q, %k, %seen) {scale = 1.0 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xi1>) -> tensor<1x2x2xf32>
  // CHECK: output 3: 1x2x2xf32 = -inf -1.24 -inf 0.58{{$}}
  %3 = "tcc.attention_logsumexp"(%q, %k, %none) {scale = 1.0 : f64, causal = true, offset = [-1]} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, none) -> tensor<1x2x2xf32>
  // CHECK: output 4: 1x2x2xf32 = -inf -inf -inf -inf{{$}}
  %k0 = "tcc.slice"(%k) {starts = [0, 0, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<1x1x3x2xf32>) -> tensor<1x1x0x2xf32>
  %4 = "tcc.attention_logsumexp"(%q, %k0, %none) {scale = 1.0 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x0x2xf32>, none) -> tensor<1x2x2xf32>
  // CHECK: output 5: 1x2x2xf32 = 1.09861 1.09861 1.09861 1.09861{{$}}
  %h = "tcc.constant"() {value = dense<0.0> : tensor<1x2x2x2xf16>} : () -> tensor<1x2x2x2xf16>
  %g = "tcc.convert"(%k) : (tensor<1x1x3x2xf32>) -> tensor<1x1x3x2xf16>
  %5 = "tcc.attention_logsumexp"(%h, %g, %none) {scale = 1.0 : f64} : (tensor<1x2x2x2xf16>, tensor<1x1x3x2xf16>, none) -> tensor<1x2x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>
}
