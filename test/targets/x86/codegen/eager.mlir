// RUN: rm -rf %t && mkdir %t && tcc-run %s --numerics=eager --target=x86,avx2 --save=%t/eager && tcc-run %s --target=x86,avx2 --save=%t/fast
// RUN: cmp %t/eager/output_0.npy %t/eager/output_1.npy && not cmp %t/eager/output_0.npy %t/fast/output_0.npy
// RUN: cmp %t/eager/output_2.npy %t/eager/output_3.npy && not cmp %t/eager/output_2.npy %t/fast/output_2.npy
// RUN: cmp %t/eager/output_4.npy %t/eager/output_5.npy && not cmp %t/eager/output_4.npy %t/fast/output_4.npy
// RUN: cmp %t/eager/output_6.npy %t/eager/output_7.npy && not cmp %t/eager/output_6.npy %t/fast/output_6.npy
// REQUIRES: avx2
// In eager numerics a product and a sum behind a convolution, a contraction, a pool and a product of one row round as two ops do: as those
// of a tensor in memory, where the anchor gives its operand to the bit. In fast numerics they are one instruction.
func.func @main() -> (tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<48x16xf32>, tensor<48x16xf32>, tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
  %none = "tcc.none"() : () -> none
  %a = "tcc.constant"() {value = dense<0.9> : tensor<f32>} : () -> tensor<f32>
  %b = "tcc.constant"() {value = dense<0.7> : tensor<f32>} : () -> tensor<f32>
  %s = "tcc.constant"() {value = dense<0.37> : tensor<f32>} : () -> tensor<f32>
  %i0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<768xi64>
  %i1 = "tcc.convert"(%i0) : (tensor<768xi64>) -> tensor<768xf32>
  %i2 = "tcc.mul"(%i1, %s) : (tensor<768xf32>, tensor<f32>) -> tensor<768xf32>
  %i3 = "tcc.sin"(%i2) : (tensor<768xf32>) -> tensor<768xf32>
  %x = "tcc.reshape"(%i3) : (tensor<768xf32>) -> tensor<1x16x6x8xf32>
  %r = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x16xi64>
  %c = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x16xi64>
  %e = "tcc.compare"(%r, %c) {predicate = "eq"} : (tensor<16x16xi64>, tensor<16x16xi64>) -> tensor<16x16xi1>
  %d = "tcc.convert"(%e) : (tensor<16x16xi1>) -> tensor<16x16xf32>
  %w = "tcc.reshape"(%d) : (tensor<16x16xf32>) -> tensor<16x16x1x1xf32>
  %conv = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x6x8xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x6x8xf32>
  %p = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x6x8xf32>) -> tensor<1x16x6x8xf32>
  %y = "tcc.reshape"(%i3) : (tensor<768xf32>) -> tensor<48x16xf32>
  %dot = "tcc.dot_general"(%y, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<48x16xf32>, tensor<16x16xf32>) -> tensor<48x16xf32>
  %z = "tcc.slice"(%y) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<48x16xf32>) -> tensor<1x16xf32>
  %gemv = "tcc.dot_general"(%z, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
  %conv0m = "tcc.mul"(%conv, %a) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %conv0r = "tcc.add"(%conv0m, %b) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %x1m = "tcc.mul"(%x, %a) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %x1r = "tcc.add"(%x1m, %b) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %dot2m = "tcc.mul"(%dot, %a) : (tensor<48x16xf32>, tensor<f32>) -> tensor<48x16xf32>
  %dot2r = "tcc.add"(%dot2m, %b) : (tensor<48x16xf32>, tensor<f32>) -> tensor<48x16xf32>
  %y3m = "tcc.mul"(%y, %a) : (tensor<48x16xf32>, tensor<f32>) -> tensor<48x16xf32>
  %y3r = "tcc.add"(%y3m, %b) : (tensor<48x16xf32>, tensor<f32>) -> tensor<48x16xf32>
  %p4m = "tcc.mul"(%p, %a) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %p4r = "tcc.add"(%p4m, %b) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %x5m = "tcc.mul"(%x, %a) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %x5r = "tcc.add"(%x5m, %b) : (tensor<1x16x6x8xf32>, tensor<f32>) -> tensor<1x16x6x8xf32>
  %gemv6m = "tcc.mul"(%gemv, %a) : (tensor<1x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  %gemv6r = "tcc.add"(%gemv6m, %b) : (tensor<1x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  %z7m = "tcc.mul"(%z, %a) : (tensor<1x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  %z7r = "tcc.add"(%z7m, %b) : (tensor<1x16xf32>, tensor<f32>) -> tensor<1x16xf32>
  return %conv0r, %x1r, %dot2r, %y3r, %p4r, %x5r, %gemv6r, %z7r : tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<48x16xf32>, tensor<48x16xf32>, tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<1x16xf32>, tensor<1x16xf32>
}
