// Attention is one kernel where tensor cores do its products: of 16-bit floats and, with numerics = fast, of f32. Elsewhere it is composed of products
// and rows. Heads of up to 256.
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_80 %s | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/^module {/module attributes {tcc.numerics = "direct"} {/' %s | tcc-opt --pipeline=default --target=nvptx,sm_80 | FileCheck %s --check-prefixes=HALF,FLOATS
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_75 %s | FileCheck %s --check-prefixes=HALVES,FLOATS
// RUN: sed 's/64xf16/260xf16/g; s/, 64]/, 260]/g' %s | tcc-opt --pipeline=default --target=nvptx,sm_80 | FileCheck %s --check-prefix=HALVES
// WHOLE-NOT: dot_general
// HALF: "tcc.attention"{{.*}}f16
// HALF-NOT: "tcc.attention"
// HALVES: "tcc.dot_general"{{.*}}"P + S"
// FLOATS: "tcc.dot_general"{{.*}}2x2x20x20xf32

// Sizes that are known at run-time only, grouped heads. Rows of 16 a warp, two stages of keys: 64 rows by 144 bytes and four times as much.
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_80 %s | tcc-translate --to-ptx --target=nvptx,sm_80 - | FileCheck %s --implicit-check-not=div.u --implicit-check-not=div.s --implicit-check-not=rem.
// CHECK: .extern .shared .align 16 .b8 k_{{.*}}_tiles[];
// CHECK: .visible .entry k_{{.*}}_attention
// CHECK: cp.async.cg.shared.global
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ex2.approx.ftz.f32
// CHECK: cvt.rn.f16x2.f32
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: // launch of k_{{.*}}: grid [8*B*floordiv(S + 63, 64), 1, 1] block [128, 1, 1] cluster [1, 1, 1] shared 0 + 46080; at most 3 blocks
module {
func.func @main(%q: tensor<?x8x?x64xf16, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>,
                %x: tensor<2x2x20x32xf32>) -> (tensor<?x8x?x64xf16, ["B", 8, "S", 64]>, tensor<2x2x20x32xf32>) {
  %mask = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %mask) {causal = true, offset = ["P"], scale = 0.125 : f64} : (tensor<?x8x?x64xf16, ["B", 8, "S", 64]>, tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>, tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?x64xf16, ["B", 8, "S", 64]>
  %1 = "tcc.attention"(%x, %x, %x, %mask) {scale = 0.125 : f64} : (tensor<2x2x20x32xf32>, tensor<2x2x20x32xf32>, tensor<2x2x20x32xf32>, none) -> tensor<2x2x20x32xf32>
  return %0, %1 : tensor<?x8x?x64xf16, ["B", 8, "S", 64]>, tensor<2x2x20x32xf32>
}
}
