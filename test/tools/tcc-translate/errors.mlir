// RUN: not tcc-translate --to-llvm --target=nvptx,sm_90a %s 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-asm %s 2>&1 | FileCheck %s
// A kernel that does not verify has no code: an element type that tcc does not have has no width.
// CHECK: errors.mlir:[[@LINE+2]]:8: error: 'tcc.mul': C0: operand 'a' has an element type that tcc does not have
func.func private @k0_mul(%x: tensor<5x7xi7>) -> tensor<5x7xi7> attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %x) : (tensor<5x7xi7>, tensor<5x7xi7>) -> tensor<5x7xi7>
  return %0 : tensor<5x7xi7>
}
