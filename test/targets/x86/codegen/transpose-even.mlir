// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t --threads=3 --target=x86,avx2 && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512,l1=48K,l2=2M,cores=2 | tcc-translate --to-llvm --target=x86,avx512,l1=48K,l2=2M,cores=2 | FileCheck %s
// REQUIRES: avx2

// 196 rows are two blocks of 100 and 96, whole cells of four rows: of 128 and 68 one of two threads would have two thirds of the work.
// CHECK-LABEL: llvm.func {{.*}}_transpose
// CHECK: llvm.mlir.constant(100 : i64)
// CHECK-NOT: llvm.mlir.constant(128 : i64)
func.func @main(%x: tensor<1x768x196xf32>) -> tensor<1x196x768xf32> {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<1x768x196xf32>) -> tensor<1x196x768xf32>
  return %0 : tensor<1x196x768xf32>
}
