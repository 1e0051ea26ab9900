// RUN: tcc-opt %s --tcc-decompose --verify-each | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=4e-3

// The gradient of a max pool of bf16 is found and summed in f32, and rounded once: windows that overlap send up to four numbers to a place.
// CHECK: %[[X:.*]] = "tcc.convert"(%arg0) : (tensor<1x2x9x9xbf16>) -> tensor<1x2x9x9xf32>
// CHECK: "tcc.pool_index"(%[[X]])
// CHECK: "tcc.scatter_elements"{{.*}} -> tensor<2x81xf32>
// CHECK: "tcc.convert"{{.*}}(tensor<1x2x9x9xf32>) -> tensor<1x2x9x9xbf16>
func.func @main(%x: tensor<1x2x9x9xbf16>, %g: tensor<1x2x4x4xbf16>) -> tensor<1x2x9x9xbf16> {
  %0 = "tcc.pool_grad"(%x, %g) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceil_mode = false, count_include_pad = true} : (tensor<1x2x9x9xbf16>, tensor<1x2x4x4xbf16>) -> tensor<1x2x9x9xbf16>
  return %0 : tensor<1x2x9x9xbf16>
}
