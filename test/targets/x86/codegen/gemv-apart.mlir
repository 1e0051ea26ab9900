// Eight columns are read side by side: each runs through a share of the tile, here 32 columns of 512 bytes apart, since neighbours share a page. 1,003
// columns are no whole tiles: neighbours then. Bytes in integers: 32 columns of 256 bytes.
// RUN: tcc-opt --tcc-fuse %s | tcc-translate --to-asm --target=x86,avx512,cores=1 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --target=x86,avx512,cores=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx512
// What is asked for ahead is addressed in the same way, and the eight sums are added up together: pairs of vectors become one.
// CHECK: columns_{{.*}}:
// CHECK: prefetcht0{{[ \t]+}}16384([[AHEAD:.*]])
// CHECK: prefetcht0{{[ \t]+}}114688([[AHEAD]])
// CHECK: 16384({{.*}}zmm
// CHECK: 32768({{.*}}zmm
// CHECK: 114688({{.*}}zmm
// CHECK: vshufps{{.*}}zmm
// CHECK-NOT: vextractf64x4
// CHECK: ret
// RUN: tcc-opt --tcc-fuse --tcc-fuse-weight-dequant %s | tcc-translate --to-asm --target=x86,cascadelake,cores=1 | FileCheck %s --check-prefix=BYTES
// BYTES: slices_{{.*}}:
// BYTES: columns_{{.*}}:
// BYTES: 8192({{.*}}zmm
func.func @main(%x: tensor<1x256xbf16>, %w: tensor<1024x256xbf16>, %y: tensor<3x256xf32>, %v: tensor<1003x256xf32>, %b: tensor<1024x256xi8>, %z: tensor<1x256xf32>) -> (tensor<1x1024xbf16>, tensor<3x1003xf32>, tensor<1x1024xf32>) {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<1x256xbf16>, tensor<1024x256xbf16>) -> tensor<1x1024xbf16>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<3x256xf32>, tensor<1003x256xf32>) -> tensor<3x1003xf32>
  %2 = "tcc.convert"(%b) : (tensor<1024x256xi8>) -> tensor<1024x256xf32>
  %3 = "tcc.dot_general"(%z, %2) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<1x256xf32>, tensor<1024x256xf32>) -> tensor<1x1024xf32>
  return %0, %1, %3 : tensor<1x1024xbf16>, tensor<3x1003xf32>, tensor<1x1024xf32>
}
