// A conversion to fewer bits, which a product reads in memory, costs reading and writing: made once, unless a byte that is kept counts for more.
// RUN: tcc-opt %s --tcc-grad=wrt=x,w --tcc-simplify --verify-each | FileCheck %s
// RUN: tcc-opt %s '--tcc-grad=wrt=x,w recompute=2' --tcc-simplify --verify-each | FileCheck %s --check-prefix=AGAIN
// CHECK: "tcc.convert"(%arg1) : (tensor<64x256xf32>) -> tensor<64x256xbf16>
// CHECK-NOT: "tcc.convert"(%arg1)
// CHECK-NOT: tcc.barrier
// AGAIN: "tcc.convert"(%arg1) : (tensor<64x256xf32>) -> tensor<64x256xbf16>
// AGAIN: %[[W:.*]] = "tcc.barrier"(%arg1)
// AGAIN: "tcc.convert"(%[[W]]) : (tensor<64x256xf32>) -> tensor<64x256xbf16>
func.func @main(%x: tensor<32x64xbf16> {tcc.name = "x"}, %w: tensor<64x256xf32> {tcc.name = "w"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %b = "tcc.convert"(%w) : (tensor<64x256xf32>) -> tensor<64x256xbf16>
  %y = "tcc.dot_general"(%x, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x64xbf16>, tensor<64x256xbf16>) -> tensor<32x256xbf16>
  %f = "tcc.convert"(%y) : (tensor<32x256xbf16>) -> tensor<32x256xf32>
  %l = "tcc.reduce"(%f) {axes = array<i64: 0, 1>, keepdims = false, kind = "sum"} : (tensor<32x256xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
