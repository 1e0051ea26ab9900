// RUN: tcc-opt --tcc-fuse-weight-dequant --tcc-verify %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "eager"} {/' %s | tcc-opt --tcc-fuse-weight-dequant | FileCheck %s --check-prefix=EAGER
// An operand that a map makes from fewer bytes is made inside the contraction of one row, at both of its calls; the map
// stays for the kernel of many rows, which reads its result.
// CHECK-NOT: @k3_map
// CHECK: func.func private @k0_map
// CHECK: func.func private @k1_dot_0(%{{.*}}: tensor<1x128xf32>, %{{.*}}: tensor<48xf32>, %{{.*}}: tensor<128x48xi8>, %{{.*}}: tensor<48xf32>) -> tensor<1x48xf32> attributes {tcc.kernel = "contract"}
// CHECK: tcc.convert
// CHECK: tcc.mul
// CHECK: tcc.dot_general
// CHECK: func.func private @k2_dot(%{{.*}}: tensor<90x128xf32>, %{{.*}}: tensor<128x48xf32>)
// CHECK-NOT: tcc.convert
// CHECK: func.func private @k4_dot_0(%{{.*}}: tensor<1x128xf32>, %{{.*}}: tensor<6144xbf16>)
// CHECK: tcc.convert
// CHECK: tcc.reshape
// CHECK: tcc.dot_general
// CHECK: func.func @main
// CHECK: %[[D:.*]] = call @k0_map
// CHECK: call @k1_dot_0(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[S:.*]])
// CHECK: call @k1_dot_0(%{{.*}}, %{{.*}}, %[[Q]], %[[S]])
// CHECK: call @k2_dot(%{{.*}}, %[[D]])
// CHECK: call @k4_dot_0
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
  func.func private @k3_map(%q: tensor<6144xbf16>) -> tensor<6144xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.convert"(%q) {saturate = true} : (tensor<6144xbf16>) -> tensor<6144xf32>
    func.return %0 : tensor<6144xf32>
  }
  func.func private @k4_dot(%x: tensor<1x128xf32>, %w: tensor<128x48xf32>) -> tensor<1x48xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x128xf32>, tensor<128x48xf32>) -> tensor<1x48xf32>
    func.return %0 : tensor<1x48xf32>
  }
  func.func @main(%x: tensor<1x128xf32>, %y: tensor<90x128xf32>, %b: tensor<48xf32>) -> (tensor<1x48xf32>, tensor<1x48xf32>, tensor<90x48xf32>, tensor<1x48xf32>) {
    %q = "tcc.weight"() {name = "q", source = 0 : i64, offset = 0 : i64, length = 6144 : i64} : () -> tensor<128x48xi8>
    %s = "tcc.weight"() {name = "s", source = 0 : i64, offset = 6144 : i64, length = 192 : i64} : () -> tensor<48xf32>
    %h = "tcc.weight"() {name = "h", source = 0 : i64, offset = 6336 : i64, length = 12288 : i64} : () -> tensor<6144xbf16>
    %d = call @k0_map(%q, %s) : (tensor<128x48xi8>, tensor<48xf32>) -> tensor<128x48xf32>
    %0 = call @k1_dot(%x, %d, %b) : (tensor<1x128xf32>, tensor<128x48xf32>, tensor<48xf32>) -> tensor<1x48xf32>
    %1 = call @k1_dot(%x, %d, %b) : (tensor<1x128xf32>, tensor<128x48xf32>, tensor<48xf32>) -> tensor<1x48xf32>
    %2 = call @k2_dot(%y, %d) : (tensor<90x128xf32>, tensor<128x48xf32>) -> tensor<90x48xf32>
    %e = call @k3_map(%h) : (tensor<6144xbf16>) -> tensor<6144xf32>
    %r = "tcc.reshape"(%e) : (tensor<6144xf32>) -> tensor<128x48xf32>
    %3 = call @k4_dot(%x, %r) : (tensor<1x128xf32>, tensor<128x48xf32>) -> tensor<1x48xf32>
    func.return %0, %1, %2, %3 : tensor<1x48xf32>, tensor<1x48xf32>, tensor<90x48xf32>, tensor<1x48xf32>
  }
}
