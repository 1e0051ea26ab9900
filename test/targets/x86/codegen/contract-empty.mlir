// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check
// REQUIRES: avx2

// Products without a row, a column, a depth or an image.
func.func @main(%a: tensor<3x0x8xf32>, %b: tensor<8x129xf32>, %c: tensor<5x0xf32>, %d: tensor<0x129xf32>, %e: tensor<8x0xf32>, %f: tensor<0x4x8xf32>, %g: tensor<3x4x8xf32>, %h: tensor<3x8x129xf32>, %i: tensor<0x8x129xf32>, %j: tensor<33x0x33x8x4x0xf32>, %k: tensor<33x0x1x1x0x129xf32>, %l: tensor<0x2x7x1xf32>)
    -> (tensor<5x129xf32>, tensor<3x0x129xf32>, tensor<3x4x0xf32>, tensor<0x4x129xf32>, tensor<0x4x129xf32>, tensor<33x0x33x8x4x129xf32>, tensor<0x2x7x5xf32>) {
  %0 = "tcc.matmul"(%a, %b) : (tensor<3x0x8xf32>, tensor<8x129xf32>) -> tensor<3x0x129xf32>
  %1 = "tcc.matmul"(%c, %d) : (tensor<5x0xf32>, tensor<0x129xf32>) -> tensor<5x129xf32>
  %2 = "tcc.matmul"(%g, %e) : (tensor<3x4x8xf32>, tensor<8x0xf32>) -> tensor<3x4x0xf32>
  %3 = "tcc.matmul"(%f, %b) : (tensor<0x4x8xf32>, tensor<8x129xf32>) -> tensor<0x4x129xf32>
  %4 = "tcc.matmul"(%f, %i) : (tensor<0x4x8xf32>, tensor<0x8x129xf32>) -> tensor<0x4x129xf32>
  %5 = "tcc.matmul"(%j, %k) : (tensor<33x0x33x8x4x0xf32>, tensor<33x0x1x1x0x129xf32>) -> tensor<33x0x33x8x4x129xf32>
  %one = "tcc.constant"() {value = dense<[[[[-1.5, 2.0, 0.5, 3.0, 1.0]]]]> : tensor<1x1x1x5xf32>} : () -> tensor<1x1x1x5xf32>
  %6 = "tcc.matmul"(%l, %one) : (tensor<0x2x7x1xf32>, tensor<1x1x1x5xf32>) -> tensor<0x2x7x5xf32>
  return %1, %0, %2, %3, %4, %5, %6 : tensor<5x129xf32>, tensor<3x0x129xf32>, tensor<3x4x0xf32>, tensor<0x4x129xf32>, tensor<0x4x129xf32>, tensor<33x0x33x8x4x129xf32>, tensor<0x2x7x5xf32>
}
