// Constant bytes are shared by their content, and so is a function that reads them: the epilogue of two products of other depths has one name, by which
// the second kernel's object finds the first one's.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 - | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// CHECK: llvm.func hidden @[[EPILOGUE:epilogue_[0-9a-f]+]](
// CHECK: llvm.mlir.addressof @[[DATA:data_[0-9a-f]+]]
// CHECK: llvm.func @[[FIRST:k_[0-9a-f]+_dot_general_erf]](
// CHECK: llvm.call @[[EPILOGUE]](
// CHECK-NOT: llvm.func @[[FIRST]](
// CHECK: llvm.mlir.global hidden constant @[[DATA]]("
// CHECK-NOT: llvm.func @[[FIRST]](
// CHECK: llvm.func hidden @[[EPILOGUE]](
// CHECK: llvm.call @[[EPILOGUE]](
func.func @main(%x: tensor<40x40xf32>, %y: tensor<40x72xf32>, %v: tensor<40x48xf32>, %w: tensor<72x48xf32>) -> (tensor<40x48xf32>, tensor<40x48xf32>) {
  %0 = "tcc.dot_general"(%x, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<40x40xf32>, tensor<40x48xf32>) -> tensor<40x48xf32>
  %1 = "tcc.erf"(%0) : (tensor<40x48xf32>) -> tensor<40x48xf32>
  %2 = "tcc.dot_general"(%y, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<40x72xf32>, tensor<72x48xf32>) -> tensor<40x48xf32>
  %3 = "tcc.erf"(%2) : (tensor<40x48xf32>) -> tensor<40x48xf32>
  return %1, %3 : tensor<40x48xf32>, tensor<40x48xf32>
}
