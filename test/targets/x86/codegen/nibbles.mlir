// 4-bit weights: two to a byte, the first in the low half, loaded and converted; maps alone store them (narrow-moves.mlir).
// RUN: split-file %s %t
// RUN: tcc-translate --to-llvm --target=x86,avx512 %t/load.mlir | FileCheck %s
// RUN: not tcc-translate --to-llvm --target=x86,avx512 %t/store.mlir 2>&1 | FileCheck --check-prefix=STORE %s

// CHECK: llvm.lshr
// CHECK: masked.gather
// CHECK: llvm.shl
// CHECK: llvm.ashr
// CHECK: llvm.sitofp
// STORE: error: {{.*}}a result of element type i4

//--- load.mlir
func.func private @k0_convert(%x: tensor<32xi4>) -> tensor<32xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.convert"(%x) : (tensor<32xi4>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

//--- store.mlir
func.func private @k0_reduce(%x: tensor<4x8xf32>) -> tensor<4xi4> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {axes = array<i64: 1>, keepdims = false, kind = "sum"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<4xf32>) -> tensor<4xi4>
  return %1 : tensor<4xi4>
}
