// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --rtol=0.016 %}
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,cooperlake --data=%t --check --rtol=0.016 %}
// RUN: tcc-run %s --random=1 --target=x86,cascadelake --data=%t --check --rtol=0.016
// RUN: tcc-opt --target=x86,sapphirerapids --pass-pipeline="import,tcc-block-layout" %s | FileCheck %s
// RUN: tcc-opt --target=x86,sapphirerapids --pipeline=default %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=CODE
// REQUIRES: avx512

// What the backward of a convolutional network does to images in blocks leaves them so: gradients of weights (of a first layer by the phases of its image;
// made wide in front of their reorder, from unrounded sums), values behind barriers, sums without the image's axes, means that are spread out, the gradient of
// a pool, phases put together, and calls: a layer has the layout of its first call. Nothing but what is given or returned is plain, and the gradient of a pool
// between its planes.
// CHECK-LABEL: func.func @main
// CHECK: tcc.barrier{{.*}}tensor<2x2x9x15x16xbf16>
// CHECK-NEXT: %{{.*}}:2 = call @layer({{.*}}(tensor<2x2x9x15x16xbf16>, tensor<32x32x1x1xbf16>) -> (tensor<2x2x9x15x16xbf16>, tensor<32xf32>)
// CHECK: call @layer({{.*}}(tensor<2x2x9x15x16xbf16>, tensor<32x32x1x1xbf16>) -> (tensor<2x2x9x15x16xbf16>, tensor<32xf32>)
// CHECK: tcc.unfold{{.*}}(tensor<2x1x12x18x16xbf16>) -> tensor<2x1x4x4x1x9x15x16xbf16>
// CHECK: tcc.dot_general{{.*}}(tensor<2x2x9x15x16xbf16>, tensor<2x1x4x4x1x9x15x16xbf16>) -> tensor<2x16x1x4x4x1x16xbf16>
// CHECK: tcc.dot_general{{.*}}(tensor<2x2x9x15x16xbf16>, tensor<2x2x1x1x1x9x15x16xbf16>)
// CHECK-NEXT: tcc.convert{{.*}}(tensor<2x16x2x1x1x1x16xbf16>) -> tensor<2x16x2x1x1x1x16xf32>
// CHECK: tcc.dot_general{{.*}}(tensor<2x1x5x8x16xbf16>, tensor<2x2x3x3x1x5x8x16xbf16>)
// CHECK: tcc.pool_grad
// CHECK: tcc.mul{{.*}}tensor<2x2x9x15x16xbf16>
// CHECK: tcc.broadcast{{.*}}tensor<2x2x9x15x16xbf16>
// CHECK: tcc.mul{{.*}}(tensor<2x2x9x15x16xbf16>, tensor<2x2x1x1x16xbf16>)
// CHECK: tcc.concat{{.*}}tensor<2x2x9x15x2x16xbf16>
// CHECK: tcc.pad{{.*}}tensor<2x2x9x2x30x16xbf16>
// CHECK-NEXT: tcc.reshape{{.*}}tensor<2x2x18x30x16xbf16>
// CHECK: tcc.conv_blocked{{.*}}tensor<2x2x18x30x16xbf16>
// CHECK-NOT: tcc.conv_filter_grad
// CHECK-LABEL: func.func private @layer(%arg0: tensor<2x2x9x15x16xbf16>
// CHECK: tcc.reduce{{.*}}(tensor<2x2x9x15x16xf32>) -> tensor<1x2x1x1x16xf32>
// CHECK: return {{.*}}tensor<2x2x9x15x16xbf16>, tensor<32xf32>
// CODE: tdpbf16ps
func.func @main(%x: tensor<2x3x18x30xbf16>, %w0: tensor<32x3x7x7xbf16>, %w1: tensor<32x32x1x1xbf16>, %g: tensor<2x32x9x15xbf16>, %g2: tensor<2x16x5x8xbf16>, %gp: tensor<2x32x4x7xbf16>, %n: tensor<2x32x1x1xbf16>) -> (tensor<32x3x7x7xbf16>, tensor<32x32x1x1xf32>, tensor<16x32x3x3xbf16>, tensor<2x32x18x30xbf16>, tensor<32xf32>, tensor<32xf32>) {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w0, %none) {strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x18x30xbf16>, tensor<32x3x7x7xbf16>, none) -> tensor<2x32x9x15xbf16>
  %b = "tcc.barrier"(%c) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %l:2 = func.call @layer(%c, %w1) : (tensor<2x32x9x15xbf16>, tensor<32x32x1x1xbf16>) -> (tensor<2x32x9x15xbf16>, tensor<32xf32>)
  %m:2 = func.call @layer(%g, %w1) : (tensor<2x32x9x15xbf16>, tensor<32x32x1x1xbf16>) -> (tensor<2x32x9x15xbf16>, tensor<32xf32>)
  %d = "tcc.add"(%l#0, %b) : (tensor<2x32x9x15xbf16>, tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %r0 = "tcc.conv_filter_grad"(%x, %d) {kernel = array<i64: 7, 7>, strides = array<i64: 2, 2>, pads = array<i64: 3, 3, 3, 3>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x18x30xbf16>, tensor<2x32x9x15xbf16>) -> tensor<32x3x7x7xbf16>
  %r1 = "tcc.conv_filter_grad"(%d, %m#0) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x15xbf16>, tensor<2x32x9x15xbf16>) -> tensor<32x32x1x1xbf16>
  %r2 = "tcc.conv_filter_grad"(%d, %g2) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x15xbf16>, tensor<2x16x5x8xbf16>) -> tensor<16x32x3x3xbf16>
  %r1w = "tcc.convert"(%r1) : (tensor<32x32x1x1xbf16>) -> tensor<32x32x1x1xf32>
  %q = "tcc.pool_grad"(%d, %gp) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = true} : (tensor<2x32x9x15xbf16>, tensor<2x32x4x7xbf16>) -> tensor<2x32x9x15xbf16>
  %s = "tcc.mul"(%q, %d) : (tensor<2x32x9x15xbf16>, tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %v = "tcc.broadcast"(%n) : (tensor<2x32x1x1xbf16>) -> tensor<2x32x9x15xbf16>
  %u = "tcc.sigmoid"(%v) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %y = "tcc.add"(%s, %u) : (tensor<2x32x9x15xbf16>, tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %y1 = "tcc.mul"(%y, %n) : (tensor<2x32x9x15xbf16>, tensor<2x32x1x1xbf16>) -> tensor<2x32x9x15xbf16>
  %z = "tcc.conv"(%y1, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x15xbf16>, tensor<32x32x1x1xbf16>, none) -> tensor<2x32x9x15xbf16>
  %p0 = "tcc.reshape"(%z) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15x1xbf16>
  %p1 = "tcc.reshape"(%y1) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15x1xbf16>
  %p2 = "tcc.concat"(%p0, %p1) {axis = 4 : i64} : (tensor<2x32x9x15x1xbf16>, tensor<2x32x9x15x1xbf16>) -> tensor<2x32x9x15x2xbf16>
  %p3 = "tcc.reshape"(%p2) : (tensor<2x32x9x15x2xbf16>) -> tensor<2x32x9x1x30xbf16>
  %p4 = "tcc.pad"(%p3, %none) {low = [0, 0, 0, 0, 0], high = [0, 0, 0, 1, 0], mode = "constant"} : (tensor<2x32x9x1x30xbf16>, none) -> tensor<2x32x9x2x30xbf16>
  %p5 = "tcc.reshape"(%p4) : (tensor<2x32x9x2x30xbf16>) -> tensor<2x32x18x30xbf16>
  %e = "tcc.conv"(%p5, %w1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x18x30xbf16>, tensor<32x32x1x1xbf16>, none) -> tensor<2x32x18x30xbf16>
  return %r0, %r1w, %r2, %e, %l#1, %m#1 : tensor<32x3x7x7xbf16>, tensor<32x32x1x1xf32>, tensor<16x32x3x3xbf16>, tensor<2x32x18x30xbf16>, tensor<32xf32>, tensor<32xf32>
}
func.func private @layer(%x: tensor<2x32x9x15xbf16>, %w: tensor<32x32x1x1xbf16>) -> (tensor<2x32x9x15xbf16>, tensor<32xf32>) {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x9x15xbf16>, tensor<32x32x1x1xbf16>, none) -> tensor<2x32x9x15xbf16>
  %r = "tcc.relu"(%c) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xbf16>
  %f = "tcc.convert"(%r) : (tensor<2x32x9x15xbf16>) -> tensor<2x32x9x15xf32>
  %s = "tcc.reduce"(%f) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<2x32x9x15xf32>) -> tensor<32xf32>
  return %r, %s : tensor<2x32x9x15xbf16>, tensor<32xf32>
}
