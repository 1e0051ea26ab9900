// RUN: rm -rf %t && tcc-run %s --random=1 --target=reference --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3 --threads=2
// RUN: tcc-run %s --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3 --target=x86,avx2
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s --implicit-check-not=llvm.intr.masked.gather
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s --check-prefix=AVX2
// REQUIRES: avx2

// What is contracted lies in runs that are no multiple of a vector: rows and panels are read along them, neither element by element nor by
// gathers. Images seen through windows with steps of one and of two; runs of seven numbers; a batch; blocks of k that begin within a run;
// f64; numbers of 16 bits.
// CHECK-LABEL: @pack_rows
// CHECK-LABEL: @pack_panel
// Without mask registers runs of a vector at least go by whole vectors, and their columns are transposed in registers; every other element of a row
// longer than what is put side by side at once.
// AVX2: llvm.func {{.*}}@pack_rows
// AVX2: llvm.icmp "sge" {{.*}}, {{.*}} : i64
// AVX2: llvm.load {{.*}} vector<8xf32>
// AVX2-NEXT: llvm.getelementptr
// AVX2-NEXT: llvm.store {{.*}} vector<8xf32>
// AVX2: llvm.func {{.*}}@pack_panel
// AVX2: llvm.mlir.addressof @transpose_columns
// AVX2: llvm.icmp "sge"
// AVX2: llvm.func {{.*}}_dot_general_unfold
func.func @main(%x0: tensor<2x20x15x15xf32>, %g0: tensor<2x36x15x15xf32>, %x1: tensor<3x5x31x29xf32>, %g1: tensor<3x33x16x15xf32>, %a: tensor<40x5x3x7xf32>, %b: tensor<5x3x50x7xf32>,
                %c: tensor<4x9x20x37xf32>, %d: tensor<4x9x31x37xf32>, %e: tensor<6x20x13xf64>, %f: tensor<6x31x13xf64>, %h: tensor<6x20x13xf16>, %i: tensor<6x31x13xf16>, %x2: tensor<1x6x5x301xf32>, %g2: tensor<1x33x3x151xf32>)
    -> (tensor<36x20x3x3xf32>, tensor<33x5x3x3xf32>, tensor<40x50xf32>, tensor<4x20x31xf32>, tensor<20x31xf64>, tensor<20x31xf16>, tensor<33x6x3x3xf32>) {
  %0 = "tcc.conv_filter_grad"(%x0, %g0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x20x15x15xf32>, tensor<2x36x15x15xf32>) -> tensor<36x20x3x3xf32>
  %1 = "tcc.conv_filter_grad"(%x1, %g1) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<3x5x31x29xf32>, tensor<3x33x16x15xf32>) -> tensor<33x5x3x3xf32>
  %2 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1, 2, 3>, rhs_contract = array<i64: 0, 1, 3>} : (tensor<40x5x3x7xf32>, tensor<5x3x50x7xf32>) -> tensor<40x50xf32>
  %3 = "tcc.dot_general"(%c, %d) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1, 3>, rhs_contract = array<i64: 1, 3>} : (tensor<4x9x20x37xf32>, tensor<4x9x31x37xf32>) -> tensor<4x20x31xf32>
  %4 = "tcc.dot_general"(%e, %f) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 2>} : (tensor<6x20x13xf64>, tensor<6x31x13xf64>) -> tensor<20x31xf64>
  %5 = "tcc.dot_general"(%h, %i) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0, 2>, rhs_contract = array<i64: 0, 2>} : (tensor<6x20x13xf16>, tensor<6x31x13xf16>) -> tensor<20x31xf16>
  %6 = "tcc.conv_filter_grad"(%x2, %g2) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x6x5x301xf32>, tensor<1x33x3x151xf32>) -> tensor<33x6x3x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<36x20x3x3xf32>, tensor<33x5x3x3xf32>, tensor<40x50xf32>, tensor<4x20x31xf32>, tensor<20x31xf64>, tensor<20x31xf16>, tensor<33x6x3x3xf32>
}
