// From kernel functions to code, in one step or in several.
// RUN: tcc-opt %s --tcc-fuse -o %t.mlir
// RUN: tcc-translate --to-llvm %t.mlir | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.func @[[NAME:k_[0-9a-f]+_exp_neg]](
// LLVM: llvm.return
// RUN: tcc-translate --to-llvmir %t.mlir | FileCheck %s --check-prefix=IR
// IR: define void @k_{{[0-9a-f]+}}_exp_neg(ptr
// RUN: tcc-translate --to-asm --target=x86,avx2 %t.mlir -o %t.s && FileCheck %s --check-prefix=ASM < %t.s
// ASM: k_{{[0-9a-f]+}}_exp_neg:
// ASM: ymm
// ASM-NOT: zmm
// RUN: tcc-translate --to-llvm --target=x86,avx2 %t.mlir | tcc-translate --to-asm --target=x86,avx2 -o %t2.s && cmp %t.s %t2.s
// RUN: tcc-translate --to-object %t.mlir -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=OBJECT
// OBJECT: T k_{{[0-9a-f]+}}_exp_neg
// A kernel asks for nothing outside of its object.
// RUN: llvm-nm --undefined-only %t.o | count 0
// RUN: not tcc-translate --to-asm --kernel=none %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: tcc-translate: error: the module has no kernel function 'none'
func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = "tcc.exp"(%x) : (tensor<1000xf32>) -> tensor<1000xf32>
  %1 = "tcc.neg"(%0) : (tensor<1000xf32>) -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
}
