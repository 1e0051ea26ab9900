// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=37 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=37 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=0 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=0 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s

// Rows of a few vectors: the dim before the last has a loop of its own, in which nothing is divided; shares of threads begin and
// end within it. One vector a row, several, a part of one; a size that may be none.
// CHECK: llvm.func
// CHECK: udiv
// CHECK-NOT: urem
// CHECK: fmul
func.func private @k0(%x: tensor<3x7x99x16xf32>, %s: tensor<3x7x1x16xf32>) -> tensor<3x7x99x16xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.mul"(%x, %s) : (tensor<3x7x99x16xf32>, tensor<3x7x1x16xf32>) -> tensor<3x7x99x16xf32>
  return %r : tensor<3x7x99x16xf32>
}
func.func private @k1(%x: tensor<5x?x40xf32, [5, "N", 40]>, %s: tensor<5x1x40xf32>) -> tensor<5x?x40xf32, [5, "N", 40]> attributes {tcc.kernel = "map"} {
  %r = "tcc.add"(%x, %s) : (tensor<5x?x40xf32, [5, "N", 40]>, tensor<5x1x40xf32>) -> tensor<5x?x40xf32, [5, "N", 40]>
  return %r : tensor<5x?x40xf32, [5, "N", 40]>
}
func.func private @k2(%x: tensor<2x?x11x5xf32, [2, "N", 11, 5]>, %s: tensor<2x?x1x5xf32, [2, "N", 1, 5]>) -> tensor<2x?x11x5xf32, [2, "N", 11, 5]> attributes {tcc.kernel = "map"} {
  %r = "tcc.sub"(%x, %s) : (tensor<2x?x11x5xf32, [2, "N", 11, 5]>, tensor<2x?x1x5xf32, [2, "N", 1, 5]>) -> tensor<2x?x11x5xf32, [2, "N", 11, 5]>
  return %r : tensor<2x?x11x5xf32, [2, "N", 11, 5]>
}
func.func @main(%a: tensor<3x7x99x16xf32>, %b: tensor<3x7x1x16xf32>, %c: tensor<5x?x40xf32, [5, "N", 40]>, %d: tensor<5x1x40xf32>, %e: tensor<2x?x11x5xf32, [2, "N", 11, 5]>, %f: tensor<2x?x1x5xf32, [2, "N", 1, 5]>) -> (tensor<3x7x99x16xf32>, tensor<5x?x40xf32, [5, "N", 40]>, tensor<2x?x11x5xf32, [2, "N", 11, 5]>) {
  %0 = call @k0(%a, %b) : (tensor<3x7x99x16xf32>, tensor<3x7x1x16xf32>) -> tensor<3x7x99x16xf32>
  %1 = call @k1(%c, %d) : (tensor<5x?x40xf32, [5, "N", 40]>, tensor<5x1x40xf32>) -> tensor<5x?x40xf32, [5, "N", 40]>
  %2 = call @k2(%e, %f) : (tensor<2x?x11x5xf32, [2, "N", 11, 5]>, tensor<2x?x1x5xf32, [2, "N", 1, 5]>) -> tensor<2x?x11x5xf32, [2, "N", 11, 5]>
  return %0, %1, %2 : tensor<3x7x99x16xf32>, tensor<5x?x40xf32, [5, "N", 40]>, tensor<2x?x11x5xf32, [2, "N", 11, 5]>
}
