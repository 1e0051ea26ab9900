// A dilated window of unknown width is likely to stand in a wider image than one that is not: its tile is that of two widths.
// RUN: tcc-explain %s --no-cache --numerics=direct --target=x86,avx512,l1=48K,l2=2M | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=9 --dim=W=17 --save=%t
// RUN: %if avx512 %{ tcc-run %s --numerics=direct --target=x86,avx512,l1=48K,l2=2M --random=1 --dim=H=9 --dim=W=17 --data=%t --check --rtol=1e-3 --atol=2e-3 %}
// CHECK-DAG: x86.conv_blocked/1 pixels=7 vectors=4
// CHECK-DAG: x86.conv_blocked/1 pixels=14 vectors=2
func.func @main(%x: tensor<1x256x?x?xf32, [1, 256, "H", "W"]>) -> (tensor<1x256x?x?xf32, [1, 256, "H", "W"]>, tensor<1x256x?x?xf32, [1, 256, "H", "W"]>) {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<589824xf32>
  %s = "tcc.sin"(%i) : (tensor<589824xf32>) -> tensor<589824xf32>
  %w = "tcc.reshape"(%s) : (tensor<589824xf32>) -> tensor<256x256x3x3xf32>
  %none = "tcc.none"() : () -> none
  %0 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x256x?x?xf32, [1, 256, "H", "W"]>, tensor<256x256x3x3xf32>, none) -> tensor<1x256x?x?xf32, [1, 256, "H", "W"]>
  %1 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<1x256x?x?xf32, [1, 256, "H", "W"]>, tensor<256x256x3x3xf32>, none) -> tensor<1x256x?x?xf32, [1, 256, "H", "W"]>
  return %0, %1 : tensor<1x256x?x?xf32, [1, 256, "H", "W"]>, tensor<1x256x?x?xf32, [1, 256, "H", "W"]>
}
