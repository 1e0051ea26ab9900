// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=0 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=0 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=1 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=150 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=150 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=T=37 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=T=37 --data=%t --check --rtol=5e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=T=1 --profile | FileCheck %s
// REQUIRES: avx2

// A step's keys and values are put behind those of the steps before by the attention that reads them: groups of 4 and of 3 heads with a
// mask, heads by themselves with keys that none sees and in f16, and new ones that come as the product before them has them.
// CHECK-NOT: {{reference|loops}}
// CHECK-COUNT-4: x86.attention {{.*}}_attention_
// CHECK-NOT: {{reference|loops|x86.map}}
func.func @main(%q: tensor<2x8x1x20xf32>, %pk: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %nk: tensor<2x2x1x20xf32>, %pv: tensor<2x2x?x33xf32, [2, 2, "T", 33]>, %nv: tensor<2x1x66xf32>, %q3: tensor<1x6x1x64xf32>, %pk3: tensor<1x2x?x64xf32, [1, 2, "T", 64]>, %nk3: tensor<1x2x3x64xf32>, %pv3: tensor<1x2x?x64xf32, [1, 2, "T", 64]>, %nv3: tensor<1x2x3x64xf32>, %pm: tensor<1x1x1x?xi1, [1, 1, 1, "T"]>, %nm: tensor<1x1x1x3xi1>, %q1: tensor<1x5x1x16xf32>, %pk1: tensor<1x5x?x16xf32, [1, 5, "T", 16]>, %nk1: tensor<1x5x4x16xf32>, %pv1: tensor<1x5x?x200xf32, [1, 5, "T", 200]>, %nv1: tensor<1x5x4x200xf32>, %qh: tensor<1x2x1x64xf16>, %pkh: tensor<1x2x?x64xf16, [1, 2, "T", 64]>, %nkh: tensor<1x2x1x64xf16>, %pvh: tensor<1x2x?x64xf16, [1, 2, "T", 64]>, %nvh: tensor<1x2x1x64xf16>) -> (tensor<2x1x8x33xf32>, tensor<2x2x?x20xf32, [2, 2, "T + 1", 20]>, tensor<2x2x?x33xf32, [2, 2, "T + 1", 33]>, tensor<1x6x1x64xf32>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x5x1x200xf32>, tensor<1x5x?x16xf32, [1, 5, "T + 4", 16]>, tensor<1x5x?x200xf32, [1, 5, "T + 4", 200]>, tensor<1x2x1x64xf16>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>) {
  %none = "tcc.none"() : () -> none
  %k = "tcc.concat"(%pk, %nk) {axis = 2 : i64} : (tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x1x20xf32>) -> tensor<2x2x?x20xf32, [2, 2, "T + 1", 20]>
  %rv = "tcc.reshape"(%nv) : (tensor<2x1x66xf32>) -> tensor<2x1x2x33xf32>
  %tv = "tcc.transpose"(%rv) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x1x2x33xf32>) -> tensor<2x2x1x33xf32>
  %v = "tcc.concat"(%pv, %tv) {axis = 2 : i64} : (tensor<2x2x?x33xf32, [2, 2, "T", 33]>, tensor<2x2x1x33xf32>) -> tensor<2x2x?x33xf32, [2, 2, "T + 1", 33]>
  %r = "tcc.attention"(%q, %k, %v, %none) {scale = 0.3 : f64} : (tensor<2x8x1x20xf32>, tensor<2x2x?x20xf32, [2, 2, "T + 1", 20]>, tensor<2x2x?x33xf32, [2, 2, "T + 1", 33]>, none) -> tensor<2x8x1x33xf32>
  %rt = "tcc.transpose"(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x8x1x33xf32>) -> tensor<2x1x8x33xf32>
  %k3 = "tcc.concat"(%pk3, %nk3) {axis = 2 : i64} : (tensor<1x2x?x64xf32, [1, 2, "T", 64]>, tensor<1x2x3x64xf32>) -> tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>
  %v3 = "tcc.concat"(%pv3, %nv3) {axis = 2 : i64} : (tensor<1x2x?x64xf32, [1, 2, "T", 64]>, tensor<1x2x3x64xf32>) -> tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>
  %m3 = "tcc.concat"(%pm, %nm) {axis = 3 : i64} : (tensor<1x1x1x?xi1, [1, 1, 1, "T"]>, tensor<1x1x1x3xi1>) -> tensor<1x1x1x?xi1, [1, 1, 1, "T + 3"]>
  %r3 = "tcc.attention"(%q3, %k3, %v3, %m3) {scale = 0.1 : f64, zero_masked = true, softcap = 5.0 : f64} : (tensor<1x6x1x64xf32>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x1x1x?xi1, [1, 1, 1, "T + 3"]>) -> tensor<1x6x1x64xf32>
  %k1 = "tcc.concat"(%pk1, %nk1) {axis = 2 : i64} : (tensor<1x5x?x16xf32, [1, 5, "T", 16]>, tensor<1x5x4x16xf32>) -> tensor<1x5x?x16xf32, [1, 5, "T + 4", 16]>
  %v1 = "tcc.concat"(%pv1, %nv1) {axis = 2 : i64} : (tensor<1x5x?x200xf32, [1, 5, "T", 200]>, tensor<1x5x4x200xf32>) -> tensor<1x5x?x200xf32, [1, 5, "T + 4", 200]>
  %r1 = "tcc.attention"(%q1, %k1, %v1, %none) {scale = 0.25 : f64, causal = true, offset = ["T"]} : (tensor<1x5x1x16xf32>, tensor<1x5x?x16xf32, [1, 5, "T + 4", 16]>, tensor<1x5x?x200xf32, [1, 5, "T + 4", 200]>, none) -> tensor<1x5x1x200xf32>
  %kh = "tcc.concat"(%pkh, %nkh) {axis = 2 : i64} : (tensor<1x2x?x64xf16, [1, 2, "T", 64]>, tensor<1x2x1x64xf16>) -> tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>
  %vh = "tcc.concat"(%pvh, %nvh) {axis = 2 : i64} : (tensor<1x2x?x64xf16, [1, 2, "T", 64]>, tensor<1x2x1x64xf16>) -> tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>
  %rh = "tcc.attention"(%qh, %kh, %vh, %none) {scale = 0.125 : f64} : (tensor<1x2x1x64xf16>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>, none) -> tensor<1x2x1x64xf16>
  return %rt, %k, %v, %r3, %k3, %v3, %r1, %k1, %v1, %rh, %kh, %vh : tensor<2x1x8x33xf32>, tensor<2x2x?x20xf32, [2, 2, "T + 1", 20]>, tensor<2x2x?x33xf32, [2, 2, "T + 1", 33]>, tensor<1x6x1x64xf32>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x2x?x64xf32, [1, 2, "T + 3", 64]>, tensor<1x5x1x200xf32>, tensor<1x5x?x16xf32, [1, 5, "T + 4", 16]>, tensor<1x5x?x200xf32, [1, 5, "T + 4", 200]>, tensor<1x2x1x64xf16>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>, tensor<1x2x?x64xf16, [1, 2, "T + 1", 64]>
}
