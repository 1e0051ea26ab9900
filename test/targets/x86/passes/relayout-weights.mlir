// RUN: tcc-opt --tcc-relayout-weights --verify-each %s | FileCheck %s

// A weight that is padded, cut and transposed.
// CHECK: func.func private @k0_pad(%{{.*}}attributes {tcc.kernel = "relayout"}
// Its operand is a weight at one call and an input at the other.
// CHECK: func.func private @k1_transpose(%{{.*}}attributes {tcc.kernel = "map"}
// It changes the element.
// CHECK: func.func private @k2_convert(%{{.*}}attributes {tcc.kernel = "map"}
// What it pads with is not zero.
// CHECK: func.func private @k3_pad(%{{.*}}attributes {tcc.kernel = "map"}
// CHECK: func.func private @pack0(%{{.*}}attributes {tcc.kernel = "relayout"
module {
  func.func private @k0_pad(%w: tensor<20x5x3xf32>) -> tensor<2x8x3x16xf32> attributes {tcc.kernel = "map"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.pad"(%w, %none) {low = [0, 1, 0], high = [12, 2, 0], mode = "constant"} : (tensor<20x5x3xf32>, none) -> tensor<32x8x3xf32>
    %1 = "tcc.reshape"(%0) : (tensor<32x8x3xf32>) -> tensor<2x16x8x3xf32>
    %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x16x8x3xf32>) -> tensor<2x8x3x16xf32>
    func.return %2 : tensor<2x8x3x16xf32>
  }
  func.func private @k1_transpose(%w: tensor<20x5xf32>) -> tensor<5x20xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<20x5xf32>) -> tensor<5x20xf32>
    func.return %0 : tensor<5x20xf32>
  }
  func.func private @k2_convert(%w: tensor<20x5xf32>) -> tensor<20x5xf64> attributes {tcc.kernel = "map"} {
    %0 = "tcc.convert"(%w) : (tensor<20x5xf32>) -> tensor<20x5xf64>
    func.return %0 : tensor<20x5xf64>
  }
  func.func private @k3_pad(%w: tensor<20x5xf32>) -> tensor<21x5xf32> attributes {tcc.kernel = "map"} {
    %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "tcc.pad"(%w, %one) {low = [0, 0], high = [1, 0], mode = "constant"} : (tensor<20x5xf32>, tensor<f32>) -> tensor<21x5xf32>
    func.return %0 : tensor<21x5xf32>
  }
  func.func private @pack0(%w: tensor<20x5xf32>) -> tensor<5x20xf32> attributes {tcc.kernel = "pack", tcc.pack = array<i64: 20, 1>} {
    %0 = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<20x5xf32>) -> tensor<5x20xf32>
    func.return %0 : tensor<5x20xf32>
  }
  func.func @main(%x: tensor<20x5xf32>) -> (tensor<2x8x3x16xf32>, tensor<5x20xf32>, tensor<5x20xf32>, tensor<20x5xf64>, tensor<21x5xf32>, tensor<5x20xf32>) {
    %v = "tcc.weight"() {name = "v", source = 0 : i64, offset = 0 : i64, length = 1200 : i64} : () -> tensor<20x5x3xf32>
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 1200 : i64, length = 400 : i64} : () -> tensor<20x5xf32>
    %0 = func.call @k0_pad(%v) : (tensor<20x5x3xf32>) -> tensor<2x8x3x16xf32>
    %1 = func.call @k1_transpose(%w) : (tensor<20x5xf32>) -> tensor<5x20xf32>
    %2 = func.call @k1_transpose(%x) : (tensor<20x5xf32>) -> tensor<5x20xf32>
    %3 = func.call @k2_convert(%w) : (tensor<20x5xf32>) -> tensor<20x5xf64>
    %4 = func.call @k3_pad(%w) : (tensor<20x5xf32>) -> tensor<21x5xf32>
    %5 = func.call @pack0(%w) : (tensor<20x5xf32>) -> tensor<5x20xf32>
    func.return %0, %1, %2, %3, %4, %5 : tensor<2x8x3x16xf32>, tensor<5x20xf32>, tensor<5x20xf32>, tensor<20x5xf64>, tensor<21x5xf32>, tensor<5x20xf32>
  }
}
