// Numbers of 16 bits that are made of narrower ones are computed in f32 and rounded once, in front of the product; what the model rounds to 16 bits stays rounded.
// RUN: tcc-opt --target=x86,avx512 --tcc-fuse-weight-dequant --tcc-verify %s | FileCheck %s
// RUN: tcc-opt --target=nvptx,sm_80 --tcc-fuse-weight-dequant --tcc-verify %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "direct"} {/' %s | tcc-opt --target=x86,avx512 --tcc-fuse-weight-dequant | FileCheck %s
// CHECK: func.func private @k1_dot_0(%[[X:.*]]: tensor<2x64xf16>, %[[Q:.*]]: tensor<64x2x32xui4>, %[[S:.*]]: tensor<64x2x1xf16>, %[[T:.*]]: tensor<64x2x1xf32>)
// CHECK-DAG: %[[A:.*]] = "tcc.convert"(%[[Q]]) : (tensor<64x2x32xui4>) -> tensor<64x2x32xf32>
// CHECK-DAG: %[[B:.*]] = "tcc.convert"(%[[S]]) : (tensor<64x2x1xf16>) -> tensor<64x2x1xf32>
// CHECK-DAG: %[[C:.*]] = "tcc.convert"(%[[T]]) : (tensor<64x2x1xf32>) -> tensor<64x2x1xf16>
// CHECK-DAG: %[[D:.*]] = "tcc.convert"(%[[C]]) : (tensor<64x2x1xf16>) -> tensor<64x2x1xf32>
// CHECK-DAG: %[[E:.*]] = "tcc.sub"(%[[A]], %[[D]]) : {{.*}} -> tensor<64x2x32xf32>
// CHECK: %[[F:.*]] = "tcc.mul"(%[[E]], %[[B]]) : {{.*}} -> tensor<64x2x32xf32>
// CHECK: %[[G:.*]] = "tcc.reshape"(%[[F]]) : {{.*}} -> tensor<64x64xf32>
// CHECK: %[[H:.*]] = "tcc.convert"(%[[G]]) : (tensor<64x64xf32>) -> tensor<64x64xf16>
// CHECK-NEXT: tcc.dot_general"(%[[X]], %[[H]])
// CHECK-NOT: f16>, tensor<64x2x1xf16>
module {
  func.func private @k0_map(%q: tensor<64x2x32xui4>, %s: tensor<64x2x1xf16>, %t: tensor<64x2x1xf32>) -> tensor<64x2x32xf16> attributes {tcc.kernel = "map"} {
    %0 = "tcc.convert"(%q) : (tensor<64x2x32xui4>) -> tensor<64x2x32xf16>
    %1 = "tcc.convert"(%t) : (tensor<64x2x1xf32>) -> tensor<64x2x1xf16>
    %2 = "tcc.sub"(%0, %1) : (tensor<64x2x32xf16>, tensor<64x2x1xf16>) -> tensor<64x2x32xf16>
    %3 = "tcc.mul"(%2, %s) : (tensor<64x2x32xf16>, tensor<64x2x1xf16>) -> tensor<64x2x32xf16>
    func.return %3 : tensor<64x2x32xf16>
  }
  func.func private @k1_dot(%x: tensor<2x64xf16>, %w: tensor<64x64xf16>) -> tensor<2x64xf16> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x64xf16>, tensor<64x64xf16>) -> tensor<2x64xf16>
    func.return %0 : tensor<2x64xf16>
  }
  func.func @main(%x: tensor<2x64xf16>, %q: tensor<64x2x32xui4>, %s: tensor<64x2x1xf16>, %t: tensor<64x2x1xf32>) -> tensor<2x64xf16> {
    %0 = call @k0_map(%q, %s, %t) : (tensor<64x2x32xui4>, tensor<64x2x1xf16>, tensor<64x2x1xf32>) -> tensor<64x2x32xf16>
    %1 = "tcc.reshape"(%0) : (tensor<64x2x32xf16>) -> tensor<64x64xf16>
    %2 = call @k1_dot(%x, %1) : (tensor<2x64xf16>, tensor<64x64xf16>) -> tensor<2x64xf16>
    func.return %2 : tensor<2x64xf16>
  }
}
