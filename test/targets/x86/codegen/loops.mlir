// The loops around tiles are compiled with tcc and copied as they are: they call what they are given and nothing else.
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-asm --target=x86,avx512 > %t.s
// RUN: FileCheck %s < %t.s
// RUN: sed -n '/^loops_/,/^[a-z0-9]*_/p' %t.s | grep call | FileCheck %s --check-prefix=CALLS --implicit-check-not='callq {{[^*]}}'
// CHECK-COUNT-2: {{^}}loops_{{[0-9a-f]+}}:
// CALLS: callq *
func.func @main(%a: tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32> {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<9216xf32>
  %s = "tcc.sin"(%i) : (tensor<9216xf32>) -> tensor<9216xf32>
  %w = "tcc.reshape"(%s) : (tensor<9216xf32>) -> tensor<32x32x3x3xf32>
  %0 = "tcc.none"() : () -> none
  %1 = "tcc.conv"(%a, %w, %0) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x16x16xf32>, tensor<32x32x3x3xf32>, none) -> tensor<1x32x8x8xf32>
  %2 = "tcc.conv"(%a, %w, %0) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x16x16xf32>, tensor<32x32x3x3xf32>, none) -> tensor<1x32x16x16xf32>
  %3 = "tcc.reduce"(%1) {axes = array<i64: 2, 3>, keepdims = true, kind = "sum"} : (tensor<1x32x8x8xf32>) -> tensor<1x32x1x1xf32>
  %4 = "tcc.add"(%2, %3) : (tensor<1x32x16x16xf32>, tensor<1x32x1x1xf32>) -> tensor<1x32x16x16xf32>
  return %4 : tensor<1x32x16x16xf32>
}
