// Products that end alike have one epilogue, whatever their sizes: it is told by a frame of its caller's where the batch entry begins and how far rows lie apart. These
// two, with a bias and a residual, differ in batch entries, rows, columns, depth and what lies between rows.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 - | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// CHECK: llvm.func hidden @[[EPILOGUE:epilogue_[0-9a-f]+]](
// CHECK: llvm.func @[[FIRST:k_[0-9a-f]+_dot_general_add]](
// CHECK: llvm.alloca
// CHECK: llvm.call @[[EPILOGUE]](
// CHECK-NOT: llvm.func @[[FIRST]](
// CHECK: llvm.func hidden @[[EPILOGUE]](
// CHECK-NOT: llvm.func @[[FIRST]](
// CHECK: llvm.call @[[EPILOGUE]](
func.func @main(%x: tensor<40x64xf32>, %w: tensor<64x96xf32>, %b: tensor<96xf32>, %r: tensor<40x96xf32>,
                %y: tensor<3x50x72xf32>, %v: tensor<3x72x48xf32>, %c: tensor<48xf32>, %s: tensor<3x50x48xf32>) -> (tensor<40x96xf32>, tensor<3x50x48xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<40x64xf32>, tensor<64x96xf32>) -> tensor<40x96xf32>
  %1 = "tcc.add"(%0, %b) : (tensor<40x96xf32>, tensor<96xf32>) -> tensor<40x96xf32>
  %2 = "tcc.add"(%1, %r) : (tensor<40x96xf32>, tensor<40x96xf32>) -> tensor<40x96xf32>
  %3 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<3x50x72xf32>, tensor<3x72x48xf32>) -> tensor<3x50x48xf32>
  %4 = "tcc.add"(%3, %c) : (tensor<3x50x48xf32>, tensor<48xf32>) -> tensor<3x50x48xf32>
  %5 = "tcc.add"(%4, %s) : (tensor<3x50x48xf32>, tensor<3x50x48xf32>) -> tensor<3x50x48xf32>
  return %2, %5 : tensor<40x96xf32>, tensor<3x50x48xf32>
}
