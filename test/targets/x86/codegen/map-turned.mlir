// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=53 --dim=C=37 --save=%t && tcc-run %s --random=1 --dim=N=53 --dim=C=37 --threads=3 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=N=53 --dim=C=37 --target=x86,haswell --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=3 --dim=C=1 --save=%t && tcc-run %s --random=1 --dim=N=3 --dim=C=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=0 --dim=C=16 --save=%t && tcc-run %s --random=1 --dim=N=0 --dim=C=16 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=600 --dim=C=64 --save=%t && tcc-run %s --random=1 --dim=N=600 --dim=C=64 --threads=2 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 %s | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,haswell %s | FileCheck %s --check-prefix=AVX2
// REQUIRES: avx512

// Channels into blocks as they are quantised: cells of four places and a vector of channels are turned in registers. Nothing is gathered.
// CHECK-LABEL: llvm.func
// CHECK-NOT: gather
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.shufflevector {{.*}} : vector<16xf32>
// CHECK: llvm.fdiv {{.*}} : vector<16xf32>
// CHECK-NOT: gather
// CHECK-LABEL: llvm.func
// AVX2-LABEL: llvm.func
// AVX2: llvm.load {{.*}} -> vector<4xf32>
// AVX2: llvm.shufflevector {{.*}} : vector<8xf32>
func.func private @k0(%x: tensor<1x48x7x8xf32>) -> tensor<1x3x7x8x16xui8> attributes {tcc.kernel = "map"} {
  %s = "tcc.constant"() {value = dense<3.000000e-02> : tensor<f32>} : () -> tensor<f32>
  %h = "tcc.constant"() {value = dense<2.550000e+02> : tensor<f32>} : () -> tensor<f32>
  %z = "tcc.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.div"(%x, %s) : (tensor<1x48x7x8xf32>, tensor<f32>) -> tensor<1x48x7x8xf32>
  %1 = "tcc.max"(%0, %z) : (tensor<1x48x7x8xf32>, tensor<f32>) -> tensor<1x48x7x8xf32>
  %2 = "tcc.min"(%1, %h) : (tensor<1x48x7x8xf32>, tensor<f32>) -> tensor<1x48x7x8xf32>
  %3 = "tcc.convert"(%2) : (tensor<1x48x7x8xf32>) -> tensor<1x48x7x8xui8>
  %4 = "tcc.reshape"(%3) : (tensor<1x48x7x8xui8>) -> tensor<1x3x16x7x8xui8>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 0, 1, 3, 4, 2>} : (tensor<1x3x16x7x8xui8>) -> tensor<1x3x7x8x16xui8>
  return %5 : tensor<1x3x7x8x16xui8>
}
// Operands of two widths, one that lies as the result does, a number for each column; sizes that are not known. Rows and columns are left over.
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-LABEL: llvm.func
func.func private @k1(%x: tensor<3x?x?xf32, [3, "C", "N"]>, %y: tensor<3x?x?xi8, [3, "C", "N"]>, %r: tensor<3x?x?xf32, [3, "N", "C"]>, %b: tensor<?xf32, ["C"]>) -> tensor<3x?x?xf32, [3, "N", "C"]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.convert"(%y) : (tensor<3x?x?xi8, [3, "C", "N"]>) -> tensor<3x?x?xf32, [3, "C", "N"]>
  %1 = "tcc.mul"(%0, %x) : (tensor<3x?x?xf32, [3, "C", "N"]>, tensor<3x?x?xf32, [3, "C", "N"]>) -> tensor<3x?x?xf32, [3, "C", "N"]>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 1>} : (tensor<3x?x?xf32, [3, "C", "N"]>) -> tensor<3x?x?xf32, [3, "N", "C"]>
  %3 = "tcc.add"(%2, %r) : (tensor<3x?x?xf32, [3, "N", "C"]>, tensor<3x?x?xf32, [3, "N", "C"]>) -> tensor<3x?x?xf32, [3, "N", "C"]>
  %4 = "tcc.add"(%3, %b) : (tensor<3x?x?xf32, [3, "N", "C"]>, tensor<?xf32, ["C"]>) -> tensor<3x?x?xf32, [3, "N", "C"]>
  return %4 : tensor<3x?x?xf32, [3, "N", "C"]>
}
// Halves, two results of different types; 50 columns are three vectors and two.
// CHECK: llvm.load {{.*}} -> vector<8xf16>
func.func private @k2(%x: tensor<50x26xf16>) -> (tensor<26x50xf32>, tensor<26x50xf16>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<50x26xf16>) -> tensor<26x50xf16>
  %1 = "tcc.convert"(%0) : (tensor<26x50xf16>) -> tensor<26x50xf32>
  %2 = "tcc.abs"(%1) : (tensor<26x50xf32>) -> tensor<26x50xf32>
  %3 = "tcc.neg"(%0) : (tensor<26x50xf16>) -> tensor<26x50xf16>
  return %2, %3 : tensor<26x50xf32>, tensor<26x50xf16>
}
// bf16 and bytes of one width.
func.func private @k3(%x: tensor<20x33xbf16>) -> tensor<33x20xbf16> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<20x33xbf16>) -> tensor<33x20xbf16>
  %1 = "tcc.abs"(%0) : (tensor<33x20xbf16>) -> tensor<33x20xbf16>
  return %1 : tensor<33x20xbf16>
}
func.func private @k4(%x: tensor<20x33xi8>, %y: tensor<33x20xi8>) -> tensor<33x20xi8> attributes {tcc.kernel = "map"} {
  %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<20x33xi8>) -> tensor<33x20xi8>
  %1 = "tcc.sub"(%0, %y) : (tensor<33x20xi8>, tensor<33x20xi8>) -> tensor<33x20xi8>
  return %1 : tensor<33x20xi8>
}
func.func @main(%a: tensor<1x48x7x8xf32>, %x: tensor<3x?x?xf32, [3, "C", "N"]>, %y: tensor<3x?x?xi8, [3, "C", "N"]>, %r: tensor<3x?x?xf32, [3, "N", "C"]>, %b: tensor<?xf32, ["C"]>, %h: tensor<50x26xf16>, %c: tensor<20x33xbf16>, %d: tensor<20x33xi8>, %e: tensor<33x20xi8>) -> (tensor<1x3x7x8x16xui8>, tensor<3x?x?xf32, [3, "N", "C"]>, tensor<26x50xf32>, tensor<26x50xf16>, tensor<33x20xbf16>, tensor<33x20xi8>) {
  %0 = call @k0(%a) : (tensor<1x48x7x8xf32>) -> tensor<1x3x7x8x16xui8>
  %1 = call @k1(%x, %y, %r, %b) {tcc.inplace = array<i64: 2, 0>} : (tensor<3x?x?xf32, [3, "C", "N"]>, tensor<3x?x?xi8, [3, "C", "N"]>, tensor<3x?x?xf32, [3, "N", "C"]>, tensor<?xf32, ["C"]>) -> tensor<3x?x?xf32, [3, "N", "C"]>
  %2:2 = call @k2(%h) : (tensor<50x26xf16>) -> (tensor<26x50xf32>, tensor<26x50xf16>)
  %3 = call @k3(%c) : (tensor<20x33xbf16>) -> tensor<33x20xbf16>
  %4 = call @k4(%d, %e) : (tensor<20x33xi8>, tensor<33x20xi8>) -> tensor<33x20xi8>
  return %0, %1, %2#0, %2#1, %3, %4 : tensor<1x3x7x8x16xui8>, tensor<3x?x?xf32, [3, "N", "C"]>, tensor<26x50xf32>, tensor<26x50xf16>, tensor<33x20xbf16>, tensor<33x20xi8>
}
