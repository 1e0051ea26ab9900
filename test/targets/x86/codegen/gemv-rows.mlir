// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=k0 %s | grep -c "intr.fma" | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=k1 %s | grep -c "intr.fma" | FileCheck %s
// REQUIRES: avx2

// More than two rows that read columns of an operand as they lie are a loop around its steps: as much code for eight rows as for three.
// CHECK: {{^21$}}
func.func private @k0(%x: tensor<8x584xf32>, %w: tensor<584x150xf32>) -> tensor<8x150xf32> attributes {tcc.kernel = "contract"} {
  %r = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x584xf32>, tensor<584x150xf32>) -> tensor<8x150xf32>
  return %r : tensor<8x150xf32>
}
func.func private @k1(%x: tensor<3x584xf32>, %w: tensor<584x150xf32>) -> tensor<3x150xf32> attributes {tcc.kernel = "contract"} {
  %r = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3x584xf32>, tensor<584x150xf32>) -> tensor<3x150xf32>
  return %r : tensor<3x150xf32>
}
func.func @main(%x: tensor<8x584xf32>, %w: tensor<584x150xf32>, %y: tensor<3x584xf32>) -> (tensor<8x150xf32>, tensor<3x150xf32>) {
  %0 = func.call @k0(%x, %w) : (tensor<8x584xf32>, tensor<584x150xf32>) -> tensor<8x150xf32>
  %1 = func.call @k1(%y, %w) : (tensor<3x584xf32>, tensor<584x150xf32>) -> tensor<3x150xf32>
  return %0, %1 : tensor<8x150xf32>, tensor<3x150xf32>
}
