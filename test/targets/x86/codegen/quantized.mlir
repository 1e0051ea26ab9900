// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-opt %s --pipeline=default --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// Dequantised operands meet as bytes: scales of columns, both zero points, signed bytes on the left, a linear layer with bias, two
// tensors that are no weights. Sums of a convolution of bytes are read as floats. Recurrent weights in bytes are read as such at
// each step, with a zero point, and a scale of each direction. Against the interpreter.
// CHECK-DAG: "tcc.dot_general"({{.*}}) {{.*}} : (tensor<{{.*}}xui8>, tensor<{{.*}}xi8>) -> tensor<{{.*}}xi32>
// CHECK-DAG: "tcc.conv_blocked"({{.*}}) {{.*}} : {{.*}}xf32
// CHECK-DAG: func.func private @k{{.*}}(%arg0: tensor<1x24xf32>, %arg1: tensor<24x96xi8>
func.func @main() -> (tensor<37x29xf32>, tensor<37x29xf32>, tensor<37x41xf32>, tensor<3x37x37xf32>, tensor<1x20x9x11xf32>, tensor<7x2x1x24xf32>) {
  %seven = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %eleven = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %many = "tcc.constant"() {value = dense<251> : tensor<i64>} : () -> tensor<i64>
  %middle = "tcc.constant"() {value = dense<125> : tensor<i64>} : () -> tensor<i64>

  // Activations [37, 53] in ui8 and i8, weights [53, 29] in i8, [41, 53] in ui8.
  %x0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<37x53xi64>
  %x1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<37x53xi64>
  %x2 = "tcc.mul"(%x0, %seven) : (tensor<37x53xi64>, tensor<i64>) -> tensor<37x53xi64>
  %x3 = "tcc.mul"(%x1, %eleven) : (tensor<37x53xi64>, tensor<i64>) -> tensor<37x53xi64>
  %x4 = "tcc.add"(%x2, %x3) : (tensor<37x53xi64>, tensor<37x53xi64>) -> tensor<37x53xi64>
  %x5 = "tcc.mod"(%x4, %many) : (tensor<37x53xi64>, tensor<i64>) -> tensor<37x53xi64>
  %xu = "tcc.convert"(%x5) : (tensor<37x53xi64>) -> tensor<37x53xui8>
  %x6 = "tcc.sub"(%x5, %middle) : (tensor<37x53xi64>, tensor<i64>) -> tensor<37x53xi64>
  %xs = "tcc.convert"(%x6) : (tensor<37x53xi64>) -> tensor<37x53xi8>
  %w0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<53x29xi64>
  %w1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<53x29xi64>
  %w2 = "tcc.mul"(%w0, %eleven) : (tensor<53x29xi64>, tensor<i64>) -> tensor<53x29xi64>
  %w3 = "tcc.mul"(%w1, %w1) : (tensor<53x29xi64>, tensor<53x29xi64>) -> tensor<53x29xi64>
  %w4 = "tcc.add"(%w2, %w3) : (tensor<53x29xi64>, tensor<53x29xi64>) -> tensor<53x29xi64>
  %w5 = "tcc.mod"(%w4, %many) : (tensor<53x29xi64>, tensor<i64>) -> tensor<53x29xi64>
  %w6 = "tcc.sub"(%w5, %middle) : (tensor<53x29xi64>, tensor<i64>) -> tensor<53x29xi64>
  %w = "tcc.convert"(%w6) : (tensor<53x29xi64>) -> tensor<53x29xi8>
  %v0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<41x53xi64>
  %v1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<41x53xi64>
  %v2 = "tcc.mul"(%v0, %v1) : (tensor<41x53xi64>, tensor<41x53xi64>) -> tensor<41x53xi64>
  %v3 = "tcc.mod"(%v2, %many) : (tensor<41x53xi64>, tensor<i64>) -> tensor<41x53xi64>
  %v = "tcc.convert"(%v3) : (tensor<41x53xi64>) -> tensor<41x53xui8>

  // (xu - 117) * 0.03 times w * a scale a column.
  %zero = "tcc.constant"() {value = dense<117> : tensor<ui8>} : () -> tensor<ui8>
  %zero_f = "tcc.convert"(%zero) : (tensor<ui8>) -> tensor<f32>
  %scale = "tcc.constant"() {value = dense<0.03> : tensor<f32>} : () -> tensor<f32>
  %a0 = "tcc.convert"(%xu) : (tensor<37x53xui8>) -> tensor<37x53xf32>
  %a1 = "tcc.sub"(%a0, %zero_f) : (tensor<37x53xf32>, tensor<f32>) -> tensor<37x53xf32>
  %a = "tcc.mul"(%a1, %scale) : (tensor<37x53xf32>, tensor<f32>) -> tensor<37x53xf32>
  %columns0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29xi64>
  %columns1 = "tcc.convert"(%columns0) : (tensor<29xi64>) -> tensor<29xf32>
  %columns = "tcc.exp"(%scale) : (tensor<f32>) -> tensor<f32>
  %columns2 = "tcc.mul"(%columns1, %columns) : (tensor<29xf32>, tensor<f32>) -> tensor<29xf32>
  %b0 = "tcc.convert"(%w) : (tensor<53x29xi8>) -> tensor<53x29xf32>
  %b = "tcc.mul"(%b0, %columns2) : (tensor<53x29xf32>, tensor<29xf32>) -> tensor<53x29xf32>
  %r0 = "tcc.matmul"(%a, %b) : (tensor<37x53xf32>, tensor<53x29xf32>) -> tensor<37x29xf32>

  // Signed bytes on the left, no zero point, one scale on the right.
  %c0 = "tcc.convert"(%xs) : (tensor<37x53xi8>) -> tensor<37x53xf32>
  %c = "tcc.mul"(%scale, %c0) : (tensor<f32>, tensor<37x53xf32>) -> tensor<37x53xf32>
  %d = "tcc.mul"(%b0, %scale) : (tensor<53x29xf32>, tensor<f32>) -> tensor<53x29xf32>
  %r1 = "tcc.matmul"(%c, %d) : (tensor<37x53xf32>, tensor<53x29xf32>) -> tensor<37x29xf32>

  // A linear layer: unsigned weights [41, 53] with a zero point of their own, a scale a row, a bias.
  %other = "tcc.constant"() {value = dense<131> : tensor<ui8>} : () -> tensor<ui8>
  %other_f = "tcc.convert"(%other) : (tensor<ui8>) -> tensor<f32>
  %bias0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<41xi64>
  %bias = "tcc.convert"(%bias0) : (tensor<41xi64>) -> tensor<41xf32>
  %rows = "tcc.reshape"(%bias) : (tensor<41xf32>) -> tensor<41x1xf32>
  %e0 = "tcc.convert"(%v) : (tensor<41x53xui8>) -> tensor<41x53xf32>
  %e1 = "tcc.sub"(%e0, %other_f) : (tensor<41x53xf32>, tensor<f32>) -> tensor<41x53xf32>
  %e = "tcc.mul"(%e1, %rows) : (tensor<41x53xf32>, tensor<41x1xf32>) -> tensor<41x53xf32>
  %r2 = "tcc.linear"(%a, %e, %bias) : (tensor<37x53xf32>, tensor<41x53xf32>, tensor<41xf32>) -> tensor<37x41xf32>

  // Two tensors of unsigned bytes, quantised on the way, the right one transposed behind it; a batch.
  %f0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3x37x53xi64>
  %f1 = "tcc.convert"(%f0) : (tensor<3x37x53xi64>) -> tensor<3x37x53xf32>
  %f2 = "tcc.add"(%f1, %a) : (tensor<3x37x53xf32>, tensor<37x53xf32>) -> tensor<3x37x53xf32>
  %f3 = "tcc.div"(%f2, %scale) : (tensor<3x37x53xf32>, tensor<f32>) -> tensor<3x37x53xf32>
  %f4 = "tcc.round"(%f3) : (tensor<3x37x53xf32>) -> tensor<3x37x53xf32>
  %f5 = "tcc.add"(%f4, %zero_f) : (tensor<3x37x53xf32>, tensor<f32>) -> tensor<3x37x53xf32>
  %least = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %most = "tcc.constant"() {value = dense<255.0> : tensor<f32>} : () -> tensor<f32>
  %f6 = "tcc.clamp"(%f5, %least, %most) : (tensor<3x37x53xf32>, tensor<f32>, tensor<f32>) -> tensor<3x37x53xf32>
  %f7 = "tcc.convert"(%f6) : (tensor<3x37x53xf32>) -> tensor<3x37x53xui8>
  %f8 = "tcc.convert"(%f7) : (tensor<3x37x53xui8>) -> tensor<3x37x53xf32>
  %f9 = "tcc.sub"(%f8, %zero_f) : (tensor<3x37x53xf32>, tensor<f32>) -> tensor<3x37x53xf32>
  %f = "tcc.mul"(%f9, %scale) : (tensor<3x37x53xf32>, tensor<f32>) -> tensor<3x37x53xf32>
  %g = "tcc.transpose"(%f) {perm = array<i64: 0, 2, 1>} : (tensor<3x37x53xf32>) -> tensor<3x53x37xf32>
  %r3 = "tcc.matmul"(%f, %g) : (tensor<3x37x53xf32>, tensor<3x53x37xf32>) -> tensor<3x37x37xf32>

  // A convolution of bytes whose sums, with a bias in i32, become floats.
  %i0 = "tcc.iota"() {axis = 3 : i64} : () -> tensor<1x19x9x11xi64>
  %i1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x19x9x11xi64>
  %i2 = "tcc.mul"(%i0, %i1) : (tensor<1x19x9x11xi64>, tensor<1x19x9x11xi64>) -> tensor<1x19x9x11xi64>
  %i3 = "tcc.mod"(%i2, %many) : (tensor<1x19x9x11xi64>, tensor<i64>) -> tensor<1x19x9x11xi64>
  %i4 = "tcc.convert"(%i3) : (tensor<1x19x9x11xi64>) -> tensor<1x19x9x11xui8>
  %i5 = "tcc.convert"(%i4) : (tensor<1x19x9x11xui8>) -> tensor<1x19x9x11xi32>
  %i6 = "tcc.convert"(%zero) : (tensor<ui8>) -> tensor<i32>
  %i7 = "tcc.sub"(%i5, %i6) : (tensor<1x19x9x11xi32>, tensor<i32>) -> tensor<1x19x9x11xi32>
  %j0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20x19x3x3xi64>
  %j1 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<20x19x3x3xi64>
  %j2 = "tcc.mul"(%j0, %j1) : (tensor<20x19x3x3xi64>, tensor<20x19x3x3xi64>) -> tensor<20x19x3x3xi64>
  %j3 = "tcc.convert"(%j2) : (tensor<20x19x3x3xi64>) -> tensor<20x19x3x3xi8>
  %j4 = "tcc.convert"(%j3) : (tensor<20x19x3x3xi8>) -> tensor<20x19x3x3xi32>
  %none = "tcc.none"() : () -> none
  %k0 = "tcc.conv"(%i7, %j4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x19x9x11xi32>, tensor<20x19x3x3xi32>, none) -> tensor<1x20x9x11xi32>
  %k1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x20x1x1xi64>
  %k2 = "tcc.convert"(%k1) : (tensor<1x20x1x1xi64>) -> tensor<1x20x1x1xi32>
  %k3 = "tcc.add"(%k0, %k2) : (tensor<1x20x9x11xi32>, tensor<1x20x1x1xi32>) -> tensor<1x20x9x11xi32>
  %k4 = "tcc.convert"(%k3) : (tensor<1x20x9x11xi32>) -> tensor<1x20x9x11xf32>
  %r4 = "tcc.mul"(%k4, %scale) : (tensor<1x20x9x11xf32>, tensor<f32>) -> tensor<1x20x9x11xf32>

  // An LSTM of 7 steps, both directions, weights [2, inputs, gates] in bytes.
  %l0 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<7x1x16xi64>
  %l1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<7x1x16xi64>
  %l2 = "tcc.mul"(%l0, %l1) : (tensor<7x1x16xi64>, tensor<7x1x16xi64>) -> tensor<7x1x16xi64>
  %l3 = "tcc.mod"(%l2, %seven) : (tensor<7x1x16xi64>, tensor<i64>) -> tensor<7x1x16xi64>
  %l4 = "tcc.convert"(%l3) : (tensor<7x1x16xi64>) -> tensor<7x1x16xf32>
  %l5 = "tcc.mul"(%l4, %scale) : (tensor<7x1x16xf32>, tensor<f32>) -> tensor<7x1x16xf32>
  %m0 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<2x16x96xi64>
  %m1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x16x96xi64>
  %m2 = "tcc.mul"(%m0, %m1) : (tensor<2x16x96xi64>, tensor<2x16x96xi64>) -> tensor<2x16x96xi64>
  %m3 = "tcc.mod"(%m2, %eleven) : (tensor<2x16x96xi64>, tensor<i64>) -> tensor<2x16x96xi64>
  %m4 = "tcc.convert"(%m3) : (tensor<2x16x96xi64>) -> tensor<2x16x96xf32>
  %m5 = "tcc.mul"(%m4, %scale) : (tensor<2x16x96xf32>, tensor<f32>) -> tensor<2x16x96xf32>
  %m6 = "tcc.transpose"(%m5) {perm = array<i64: 0, 2, 1>} : (tensor<2x16x96xf32>) -> tensor<2x96x16xf32>
  %n0 = "tcc.iota"() {axis = 2 : i64} : () -> tensor<2x24x96xi64>
  %n1 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x24x96xi64>
  %n2 = "tcc.mul"(%n0, %n1) : (tensor<2x24x96xi64>, tensor<2x24x96xi64>) -> tensor<2x24x96xi64>
  %n3 = "tcc.mod"(%n2, %eleven) : (tensor<2x24x96xi64>, tensor<i64>) -> tensor<2x24x96xi64>
  %n4 = "tcc.convert"(%n3) : (tensor<2x24x96xi64>) -> tensor<2x24x96xi8>
  %n5 = "tcc.convert"(%n4) : (tensor<2x24x96xi8>) -> tensor<2x24x96xf32>
  %n6 = "tcc.constant"() {value = dense<5> : tensor<i8>} : () -> tensor<i8>
  %n7 = "tcc.convert"(%n6) : (tensor<i8>) -> tensor<f32>
  %n8 = "tcc.reshape"(%n7) : (tensor<f32>) -> tensor<1x1x1xf32>
  %n9 = "tcc.sub"(%n5, %n8) : (tensor<2x24x96xf32>, tensor<1x1x1xf32>) -> tensor<2x24x96xf32>
  %n10 = "tcc.constant"() {value = dense<[[[0.02]], [[0.05]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %n11 = "tcc.mul"(%n9, %n10) : (tensor<2x24x96xf32>, tensor<2x1x1xf32>) -> tensor<2x24x96xf32>
  %n12 = "tcc.transpose"(%n11) {perm = array<i64: 0, 2, 1>} : (tensor<2x24x96xf32>) -> tensor<2x96x24xf32>
  %r5, %h, %cell = "tcc.lstm"(%l5, %m6, %n12, %none, %none, %none, %none, %none) {activations = "sigmoid,tanh,tanh,sigmoid,tanh,tanh", clip = 0.0 : f64, direction = "bidirectional", hidden = 24 : i64, input_forget = false, layout = 0 : i64} : (tensor<7x1x16xf32>, tensor<2x96x16xf32>, tensor<2x96x24xf32>, none, none, none, none, none) -> (tensor<7x2x1x24xf32>, tensor<2x1x24xf32>, tensor<2x1x24xf32>)
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<37x29xf32>, tensor<37x29xf32>, tensor<37x41xf32>, tensor<3x37x37xf32>, tensor<1x20x9x11xf32>, tensor<7x2x1x24xf32>
}
