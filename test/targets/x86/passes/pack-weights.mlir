// RUN: tcc-opt --tcc-pack-weights %s | FileCheck %s
// A weight that is one at every call is packed once, by a kernel of its own; the kernel undoes the packing in plain ops.
// CHECK: func.func private @pack0(%{{.*}}: tensor<70x100xf32>) -> tensor<1x[[P:.*]]xf32> attributes {tcc.kernel = "pack", tcc.pack = array<i64: {{[0-9]+}}, 1>}
// CHECK: tcc.pad
// CHECK: func.func private @k0_dot(%{{.*}}: tensor<?x100xf32, ["M", 100]>, %{{.*}}: tensor<1x[[P]]xf32>, %{{.*}}: tensor<70xf32>)
// CHECK-SAME: tcc.packed = array<i64: 1, {{[0-9]+}}, 0>
// CHECK: tcc.slice
// CHECK: tcc.dot_general
// The second kernel's right operand is an input of the model: it stays.
// CHECK: func.func private @k1_dot(%{{.*}}: tensor<4x70xf32>, %{{.*}}: tensor<70x100xf32>) -> tensor<4x100xf32> attributes {tcc.kernel = "contract"}
// CHECK: func.func @main
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK: %[[PACKED:.*]] = call @pack0(%[[W]])
// CHECK: call @k0_dot(%{{.*}}, %[[PACKED]], %{{.*}})
// CHECK-NOT: call @pack0
// CHECK: call @k0_dot(%{{.*}}, %[[PACKED]], %{{.*}})
module {
  func.func private @k0_dot(%x: tensor<?x100xf32, ["M", 100]>, %w: tensor<70x100xf32>, %b: tensor<70xf32>) -> tensor<?x70xf32, ["M", 70]> attributes {tcc.kernel = "contract"} {
    %t = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<70x100xf32>) -> tensor<100x70xf32>
    %0 = "tcc.dot_general"(%x, %t) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x100xf32, ["M", 100]>, tensor<100x70xf32>) -> tensor<?x70xf32, ["M", 70]>
    %1 = "tcc.add"(%0, %b) : (tensor<?x70xf32, ["M", 70]>, tensor<70xf32>) -> tensor<?x70xf32, ["M", 70]>
    func.return %1 : tensor<?x70xf32, ["M", 70]>
  }
  func.func private @k1_dot(%x: tensor<4x70xf32>, %w: tensor<70x100xf32>) -> tensor<4x100xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x70xf32>, tensor<70x100xf32>) -> tensor<4x100xf32>
    func.return %0 : tensor<4x100xf32>
  }
  func.func @main(%x: tensor<?x100xf32, ["M", 100]>, %y: tensor<4x70xf32>, %z: tensor<70x100xf32>) -> (tensor<?x70xf32, ["M", 70]>, tensor<?x70xf32, ["M", 70]>, tensor<4x100xf32>) {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 28000 : i64} : () -> tensor<70x100xf32>
    %b = "tcc.weight"() {name = "b", source = 0 : i64, offset = 0 : i64, length = 280 : i64} : () -> tensor<70xf32>
    %0 = func.call @k0_dot(%x, %w, %b) : (tensor<?x100xf32, ["M", 100]>, tensor<70x100xf32>, tensor<70xf32>) -> tensor<?x70xf32, ["M", 70]>
    %1 = func.call @k0_dot(%x, %w, %b) : (tensor<?x100xf32, ["M", 100]>, tensor<70x100xf32>, tensor<70xf32>) -> tensor<?x70xf32, ["M", 70]>
    %2 = func.call @k1_dot(%y, %z) : (tensor<4x70xf32>, tensor<70x100xf32>) -> tensor<4x100xf32>
    func.return %0, %1, %2 : tensor<?x70xf32, ["M", 70]>, tensor<?x70xf32, ["M", 70]>, tensor<4x100xf32>
  }
}

