// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx2 %s | grep -o "llvm.func @k_[0-9a-f]*" | sort -u | wc -l | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,avx512 %s | grep -o "llvm.func @k_[0-9a-f]*" | sort -u | wc -l | FileCheck %s
// REQUIRES: avx2

// Kernels that differ in sizes alone have one text, whose sizes are slots: flat ones of any length, rows of a few vectors, transposes by their batch,
// and pieces of long rows, two and one of each (but for those that are whole blocks, which have no rest). Another width of a few vectors is other code, and so are numbers of each channel, whose rows are longer.
// CHECK: {{^ *7$}}
func.func private @k0(%x: tensor<1001xf32>) -> tensor<1001xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.neg"(%x) : (tensor<1001xf32>) -> tensor<1001xf32>
  return %r : tensor<1001xf32>
}
func.func private @k1(%x: tensor<7x11x1x1xf32>) -> tensor<7x11x1x1xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.neg"(%x) : (tensor<7x11x1x1xf32>) -> tensor<7x11x1x1xf32>
  return %r : tensor<7x11x1x1xf32>
}
func.func private @k2(%x: tensor<2x5x10x10xf32>, %s: tensor<5x1x1xf32>) -> tensor<2x5x10x10xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.mul"(%x, %s) : (tensor<2x5x10x10xf32>, tensor<5x1x1xf32>) -> tensor<2x5x10x10xf32>
  return %r : tensor<2x5x10x10xf32>
}
func.func private @k3(%x: tensor<3x7x10x13xf32>, %s: tensor<7x1x1xf32>) -> tensor<3x7x10x13xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.mul"(%x, %s) : (tensor<3x7x10x13xf32>, tensor<7x1x1xf32>) -> tensor<3x7x10x13xf32>
  return %r : tensor<3x7x10x13xf32>
}
func.func private @k4(%x: tensor<2x3x6x6x8xf32>, %s: tensor<1x3x1x1x8xf32>) -> tensor<2x3x6x6x8xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.add"(%x, %s) : (tensor<2x3x6x6x8xf32>, tensor<1x3x1x1x8xf32>) -> tensor<2x3x6x6x8xf32>
  return %r : tensor<2x3x6x6x8xf32>
}
func.func private @k5(%x: tensor<5x4x9x7x8xf32>, %s: tensor<1x4x1x1x8xf32>) -> tensor<5x4x9x7x8xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.add"(%x, %s) : (tensor<5x4x9x7x8xf32>, tensor<1x4x1x1x8xf32>) -> tensor<5x4x9x7x8xf32>
  return %r : tensor<5x4x9x7x8xf32>
}
func.func private @k6(%x: tensor<5x4x9x7x12xf32>, %s: tensor<1x4x1x1x12xf32>) -> tensor<5x4x9x7x12xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.add"(%x, %s) : (tensor<5x4x9x7x12xf32>, tensor<1x4x1x1x12xf32>) -> tensor<5x4x9x7x12xf32>
  return %r : tensor<5x4x9x7x12xf32>
}
func.func private @k7(%x: tensor<4x8x49xf32>) -> tensor<4x49x8xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<4x8x49xf32>) -> tensor<4x49x8xf32>
  return %r : tensor<4x49x8xf32>
}
func.func private @k8(%x: tensor<60x8x49xf32>) -> tensor<60x49x8xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.transpose"(%x) {perm = array<i64: 0, 2, 1>} : (tensor<60x8x49xf32>) -> tensor<60x49x8xf32>
  return %r : tensor<60x49x8xf32>
}
func.func private @k9(%x: tensor<3x17003xf32>, %s: tensor<3x1xf32>) -> tensor<3x17003xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.sub"(%x, %s) : (tensor<3x17003xf32>, tensor<3x1xf32>) -> tensor<3x17003xf32>
  return %r : tensor<3x17003xf32>
}
func.func private @k10(%x: tensor<2x20003xf32>, %s: tensor<2x1xf32>) -> tensor<2x20003xf32> attributes {tcc.kernel = "map"} {
  %r = "tcc.sub"(%x, %s) : (tensor<2x20003xf32>, tensor<2x1xf32>) -> tensor<2x20003xf32>
  return %r : tensor<2x20003xf32>
}
func.func @main(%a: tensor<1001xf32>, %b: tensor<7x11x1x1xf32>, %c: tensor<2x5x10x10xf32>, %cs: tensor<5x1x1xf32>, %d: tensor<3x7x10x13xf32>, %ds: tensor<7x1x1xf32>, %e: tensor<2x3x6x6x8xf32>, %es: tensor<1x3x1x1x8xf32>, %f: tensor<5x4x9x7x8xf32>, %fs: tensor<1x4x1x1x8xf32>, %g: tensor<5x4x9x7x12xf32>, %gs: tensor<1x4x1x1x12xf32>, %h: tensor<4x8x49xf32>, %i: tensor<60x8x49xf32>, %j: tensor<3x17003xf32>, %js: tensor<3x1xf32>, %k: tensor<2x20003xf32>, %ks: tensor<2x1xf32>) -> (tensor<1001xf32>, tensor<7x11x1x1xf32>, tensor<2x5x10x10xf32>, tensor<3x7x10x13xf32>, tensor<2x3x6x6x8xf32>, tensor<5x4x9x7x8xf32>, tensor<5x4x9x7x12xf32>, tensor<4x49x8xf32>, tensor<60x49x8xf32>, tensor<3x17003xf32>, tensor<2x20003xf32>) {
  %0 = func.call @k0(%a) : (tensor<1001xf32>) -> tensor<1001xf32>
  %1 = func.call @k1(%b) : (tensor<7x11x1x1xf32>) -> tensor<7x11x1x1xf32>
  %2 = func.call @k2(%c, %cs) : (tensor<2x5x10x10xf32>, tensor<5x1x1xf32>) -> tensor<2x5x10x10xf32>
  %3 = func.call @k3(%d, %ds) : (tensor<3x7x10x13xf32>, tensor<7x1x1xf32>) -> tensor<3x7x10x13xf32>
  %4 = func.call @k4(%e, %es) : (tensor<2x3x6x6x8xf32>, tensor<1x3x1x1x8xf32>) -> tensor<2x3x6x6x8xf32>
  %5 = func.call @k5(%f, %fs) : (tensor<5x4x9x7x8xf32>, tensor<1x4x1x1x8xf32>) -> tensor<5x4x9x7x8xf32>
  %6 = func.call @k6(%g, %gs) : (tensor<5x4x9x7x12xf32>, tensor<1x4x1x1x12xf32>) -> tensor<5x4x9x7x12xf32>
  %7 = func.call @k7(%h) : (tensor<4x8x49xf32>) -> tensor<4x49x8xf32>
  %8 = func.call @k8(%i) : (tensor<60x8x49xf32>) -> tensor<60x49x8xf32>
  %9 = func.call @k9(%j, %js) : (tensor<3x17003xf32>, tensor<3x1xf32>) -> tensor<3x17003xf32>
  %10 = func.call @k10(%k, %ks) : (tensor<2x20003xf32>, tensor<2x1xf32>) -> tensor<2x20003xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<1001xf32>, tensor<7x11x1x1xf32>, tensor<2x5x10x10xf32>, tensor<3x7x10x13xf32>, tensor<2x3x6x6x8xf32>, tensor<5x4x9x7x8xf32>, tensor<5x4x9x7x12xf32>, tensor<4x49x8xf32>, tensor<60x49x8xf32>, tensor<3x17003xf32>, tensor<2x20003xf32>
}
