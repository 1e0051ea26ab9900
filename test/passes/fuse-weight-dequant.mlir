// RUN: tcc-opt --tcc-fuse-weight-dequant --tcc-verify %s | FileCheck %s
// RUN: tcc-opt --target=nvptx,sm_90a --tcc-fuse-weight-dequant --tcc-verify %s | FileCheck %s --check-prefix=GPU
// RUN: tcc-opt --target=reference --tcc-fuse-weight-dequant %s | FileCheck %s --check-prefix=EAGER
// RUN: sed 's/^module {/module attributes {tcc.numerics = "eager"} {/' %s | tcc-opt --tcc-fuse-weight-dequant | FileCheck %s --check-prefix=EAGER
// An operand that a map makes from fewer bytes is made inside the contraction, at both of its calls and whatever the number of rows; a map
// that repeats floats of 32 bits is so for few rows alone, and stays for the kernel of many, which reads its result.
// CHECK-NOT: @k0_map
// CHECK-NOT: @k3_map
// CHECK: func.func private @k1_dot_0(%{{.*}}: tensor<1x128xf32>, %{{.*}}: tensor<48xf32>, %{{.*}}: tensor<128x48xi8>, %{{.*}}: tensor<48xf32>) -> tensor<1x48xf32> attributes {tcc.kernel = "contract"}
// CHECK: tcc.convert
// CHECK: tcc.mul
// CHECK: tcc.dot_general
// CHECK: func.func private @k2_dot_0(%{{.*}}: tensor<90x128xf32>, %{{.*}}: tensor<128x48xi8>, %{{.*}}: tensor<48xf32>)
// CHECK: tcc.convert
// CHECK: tcc.dot_general
// CHECK: func.func private @k5_map
// CHECK: func.func private @k6_dot_0(%{{.*}}: tensor<?x128xf32, ["S", 128]>, %{{.*}}: tensor<128x48xi8>, %{{.*}}: tensor<48xf32>)
// CHECK: tcc.convert
// CHECK: tcc.dot_general
// CHECK: func.func private @k7_dot(%{{.*}}: tensor<90x128xf32>, %{{.*}}: tensor<128x48xf32>)
// CHECK-NOT: tcc.broadcast
// CHECK: func.func private @k4_dot_0(%{{.*}}: tensor<1x128xf32>, %{{.*}}: tensor<6144xbf16>)
// CHECK: tcc.convert
// CHECK: tcc.reshape
// CHECK: tcc.dot_general
// CHECK: func.func @main
// CHECK: call @k1_dot_0(%{{.*}}, %{{.*}}, %[[Q:[0-9]+]], %[[S:[0-9]+]])
// CHECK: call @k1_dot_0(%{{.*}}, %{{.*}}, %[[Q]], %[[S]])
// CHECK: call @k2_dot_0(%{{.*}}, %[[Q]], %[[S]])
// CHECK: call @k6_dot_0(%{{.*}}, %[[Q]], %[[S]])
// CHECK: %[[R:[0-9]+]] = call @k5_map
// CHECK: call @k7_dot(%{{.*}}, %[[R]])
// CHECK: call @k4_dot_0
// A GPU reads it as it lies for few rows and for a number that is not known; what rows that are known to be many read is made before.
// GPU: @k0_map
// GPU: @k1_dot_0(
// GPU-NOT: @k2_dot_0
// GPU: @k6_dot_0(
// GPU: call @k2_dot(
// In eager numerics the product of a byte and its scale is rounded before it meets the row.
// EAGER-NOT: @k1_dot_0
module {
  func.func private @k0_map(%q: tensor<128x48xi8>, %s: tensor<48xf32>) -> tensor<128x48xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.convert"(%q) {saturate = true} : (tensor<128x48xi8>) -> tensor<128x48xf32>
    %1 = "tcc.mul"(%0, %s) : (tensor<128x48xf32>, tensor<48xf32>) -> tensor<128x48xf32>
    func.return %1 : tensor<128x48xf32>
  }
  func.func private @k1_dot(%x: tensor<1x128xf32>, %w: tensor<128x48xf32>, %b: tensor<48xf32>) -> tensor<1x48xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x128xf32>, tensor<128x48xf32>) -> tensor<1x48xf32>
    %1 = "tcc.add"(%0, %b) : (tensor<1x48xf32>, tensor<48xf32>) -> tensor<1x48xf32>
    func.return %1 : tensor<1x48xf32>
  }
  func.func private @k2_dot(%x: tensor<90x128xf32>, %w: tensor<128x48xf32>) -> tensor<90x48xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<90x128xf32>, tensor<128x48xf32>) -> tensor<90x48xf32>
    func.return %0 : tensor<90x48xf32>
  }
  func.func private @k5_map(%s: tensor<48xf32>) -> tensor<128x48xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.broadcast"(%s) : (tensor<48xf32>) -> tensor<128x48xf32>
    func.return %0 : tensor<128x48xf32>
  }
  func.func private @k6_dot(%x: tensor<?x128xf32, ["S", 128]>, %w: tensor<128x48xf32>) -> tensor<?x48xf32, ["S", 48]> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x128xf32, ["S", 128]>, tensor<128x48xf32>) -> tensor<?x48xf32, ["S", 48]>
    func.return %0 : tensor<?x48xf32, ["S", 48]>
  }
  func.func private @k7_dot(%x: tensor<90x128xf32>, %w: tensor<128x48xf32>) -> tensor<90x48xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<90x128xf32>, tensor<128x48xf32>) -> tensor<90x48xf32>
    %1 = "tcc.neg"(%0) : (tensor<90x48xf32>) -> tensor<90x48xf32>
    func.return %1 : tensor<90x48xf32>
  }
  func.func private @k3_map(%q: tensor<6144xbf16>) -> tensor<6144xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.convert"(%q) {saturate = true} : (tensor<6144xbf16>) -> tensor<6144xf32>
    func.return %0 : tensor<6144xf32>
  }
  func.func private @k4_dot(%x: tensor<1x128xf32>, %w: tensor<128x48xf32>) -> tensor<1x48xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x128xf32>, tensor<128x48xf32>) -> tensor<1x48xf32>
    func.return %0 : tensor<1x48xf32>
  }
  func.func @main(%x: tensor<1x128xf32>, %y: tensor<90x128xf32>, %z: tensor<?x128xf32, ["S", 128]>, %b: tensor<48xf32>) -> (tensor<1x48xf32>, tensor<1x48xf32>, tensor<90x48xf32>, tensor<?x48xf32, ["S", 48]>, tensor<90x48xf32>, tensor<1x48xf32>) {
    %q = "tcc.weight"() {name = "q", source = 0 : i64, offset = 0 : i64, length = 6144 : i64} : () -> tensor<128x48xi8>
    %s = "tcc.weight"() {name = "s", source = 0 : i64, offset = 6144 : i64, length = 192 : i64} : () -> tensor<48xf32>
    %h = "tcc.weight"() {name = "h", source = 0 : i64, offset = 6336 : i64, length = 12288 : i64} : () -> tensor<6144xbf16>
    %d = call @k0_map(%q, %s) : (tensor<128x48xi8>, tensor<48xf32>) -> tensor<128x48xf32>
    %0 = call @k1_dot(%x, %d, %b) : (tensor<1x128xf32>, tensor<128x48xf32>, tensor<48xf32>) -> tensor<1x48xf32>
    %1 = call @k1_dot(%x, %d, %b) : (tensor<1x128xf32>, tensor<128x48xf32>, tensor<48xf32>) -> tensor<1x48xf32>
    %2 = call @k2_dot(%y, %d) : (tensor<90x128xf32>, tensor<128x48xf32>) -> tensor<90x48xf32>
    %4 = call @k6_dot(%z, %d) : (tensor<?x128xf32, ["S", 128]>, tensor<128x48xf32>) -> tensor<?x48xf32, ["S", 48]>
    %f = call @k5_map(%s) : (tensor<48xf32>) -> tensor<128x48xf32>
    %5 = call @k7_dot(%y, %f) : (tensor<90x128xf32>, tensor<128x48xf32>) -> tensor<90x48xf32>
    %e = call @k3_map(%h) : (tensor<6144xbf16>) -> tensor<6144xf32>
    %r = "tcc.reshape"(%e) : (tensor<6144xf32>) -> tensor<128x48xf32>
    %3 = call @k4_dot(%x, %r) : (tensor<1x128xf32>, tensor<128x48xf32>) -> tensor<1x48xf32>
    func.return %0, %1, %2, %4, %5, %3 : tensor<1x48xf32>, tensor<1x48xf32>, tensor<90x48xf32>, tensor<?x48xf32, ["S", 48]>, tensor<90x48xf32>, tensor<1x48xf32>
  }
}
