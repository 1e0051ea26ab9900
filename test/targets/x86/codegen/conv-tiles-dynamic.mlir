// Of images of unknown size the call knows how many rows a tile of work has: 28 rows of three panels of weights are no three tiles of all rows, which two threads
// would share as two and one.
// RUN: tcc-compile %s --numerics=direct --target=x86,avx2,l2=512K -o %t.so && tcc-compile %s --numerics=direct --target=x86,avx512,l2=512K -o %t.512.so
// RUN: tcc-explain %s --numerics=direct --target=x86,avx512,l2=512K | FileCheck %s --check-prefix=PLAN
// RUN: tcc-run %t.so --random=1 --dim=H=28 --dim=W=28 --profile | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=28 --dim=W=28 --save=%t
// RUN: tcc-run %t.so --threads=2 --random=1 --dim=H=28 --dim=W=28 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=3 --dim=W=5 --save=%t
// RUN: tcc-run %t.so --threads=3 --random=1 --dim=H=3 --dim=W=5 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=H=43 --dim=W=1 --save=%t
// RUN: tcc-run %t.so --threads=2 --random=1 --dim=H=43 --dim=W=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// REQUIRES: avx2
// PLAN: by-panel tile=size
// CHECK: {{[ ][2-9][0-9]}} tiles {{.*}}conv
func.func @main(%x: tensor<1x128x?x?xf32, [1, 128, "H", "W"]>) -> tensor<1x128x?x?xf32, [1, 128, "H", "W"]> {
  %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<147456xf32>
  %s = "tcc.sin"(%i) : (tensor<147456xf32>) -> tensor<147456xf32>
  %w = "tcc.reshape"(%s) : (tensor<147456xf32>) -> tensor<128x128x3x3xf32>
  %j = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %b = "tcc.sin"(%j) : (tensor<128xf32>) -> tensor<128xf32>
  %r = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x128x?x?xf32, [1, 128, "H", "W"]>, tensor<128x128x3x3xf32>, tensor<128xf32>) -> tensor<1x128x?x?xf32, [1, 128, "H", "W"]>
  return %r : tensor<1x128x?x?xf32, [1, 128, "H", "W"]>
}
