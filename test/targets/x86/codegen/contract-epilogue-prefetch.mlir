// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-llvm --target=x86,skylake-avx512 | FileCheck %s

// What the epilogue writes and reads row by row is prefetched before the product: lines of the result, then of the residual: 384 bytes apart, three lines a row, which are words of the table that it gets.
// CHECK: @data_{{[0-9a-f]+}}("{{.*}}\80\01\00\00\00\00\00\00\03\00\00\00\00\00\00\00") {{.*}}<40 x i8>
// CHECK: llvm.func hidden @[[FETCH:prefetch_[0-9a-f]+]]
// CHECK: %[[WRITE:[0-9]+]] = llvm.mlir.addressof @ask_to_write_
// CHECK: %[[P:[0-9]+]] = llvm.getelementptr %9[3]
// CHECK-NEXT: %[[APART:[0-9]+]] = llvm.load %[[P]]
// CHECK-NEXT: %[[P:[0-9]+]] = llvm.getelementptr %9[4]
// CHECK-NEXT: %[[LINES:[0-9]+]] = llvm.load %[[P]]
// CHECK: %[[READ:[0-9]+]] = llvm.mlir.addressof @ask_to_read_
// CHECK: llvm.call %[[WRITE]](%{{[0-9]+}}, %7, %[[APART]], %[[LINES]])
// CHECK: llvm.call %[[READ]](%{{[0-9]+}}, %7, %[[APART]], %[[LINES]])
// CHECK: llvm.func @{{.*}}_dot_general_add
// CHECK: %[[TILE:[0-9]+]] = llvm.mlir.addressof @tile_
// CHECK: llvm.call @[[FETCH]](
// CHECK-NEXT: llvm.call %[[TILE]](
func.func @residual(%x: tensor<128x512xf32>, %w: tensor<512x96xf32>, %r: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<128x512xf32>, tensor<512x96xf32>) -> tensor<128x96xf32>
  %1 = "tcc.add"(%0, %r) : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32>
  return %1 : tensor<128x96xf32>
}

// A product that is done before the lines of its result can come does not ask for them.
// CHECK: llvm.func hidden @[[FETCH:prefetch_[0-9a-f]+]]
// CHECK-NOT: ask_to_write
// CHECK: %[[READ:[0-9]+]] = llvm.mlir.addressof @ask_to_read_
// CHECK-NOT: ask_to_write
// CHECK: llvm.call %[[READ]](
// CHECK-NOT: ask_to_write
// CHECK: llvm.func @{{.*}}_dot_general_add
// CHECK: llvm.call @[[FETCH]](
func.func @shallow(%x: tensor<128x64xf32>, %w: tensor<64x96xf32>, %r: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<128x64xf32>, tensor<64x96xf32>) -> tensor<128x96xf32>
  %1 = "tcc.add"(%0, %r) : (tensor<128x96xf32>, tensor<128x96xf32>) -> tensor<128x96xf32>
  return %1 : tensor<128x96xf32>
}

// Neither a bias, which all rows share, nor a result whose columns lie apart, as those of bytes do: their operands do not change places.
// CHECK-NOT: @prefetch
// CHECK: llvm.func @{{.*}}_dot_general_add_transpose
// CHECK-NOT: @prefetch
func.func @transposed(%x: tensor<128x64xi8>, %w: tensor<64x96xi8>, %b: tensor<96xi32>) -> tensor<96x128xi32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<128x64xi8>, tensor<64x96xi8>) -> tensor<128x96xi32>
  %1 = "tcc.add"(%0, %b) : (tensor<128x96xi32>, tensor<96xi32>) -> tensor<128x96xi32>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 0>} : (tensor<128x96xi32>) -> tensor<96x128xi32>
  return %2 : tensor<96x128xi32>
}
