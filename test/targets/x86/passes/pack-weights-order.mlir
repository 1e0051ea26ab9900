// RUN: tcc-opt --tcc-pack-weights --verify-each %s | FileCheck %s
// Two kernels read one weight in one form, and the one that is looked at first is called last: it is packed before the first call.
// CHECK: func.func @main
// CHECK: %[[PACKED:.*]] = call @pack0
// CHECK: call @k1_dot(%{{.*}}, %[[PACKED]])
// CHECK-NOT: call @pack
// CHECK: call @k0_dot_abs(%{{.*}}, %[[PACKED]])
module {
  func.func private @k0_dot_abs(%x: tensor<?x64xf32, ["M", 64]>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xf32, ["M", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]>
    %1 = "tcc.abs"(%0) : (tensor<?x64xf32, ["M", 64]>) -> tensor<?x64xf32, ["M", 64]>
    func.return %1 : tensor<?x64xf32, ["M", 64]>
  }
  func.func private @k1_dot(%x: tensor<?x64xf32, ["M", 64]>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x64xf32, ["M", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]>
    func.return %0 : tensor<?x64xf32, ["M", 64]>
  }
  func.func @main(%x: tensor<?x64xf32, ["M", 64]>) -> tensor<?x64xf32, ["M", 64]> {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 16384 : i64} : () -> tensor<64x64xf32>
    %0 = func.call @k1_dot(%x, %w) : (tensor<?x64xf32, ["M", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]>
    %1 = func.call @k0_dot_abs(%0, %w) : (tensor<?x64xf32, ["M", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["M", 64]>
    func.return %1 : tensor<?x64xf32, ["M", 64]>
  }
}
