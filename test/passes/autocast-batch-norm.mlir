// RUN: tcc-opt %s --target=x86,sapphirerapids --tcc-autocast --verify-each | FileCheck %s

// A batch norm computes in f32; of an image that a convolution made narrow it gives a narrow image, as torch.autocast has it, so that what follows is narrow.
// Other readers have the rounded image, converted; of an image of f32 it stays wide.
// CHECK: %[[C:.*]] = "tcc.conv"{{.*}} -> tensor<1x16x8x8xbf16>
// CHECK: %[[X:.*]] = "tcc.convert"(%[[C]]) : (tensor<1x16x8x8xbf16>) -> tensor<1x16x8x8xf32>
// CHECK-NEXT: %[[N:.*]] = "tcc.batch_norm"(%[[X]], {{.*}} -> tensor<1x16x8x8xf32>
// CHECK-NEXT: %[[B:.*]] = "tcc.convert"(%[[N]]) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xbf16>
// CHECK-NEXT: %[[R:.*]] = "tcc.relu"(%[[B]]) : (tensor<1x16x8x8xbf16>)
// CHECK: "tcc.conv"(%[[R]], {{.*}} -> tensor<1x16x8x8xbf16>
// CHECK: %[[M:.*]] = "tcc.batch_norm"(%arg0, {{.*}} -> tensor<1x16x8x8xf32>
// CHECK-NEXT: "tcc.relu"(%[[M]]) : (tensor<1x16x8x8xf32>)
// CHECK: %[[W:.*]] = "tcc.convert"(%[[B]]) : (tensor<1x16x8x8xbf16>) -> tensor<1x16x8x8xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[W]]
func.func @main(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %s: tensor<16xf32>) -> (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) {
  %none = "tcc.none"() : () -> none
  %c = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x8x8xf32>
  %n = "tcc.batch_norm"(%c, %s, %s, %s, %s) {eps = 1.0e-5 : f64} : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
  %r = "tcc.relu"(%n) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %d = "tcc.conv"(%r, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>, none) -> tensor<1x16x8x8xf32>
  %m = "tcc.batch_norm"(%x, %s, %s, %s, %s) {eps = 1.0e-5 : f64} : (tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
  %q = "tcc.relu"(%m) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %d, %q, %n : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
}
