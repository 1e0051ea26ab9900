// RUN: %if optimised %{ bash -c 'for n in 1 3; do for h in 1 8 17; do rm -rf %t; tcc-run %s --random=1 --dim=N=$n --dim=H=$h --target=reference --save=%t && for m in sapphirerapids cooperlake; do LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=N=$n --dim=H=$h --target=x86,$m --data=%t --check || exit 1; done; done; done' %}
// RUN: tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout" %s | FileCheck %s
// REQUIRES: avx512

// Images in blocks behind a call, and gradients of weights, of images whose number and height are known at run time.
// CHECK: call @layer({{.*}}tensor<?x2x?x15x16xbf16, ["N", 2, "floordiv(H + 1, 2)", 15, 16]>, tensor<32x32x3x3xbf16>) -> (tensor<?x2x?x15x16xbf16, ["N", 2, "floordiv(H + 1, 2)", 15, 16]>, tensor<32xf32>)
// CHECK-COUNT-2: tcc.dot_general
// CHECK-NOT: tcc.conv_filter_grad
func.func @main(%x: tensor<?x3x?x30xbf16, ["N", 3, "H", 30]>, %w0: tensor<32x3x3x3xbf16>, %w1: tensor<32x32x3x3xbf16>) -> (tensor<32x3x3x3xbf16>, tensor<32x32x3x3xbf16>, tensor<32xf32>) {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w0, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x?x30xbf16, ["N", 3, "H", 30]>, tensor<32x3x3x3xbf16>, none) -> tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>
  %l:2 = func.call @layer(%c, %w1) : (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<32x32x3x3xbf16>) -> (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<32xf32>)
  %r0 = "tcc.conv_filter_grad"(%x, %l#0) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x?x30xbf16, ["N", 3, "H", 30]>, tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>) -> tensor<32x3x3x3xbf16>
  %r1 = "tcc.conv_filter_grad"(%c, %l#0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>) -> tensor<32x32x3x3xbf16>
  return %r0, %r1, %l#1 : tensor<32x3x3x3xbf16>, tensor<32x32x3x3xbf16>, tensor<32xf32>
}
func.func private @layer(%x: tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, %w: tensor<32x32x3x3xbf16>) -> (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<32xf32>) {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<32x32x3x3xbf16>, none) -> tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>
  %r = "tcc.relu"(%c) : (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>) -> tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>
  %f = "tcc.convert"(%r) : (tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>) -> tensor<?x32x?x15xf32, ["N", 32, "floordiv(H + 1, 2)", 15]>
  %s = "tcc.reduce"(%f) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<?x32x?x15xf32, ["N", 32, "floordiv(H + 1, 2)", 15]>) -> tensor<32xf32>
  return %r, %s : tensor<?x32x?x15xbf16, ["N", 32, "floordiv(H + 1, 2)", 15]>, tensor<32xf32>
}
