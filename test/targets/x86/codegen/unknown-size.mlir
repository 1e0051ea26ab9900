// RUN: not tcc-compile %s -o %t.so --no-cache 2>&1 | FileCheck %s
// RUN: not env TCC_TUNE_DB=%t.db tcc-tune %s --time-limit=1 2>&1 | FileCheck %s
// RUN: not tcc-opt --pipeline=default %s -o %t.mlir 2>&1 | FileCheck %s
// RUN: tcc-opt --tcc-fuse --tcc-memory-plan %s -o %t.mlir
// RUN: not tcc-translate --to-llvm %t.mlir 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-llvmir %t.mlir 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-asm %t.mlir 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-object %t.mlir 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-llvm --target=reference %t.mlir 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-ptx %t.mlir 2>&1 | FileCheck %s

// A size of which nothing is known could not be checked when the model runs.
// CHECK: error: {{.*}}the size of axis 0 is not known: give it a name in the type's encoding
func.func @main(%x: tensor<?xf32, ["a"]>, %y: tensor<?xf32>) -> tensor<?xf32, ["a"]> {
  %0 = "tcc.add"(%x, %y) : (tensor<?xf32, ["a"]>, tensor<?xf32>) -> tensor<?xf32, ["a"]>
  return %0 : tensor<?xf32, ["a"]>
}
