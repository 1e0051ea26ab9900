// RUN: tcc-opt --tcc-split-volumes --target=x86 %s | FileCheck %s
// RUN: tcc-run --random=1 --compare=interp %s | FileCheck %s --check-prefix=SAME
// SAME: ok: {{[0-9]+}} kernels match the interpreter

// Windows of one element along an axis: of the depth planes alone are left; of the last axis, as blocks of channels have it, rows lie side by side already.
// CHECK-COUNT-1: "tcc.pool"({{.*}}) {{.*}}kernel = array<i64: 2, 3>{{.*}}: (tensor<1x8x6x5xf32>) -> tensor<1x8x5x3xf32>
// CHECK-NOT: kernel = array<i64: 1, 1>
// CHECK: "tcc.pool"({{.*}}) {{.*}}kernel = array<i64: 3, 3, 1>{{.*}}: (tensor<1x2x4x6x5xf32>)
func.func @main(%x: tensor<1x2x4x6x5xf32>) -> (tensor<1x2x4x5x3xf32>, tensor<1x2x2x4x5xf32>) {
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 1, 2, 3>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>} : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x4x5x3xf32>
  %1 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 3, 3, 1>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>} : (tensor<1x2x4x6x5xf32>) -> tensor<1x2x2x4x5xf32>
  return %0, %1 : tensor<1x2x4x5x3xf32>, tensor<1x2x2x4x5xf32>
}
