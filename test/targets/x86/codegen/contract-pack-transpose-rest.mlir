// Depths of f32 that are no multiple of 16: the last block of columns that are turned in registers begins earlier, in the strip or block before,
// whose rows it writes again. Products of few and many rows, with one block of depth and several.
// RUN: rm -rf %t && tcc-run %s --no-cache --target=reference --random=1 --save=%t && tcc-run %s --no-cache --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --no-cache --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4 --target=x86,avx512,l1=32K,l2=256K
// RUN: tcc-run %s --no-cache --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4 --target=x86,avx512,l1=48K,l2=2M,cores=8
// RUN: tcc-opt --pipeline=default --target=x86,avx512,l1=48K,l2=1M %s | tcc-translate --to-asm --target=x86,avx512,l1=48K,l2=1M | FileCheck %s
// REQUIRES: avx512
// CHECK: callq transpose_columns_
// CHECK-NOT: vpermt2ps
func.func @main(%x0: tensor<49x196xf32>, %w0: tensor<128x196xf32>, %x1: tensor<25x49xf32>, %w1: tensor<192x49xf32>, %x2: tensor<9x16xf32>, %w2: tensor<320x16xf32>, %x3: tensor<128x17xf32>, %w3: tensor<64x17xf32>, %x4: tensor<400x196xf32>, %w4: tensor<128x196xf32>, %x5: tensor<500x1003xf32>, %w5: tensor<64x1003xf32>, %x6: tensor<512x31xf32>, %w6: tensor<96x31xf32>, %x7: tensor<8x2001xf32>, %w7: tensor<48x2001xf32>, %x8: tensor<640x530xf32>, %w8: tensor<160x530xf32>) -> (tensor<49x128xf32>, tensor<25x192xf32>, tensor<9x320xf32>, tensor<128x64xf32>, tensor<400x128xf32>, tensor<500x64xf32>, tensor<512x96xf32>, tensor<8x48xf32>, tensor<640x160xf32>) {
  %0 = "tcc.dot_general"(%x0, %w0) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<49x196xf32>, tensor<128x196xf32>) -> tensor<49x128xf32>
  %1 = "tcc.dot_general"(%x1, %w1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<25x49xf32>, tensor<192x49xf32>) -> tensor<25x192xf32>
  %2 = "tcc.dot_general"(%x2, %w2) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<9x16xf32>, tensor<320x16xf32>) -> tensor<9x320xf32>
  %3 = "tcc.dot_general"(%x3, %w3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<128x17xf32>, tensor<64x17xf32>) -> tensor<128x64xf32>
  %4 = "tcc.dot_general"(%x4, %w4) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<400x196xf32>, tensor<128x196xf32>) -> tensor<400x128xf32>
  %5 = "tcc.dot_general"(%x5, %w5) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<500x1003xf32>, tensor<64x1003xf32>) -> tensor<500x64xf32>
  %6 = "tcc.dot_general"(%x6, %w6) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<512x31xf32>, tensor<96x31xf32>) -> tensor<512x96xf32>
  %7 = "tcc.dot_general"(%x7, %w7) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<8x2001xf32>, tensor<48x2001xf32>) -> tensor<8x48xf32>
  %8 = "tcc.dot_general"(%x8, %w8) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<640x530xf32>, tensor<160x530xf32>) -> tensor<640x160xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<49x128xf32>, tensor<25x192xf32>, tensor<9x320xf32>, tensor<128x64xf32>, tensor<400x128xf32>, tensor<500x64xf32>, tensor<512x96xf32>, tensor<8x48xf32>, tensor<640x160xf32>
}
