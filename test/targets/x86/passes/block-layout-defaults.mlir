// A reduction that does not say whether it keeps axes, as is the default: of blocks the sums keep them, and the plain result is made of these.
// RUN: tcc-opt --tcc-block-layout=lanes=16 --target=x86,avx512 %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[Y:.*]] = "tcc.conv_blocked"
// CHECK: %[[S:.*]] = "tcc.reduce"(%[[Y]]) {axes = array<i64: 0, 2, 3>, keepdims = true, kind = "min"} : (tensor<1x4x5x25x16xf32>) -> tensor<1x4x1x1x16xf32>
// CHECK: "tcc.reshape"(%[[S]]) : (tensor<1x4x1x1x16xf32>) -> tensor<1x64x1x1xf32>
func.func @main(%x: tensor<1x89x5x25xf32>) -> tensor<62xf32> {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 22072 : i64} : () -> tensor<62x89x1x1xf32>
  %b = "tcc.weight"() {name = "b", source = 0 : i64, offset = 22072 : i64, length = 248 : i64} : () -> tensor<62xf32>
  %y = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x89x5x25xf32>, tensor<62x89x1x1xf32>, tensor<62xf32>) -> tensor<1x62x5x25xf32>
  %r = "tcc.reduce"(%y) {axes = array<i64: 0, 2, 3>, kind = "min"} : (tensor<1x62x5x25xf32>) -> tensor<62xf32>
  return %r : tensor<62xf32>
}
