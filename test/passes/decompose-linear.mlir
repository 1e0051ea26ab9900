// A bias in 16 bits is added in f32, to a sum that is not rounded before, whatever the numerics.
// RUN: tcc-opt --tcc-decompose %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "eager"} {/' %s | tcc-opt --tcc-decompose | FileCheck %s

module {
  // CHECK-LABEL: @bias
  // CHECK: [[R:%.*]] = "tcc.dot_general"(%arg0, %arg1){{.*}} wide = true{{.*}} -> tensor<3x4xf32>
  // CHECK: [[BIAS:%.*]] = "tcc.convert"(%arg2) : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: [[Y:%.*]] = "tcc.add"([[R]], [[BIAS]])
  // CHECK: "tcc.convert"([[Y]]) : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  func.func @bias(%x: tensor<3x8xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<4xbf16>) -> tensor<3x4xbf16> {
    %y = "tcc.linear"(%x, %w, %bias) : (tensor<3x8xbf16>, tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<3x4xbf16>
    return %y : tensor<3x4xbf16>
  }

  // Without one nothing is in f32, and sums of bytes are what they were.
  // CHECK-LABEL: @none
  // CHECK-NOT: xf32>
  // CHECK: "tcc.dot_general"{{.*}} -> tensor<3x4xbf16>
  func.func @none(%x: tensor<3x8xbf16>, %w: tensor<4x8xbf16>) -> tensor<3x4xbf16> {
    %no = "tcc.none"() : () -> none
    %y = "tcc.linear"(%x, %w, %no) : (tensor<3x8xbf16>, tensor<4x8xbf16>, none) -> tensor<3x4xbf16>
    return %y : tensor<3x4xbf16>
  }
  // CHECK-LABEL: @bytes
  // CHECK: "tcc.dot_general"{{.*}} -> tensor<3x4xi32>
  // CHECK-NEXT: "tcc.add"{{.*}} -> tensor<3x4xi32>
  // CHECK-NEXT: return
  func.func @bytes(%x: tensor<3x8xui8>, %w: tensor<4x8xi8>, %bias: tensor<4xi32>) -> tensor<3x4xi32> {
    %y = "tcc.linear"(%x, %w, %bias) : (tensor<3x8xui8>, tensor<4x8xi8>, tensor<4xi32>) -> tensor<3x4xi32>
    return %y : tensor<3x4xi32>
  }
}
