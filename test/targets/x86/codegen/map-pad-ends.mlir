// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-run %s --random=1 --data=%t --check --target=x86,avx2 --rtol=0 --atol=0
// REQUIRES: avx2

// Reflected and repeated rows that are narrower than a vector, so that a block lies across both ends, pads as wide as the rule allows, a
// single element, elements of every width.
func.func @main(%x0: tensor<3x5xf32>, %x1: tensor<2x2xf32>, %x2: tensor<3x1xf32>, %x3: tensor<4x5xf32>, %x4: tensor<3x21xi8>, %x5: tensor<3x21xf16>, %x6: tensor<3x18xf64>, %x7: tensor<2x9xi64>, %x8: tensor<2x40xbf16>, %x9: tensor<5x33xi1>) -> (tensor<3x12xf32>, tensor<3x4xf32>, tensor<3x24xf32>, tensor<7x22xf32>, tensor<3x46xi8>, tensor<3x28xf16>, tensor<5x36xf64>, tensor<2x41xi64>, tensor<2x79xbf16>, tensor<13x66xi1>) {
  %none = "tcc.none"() : () -> none
  %r0 = "tcc.pad"(%x0, %none) {mode = "reflect", low = [0, 3], high = [0, 4]} : (tensor<3x5xf32>, none) -> tensor<3x12xf32>
  %r1 = "tcc.pad"(%x1, %none) {mode = "reflect", low = [0, 1], high = [1, 1]} : (tensor<2x2xf32>, none) -> tensor<3x4xf32>
  %r2 = "tcc.pad"(%x2, %none) {mode = "edge", low = [0, 3], high = [0, 20]} : (tensor<3x1xf32>, none) -> tensor<3x24xf32>
  %r3 = "tcc.pad"(%x3, %none) {mode = "edge", low = [1, 17], high = [2, 0]} : (tensor<4x5xf32>, none) -> tensor<7x22xf32>
  %r4 = "tcc.pad"(%x4, %none) {mode = "reflect", low = [0, 20], high = [0, 5]} : (tensor<3x21xi8>, none) -> tensor<3x46xi8>
  %r5 = "tcc.pad"(%x5, %none) {mode = "edge", low = [0, 2], high = [0, 5]} : (tensor<3x21xf16>, none) -> tensor<3x28xf16>
  %r6 = "tcc.pad"(%x6, %none) {mode = "reflect", low = [2, 1], high = [0, 17]} : (tensor<3x18xf64>, none) -> tensor<5x36xf64>
  %r7 = "tcc.pad"(%x7, %none) {mode = "edge", low = [0, 16], high = [0, 16]} : (tensor<2x9xi64>, none) -> tensor<2x41xi64>
  %r8 = "tcc.pad"(%x8, %none) {mode = "reflect", low = [0, 39], high = [0, 0]} : (tensor<2x40xbf16>, none) -> tensor<2x79xbf16>
  %r9 = "tcc.pad"(%x9, %none) {mode = "reflect", low = [4, 1], high = [4, 32]} : (tensor<5x33xi1>, none) -> tensor<13x66xi1>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 : tensor<3x12xf32>, tensor<3x4xf32>, tensor<3x24xf32>, tensor<7x22xf32>, tensor<3x46xi8>, tensor<3x28xf16>, tensor<5x36xf64>, tensor<2x41xi64>, tensor<2x79xbf16>, tensor<13x66xi1>
}
