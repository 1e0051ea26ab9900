// RUN: rm -rf %t && mkdir -p %t && cp %s %t/m.mlir && %python -c "import array, sys; array.array('f', [(i * 7919 % 2001 - 1000) / 4000 for i in range(24 * 32 * 9)]).tofile(open(sys.argv[1], 'wb'))" %t/weights.bin
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %t/m.mlir | FileCheck %s
// RUN: tcc-run %t/m.mlir --no-cache --target=reference --random=1 --save=%t/data
// RUN: tcc-run %t/m.mlir --no-cache --random=1 --data=%t/data --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %t/m.mlir --no-cache --random=1 --target=x86,avx2 --data=%t/data --check --rtol=1e-4 --atol=1e-4
// REQUIRES: avx512, python

// Weights of a file are transformed as the model has them, of 24 output channels, which are no whole blocks: no kernel puts them into panels.
// CHECK: func.func private @winograd0(%{{.*}}: tensor<24x32x3x3xf32>) -> tensor<1x6x6x2x16x32xf32> attributes {tcc.kernel = "winograd"}
// CHECK-NOT: -> tensor<1x2x3x3x16x32xf32>
// CHECK: call @winograd0(%{{.*}} : (tensor<24x32x3x3xf32>)
module attributes {tcc.sources = ["weights.bin"]} {
  func.func @main(%x: tensor<1x32x40x40xf32>) -> tensor<1x24x40x40xf32> {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 27648 : i64} : () -> tensor<24x32x3x3xf32>
    %b = "tcc.none"() : () -> none
    %r = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x32x40x40xf32>, tensor<24x32x3x3xf32>, none) -> tensor<1x24x40x40xf32>
    func.return %r : tensor<1x24x40x40xf32>
  }
}
