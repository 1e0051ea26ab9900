// Rows of an unknown width: how many make a tile is known in the call, so that few wide ones are shared between threads and many short ones go together.
// RUN: tcc-run %s --target=x86,avx2 --random=1 --dim=S=128 --dim=N=3 --dim=M=10000 --profile | FileCheck %s --check-prefix=WIDE
// RUN: tcc-run %s --target=x86,avx2 --random=1 --dim=S=7 --dim=N=3000 --dim=M=100 --profile | FileCheck %s --check-prefix=NARROW
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=S=33 --dim=N=5 --dim=M=9001 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --random=3 --dim=S=1 --dim=N=0 --dim=M=0 --compare=interp
// REQUIRES: avx2
// WIDE: {{ }}12 tiles {{.*}}_add
// NARROW: {{ }}1 tiles {{.*}}_add
// WIDE: {{ }}3 tiles {{.*}}_add_abs
// NARROW: {{ }}37 tiles {{.*}}_add_abs
func.func @main(%a: tensor<12x?x?xf32, [12, "S", "S"]>, %b: tensor<1x?x?xf32, [1, "S", "S"]>, %c: tensor<?x?xf32, ["N", "M"]>, %d: tensor<?xf32, ["M"]>) -> (tensor<12x?x?xf32, [12, "S", "S"]>, tensor<?x?xf32, ["N", "M"]>) {
  %0 = "tcc.add"(%a, %b) : (tensor<12x?x?xf32, [12, "S", "S"]>, tensor<1x?x?xf32, [1, "S", "S"]>) -> tensor<12x?x?xf32, [12, "S", "S"]>
  %1 = "tcc.add"(%c, %d) : (tensor<?x?xf32, ["N", "M"]>, tensor<?xf32, ["M"]>) -> tensor<?x?xf32, ["N", "M"]>
  %2 = "tcc.abs"(%1) : (tensor<?x?xf32, ["N", "M"]>) -> tensor<?x?xf32, ["N", "M"]>
  return %0, %2 : tensor<12x?x?xf32, [12, "S", "S"]>, tensor<?x?xf32, ["N", "M"]>
}
