// A bias in 16 bits is added in f32, to a sum that is not rounded before; where each op rounds, the product is one of f32.
// RUN: tcc-opt --tcc-decompose %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "eager"} {/' %s | tcc-opt --tcc-decompose | FileCheck --check-prefix=EAGER %s

module {
  // CHECK-LABEL: @bias
  // CHECK: [[BIAS:%.*]] = "tcc.convert"(%arg2) : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK: [[R:%.*]] = "tcc.dot_general"(%arg0, %arg1){{.*}} -> tensor<3x4xbf16>
  // CHECK: [[SUM:%.*]] = "tcc.convert"([[R]]) : (tensor<3x4xbf16>) -> tensor<3x4xf32>
  // CHECK: [[Y:%.*]] = "tcc.add"([[SUM]], [[BIAS]])
  // CHECK: "tcc.convert"([[Y]]) : (tensor<3x4xf32>) -> tensor<3x4xbf16>
  // EAGER-LABEL: @bias
  // EAGER: "tcc.dot_general"{{.*}} : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<3x4xf32>
  // EAGER: "tcc.add"({{.*}}) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  // EAGER-NEXT: "tcc.convert"
  func.func @bias(%x: tensor<3x8xbf16>, %w: tensor<4x8xbf16>, %bias: tensor<4xbf16>) -> tensor<3x4xbf16> {
    %y = "tcc.linear"(%x, %w, %bias) : (tensor<3x8xbf16>, tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<3x4xbf16>
    return %y : tensor<3x4xbf16>
  }

  // Without one nothing is in f32.
  // CHECK-LABEL: @none
  // CHECK-NOT: xf32>
  // CHECK: "tcc.dot_general"{{.*}} -> tensor<3x4xbf16>
  // EAGER-LABEL: @none
  // EAGER: "tcc.dot_general"{{.*}} -> tensor<3x4xbf16>
  func.func @none(%x: tensor<3x8xbf16>, %w: tensor<4x8xbf16>) -> tensor<3x4xbf16> {
    %no = "tcc.none"() : () -> none
    %y = "tcc.linear"(%x, %w, %no) : (tensor<3x8xbf16>, tensor<4x8xbf16>, none) -> tensor<3x4xbf16>
    return %y : tensor<3x4xbf16>
  }
}
