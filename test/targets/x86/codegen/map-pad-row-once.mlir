// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: bash -c 'for n in 4 9 50; do tcc-run %s --random=1 --dim=H=$n --dim=W=$n --compare=interp && tcc-run %s --target=x86,avx2 --threads=3 --random=1 --dim=H=$n --dim=W=$n --compare=interp || exit 1; done'
// REQUIRES: avx2

// Where a row of an image is reflected, too, which one it is read from is found once, ahead of its blocks: the four of an iteration that touch
// no end are loads and stores. The loops around them are over images, rows and blocks.
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK: llvm.cond_br
// CHECK-NOT: llvm.select
// CHECK-COUNT-4: llvm.store {{.*}} vector<8xf32>
// CHECK: llvm.cond_br
func.func @main(%x: tensor<6x?x?xf32, [6, "H", "W"]>) -> tensor<6x?x?xf32, [6, "H + 6", "W + 6"]> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.pad"(%x, %none) {low = [0, 3, 3], high = [0, 3, 3], mode = "reflect"} : (tensor<6x?x?xf32, [6, "H", "W"]>, none) -> tensor<6x?x?xf32, [6, "H + 6", "W + 6"]>
  return %0 : tensor<6x?x?xf32, [6, "H + 6", "W + 6"]>
}
