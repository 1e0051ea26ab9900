// Rows of an image of unknown size go by a loop over the dim before the last: taking each row's number apart would divide by that size.
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-llvm --target=x86,x86-64-v3 | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=H=19 --dim=W=45 --dim=N=3 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=H=300 --dim=W=1 --dim=N=2 --threads=3 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=H=1 --dim=W=9001 --dim=N=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=H=2 --dim=W=3 --dim=N=0 --compare=interp
// REQUIRES: avx2
// CHECK: llvm.func @{{.*}}_pad
// CHECK-NOT: llvm.urem
func.func @main(%x: tensor<?x6x?x?xf32, ["N", 6, "H", "W"]>) -> tensor<?x6x?x?xf32, ["N", 6, "H + 2", "W + 2"]> {
  %none = "tcc.none"() : () -> none
  %r = "tcc.pad"(%x, %none) {low = [0, 0, 1, 1], high = [0, 0, 1, 1], mode = "edge"} : (tensor<?x6x?x?xf32, ["N", 6, "H", "W"]>, none) -> tensor<?x6x?x?xf32, ["N", 6, "H + 2", "W + 2"]>
  return %r : tensor<?x6x?x?xf32, ["N", 6, "H + 2", "W + 2"]>
}
