// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=5e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=5e-3 --atol=2e-3
// REQUIRES: avx2

// Weights are relative to a score that a later block may exceed by some powers of two; by more, and sums and results follow it. Scores
// that never move it, scores that move it in some lanes of a block and not in others, queries whose first keys are all masked.
func.func @main(%q: tensor<1x2x70x20xf32>, %k: tensor<1x2x700x20xf32>, %v: tensor<1x2x700x24xf32>, %m: tensor<70x700xf32>)
    -> (tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>) {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.05 : f64} : (tensor<1x2x70x20xf32>, tensor<1x2x700x20xf32>, tensor<1x2x700x24xf32>, none) -> tensor<1x2x70x24xf32>
  %1 = "tcc.attention"(%q, %k, %v, %n) {scale = 6.0 : f64} : (tensor<1x2x70x20xf32>, tensor<1x2x700x20xf32>, tensor<1x2x700x24xf32>, none) -> tensor<1x2x70x24xf32>
  %2 = "tcc.attention"(%q, %k, %v, %n) {scale = 3.0 : f64, causal = true, offset = [400]} : (tensor<1x2x70x20xf32>, tensor<1x2x700x20xf32>, tensor<1x2x700x24xf32>, none) -> tensor<1x2x70x24xf32>
  %3 = "tcc.attention"(%q, %k, %v, %m) {scale = 6.0 : f64} : (tensor<1x2x70x20xf32>, tensor<1x2x700x20xf32>, tensor<1x2x700x24xf32>, tensor<70x700xf32>) -> tensor<1x2x70x24xf32>
  %c = "tcc.iota"() {axis = 3 : i64} : () -> tensor<1x1x1x700xi32>
  %f = "tcc.constant"() {value = dense<500> : tensor<i32>} : () -> tensor<i32>
  %late = "tcc.compare"(%c, %f) {predicate = "gt"} : (tensor<1x1x1x700xi32>, tensor<i32>) -> tensor<1x1x1x700xi1>
  %4 = "tcc.attention"(%q, %k, %v, %late) {scale = 4.0 : f64} : (tensor<1x2x70x20xf32>, tensor<1x2x700x20xf32>, tensor<1x2x700x24xf32>, tensor<1x1x1x700xi1>) -> tensor<1x2x70x24xf32>
  return %0, %1, %2, %3, %4 : tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>, tensor<1x2x70x24xf32>
}
