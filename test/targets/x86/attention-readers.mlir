// RUN: tcc-opt --tcc-fuse %s | FileCheck %s
// RUN: tcc-run --no-cache --random %s | FileCheck %s --check-prefix=RESULT

// An attention kernel writes its tiles as they are: what reads its result elementwise is another kernel.
// CHECK: tcc.kernel = "attention"
// CHECK: tcc.kernel = "map"
// RESULT: f32[1x2x5x8]
func.func @main(%q: tensor<1x2x5x8xf32> {tcc.name = "q"}, %k: tensor<1x2x7x8xf32> {tcc.name = "k"}, %v: tensor<1x2x7x8xf32> {tcc.name = "v"}) -> (tensor<1x2x5x8xf32> {tcc.name = "r"}) {
  %none = "tcc.none"() : () -> none
  %a = "tcc.attention"(%q, %k, %v, %none) {scale = 0.5} : (tensor<1x2x5x8xf32>, tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>, none) -> tensor<1x2x5x8xf32>
  %r = "tcc.relu"(%a) : (tensor<1x2x5x8xf32>) -> tensor<1x2x5x8xf32>
  return %r : tensor<1x2x5x8xf32>
}
