// Candidates of products and convolutions of warpgroups. The heuristic's choice comes first, then what waves of tiles make of the others; none needs more
// shared memory than a block has. Of the shapes that were measured on an H100 (docs/notes/2026-11-gpu-device.md) those that came near the best are here.
// RUN: tcc-opt --target=nvptx,sm_90a --pass-pipeline='import,tcc-recompose,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-channels-last,tcc-variants{count=20}' %s | FileCheck %s
// RUN: tcc-opt --target=nvptx,sm_90a --pass-pipeline='import,tcc-recompose,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-channels-last,tcc-variants{count=20}' %s | FileCheck %s --check-prefix=SHARED
// sm_80 has no products of warpgroups: how large the squares of a ring are, and how many blocks share one.
// RUN: tcc-opt --target=nvptx,sm_80 --pass-pipeline='import,tcc-recompose,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-channels-last,tcc-variants{count=20}' %s | FileCheck %s --check-prefix=SM80
// One of them, by number.
// RUN: tcc-opt --target=nvptx,sm_90a --pass-pipeline='import,tcc-recompose,tcc-decompose,tcc-simplify,tcc-sink-reshapes,tcc-fuse,tcc-dedup-kernels,tcc-channels-last,tcc-variants{count=20},tcc-select{candidate=7},tcc-memory-plan' %s | FileCheck %s --check-prefix=CHOSEN

// CHECK: tcc.variants = [{band = 8 : i64, cluster = 2 : i64, columns = 256 : i64, groups = 2 : i64, parts = 1 : i64, stages = 4 : i64}
// CHECK-SAME: {band = 16 : i64, cluster = 1 : i64, columns = 256 : i64, groups = 2 : i64, parts = 1 : i64, stages = 4 : i64}
// CHECK-SAME: {band = 4 : i64, cluster = 2 : i64, columns = 128 : i64, groups = 2 : i64, parts = 1 : i64, stages = 6 : i64}
// CHECK-SAME: {band = 8 : i64, cluster = 1 : i64, columns = 64 : i64, groups = 2 : i64, parts = 1 : i64, stages = 6 : i64}
// CHECK-SAME: {band = 16 : i64, cluster = 1 : i64, columns = 256 : i64, groups = 1 : i64, parts = 1 : i64, stages = 5 : i64}
// CHECK: tcc.variants = [{band = 8 : i64, columns = 128 : i64, groups = 2 : i64, stages = 4 : i64}
// CHECK-SAME: {band = 8 : i64, columns = 128 : i64, groups = 2 : i64, stages = 3 : i64}
// CHECK-SAME: {band = 8 : i64, columns = 128 : i64, groups = 2 : i64, stages = 2 : i64}
// CHECK: tcc.kernel = "conv"
// CHECK-SAME: tcc.variants = [{band = {{[0-9]+}} : i64, cluster = {{[12]}} : i64, columns =
// SHARED-NOT: columns = 256 : i64, groups = 2 : i64, parts = 1 : i64, stages = 5
// SM80: tcc.variants = [{parts = 1 : i64, side = 128 : i64}, {parts = 1 : i64, side = 64 : i64}]
// SM80: tcc.variants = [{parts = 1 : i64, side = 128 : i64}, {parts = 1 : i64, side = 64 : i64}]
// SM80: tcc.kernel = "conv"
// SM80-SAME: tcc.variants = [{parts = 1 : i64, side = 128 : i64}, {parts = 2 : i64, side = 128 : i64}, {parts = 1 : i64, side = 64 : i64}
// SM80: tcc.variants = [{parts = 4 : i64, side = 64 : i64}
// SM80-SAME: {parts = 16 : i64, side = 64 : i64}
// CHOSEN: tcc.schedule = {band = 8 : i64, cluster = 2 : i64, columns = 128 : i64, groups = 2 : i64, parts = 1 : i64, stages = 6 : i64}
func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>, %c: tensor<4096x4096xf32>, %d: tensor<4096x4096xf32>, %x: tensor<32x64x28x28xf16>, %w: tensor<128x64x3x3xf16>, %r: tensor<300x4096xf32>, %s: tensor<4096x300xf32>) -> (tensor<4096x4096xf16>, tensor<4096x4096xf32>, tensor<32x128x28x28xf16>, tensor<300x300xf32>) {
  %0 = "tcc.matmul"(%a, %b) : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %1 = "tcc.matmul"(%c, %d) : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %none = "tcc.none"() : () -> none
  %2 = "tcc.conv"(%x, %w, %none) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<32x64x28x28xf16>, tensor<128x64x3x3xf16>, none) -> tensor<32x128x28x28xf16>
  %3 = "tcc.matmul"(%r, %s) : (tensor<300x4096xf32>, tensor<4096x300xf32>) -> tensor<300x300xf32>
  func.return %0, %1, %2, %3 : tensor<4096x4096xf16>, tensor<4096x4096xf32>, tensor<32x128x28x28xf16>, tensor<300x300xf32>
}
