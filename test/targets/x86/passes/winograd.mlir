// RUN: tcc-opt --target=x86,avx512 --pass-pipeline="tcc-winograd,tcc-verify" %s | FileCheck %s
// RUN: sed 's/^module {/module attributes {tcc.numerics = "direct"} {/' %s | tcc-opt --target=x86,avx512 --tcc-winograd | FileCheck %s --check-prefix=DIRECT
// RUN: sed 's/^module {/module attributes {tcc.numerics = "eager"} {/' %s | tcc-opt --target=x86,avx512 --tcc-winograd | FileCheck %s --check-prefix=DIRECT
// REQUIRES: avx512
// DIRECT-NOT: winograd = {{[24]}}

// Weights of 3x3, once for the two calls that share them; panels become those that the heuristic wants.
// CHECK: func.func private @winograd0(%{{.*}}: tensor<1x4x3x3x16x64xf32>) -> tensor<2x6x6x4x16x32xf32> attributes {tcc.kernel = "winograd"}
// CHECK: tcc.dot_general
// CHECK: func.func private @k0(%{{.*}}, %{{.*}}: tensor<2x6x6x4x16x32xf32>
// CHECK: winograd = 4
// The weight of one of its calls is an input.
// CHECK: func.func private @k1(%{{.*}}, %{{.*}}: tensor<1x4x3x3x16x64xf32>
// CHECK-NOT: winograd = {{[24]}}
// Its schedule says that it is direct.
// CHECK: func.func private @k2(%{{.*}}, %{{.*}}: tensor<1x4x3x3x16x64xf32>
// CHECK-NOT: winograd = {{[24]}}
// A window of another stride.
// CHECK: func.func private @k3(%{{.*}}, %{{.*}}: tensor<1x4x3x3x16x64xf32>
// CHECK-NOT: winograd = {{[24]}}
// CHECK: func.func @main
// CHECK: %[[W:.*]] = "tcc.weight"
// CHECK: %[[U:.*]] = call @winograd0(%[[W]])
// CHECK: %[[A:.*]] = call @k0(%{{.*}}, %[[U]])
// CHECK: call @k0(%[[A]], %[[U]])
// CHECK: call @k2(%{{.*}}, %[[W]])
module {
  func.func private @k0(%x: tensor<1x4x56x56x16xf32>, %w: tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 64 : i64, out_channels = 64 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>, none) -> tensor<1x4x56x56x16xf32>
    func.return %0 : tensor<1x4x56x56x16xf32>
  }
  func.func private @k1(%x: tensor<1x4x56x56x16xf32>, %w: tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 64 : i64, out_channels = 64 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>, none) -> tensor<1x4x56x56x16xf32>
    func.return %0 : tensor<1x4x56x56x16xf32>
  }
  func.func private @k2(%x: tensor<1x4x56x56x16xf32>, %w: tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32> attributes {tcc.kernel = "conv", tcc.schedule = {depth = 4 : i64, fetch = 1 : i64, panels = 1 : i64, pixels = 7 : i64, rows = 14 : i64, tile = 1 : i64, vectors = 4 : i64, winograd = 1 : i64}} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 64 : i64, out_channels = 64 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>, none) -> tensor<1x4x56x56x16xf32>
    func.return %0 : tensor<1x4x56x56x16xf32>
  }
  func.func private @k3(%x: tensor<1x4x56x56x16xf32>, %w: tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x28x28x16xf32> attributes {tcc.kernel = "conv"} {
    %none = "tcc.none"() : () -> none
    %0 = "tcc.conv_blocked"(%x, %w, %none) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 64 : i64, out_channels = 64 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>, none) -> tensor<1x4x28x28x16xf32>
    func.return %0 : tensor<1x4x28x28x16xf32>
  }
  func.func @main(%x: tensor<1x4x56x56x16xf32>, %v: tensor<1x4x3x3x16x64xf32>) -> (tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x28x28x16xf32>) {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 147456 : i64} : () -> tensor<1x4x3x3x16x64xf32>
    %0 = func.call @k0(%x, %w) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32>
    %1 = func.call @k0(%0, %w) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32>
    %2 = func.call @k1(%x, %w) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32>
    %3 = func.call @k1(%x, %v) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32>
    %4 = func.call @k2(%x, %w) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x56x56x16xf32>
    %5 = func.call @k3(%x, %w) : (tensor<1x4x56x56x16xf32>, tensor<1x4x3x3x16x64xf32>) -> tensor<1x4x28x28x16xf32>
    func.return %1, %2, %3, %4, %5 : tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x56x56x16xf32>, tensor<1x4x28x28x16xf32>
  }
}
