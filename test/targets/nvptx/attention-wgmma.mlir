// Attention of 16-bit floats on sm_90a: tensor maps copy queries, keys and values, warpgroups multiply them, weights stay in registers. Products of one
// step go to the tensor cores together, and those with the values are waited for behind the exponentials of the next scores.
// The largest score is found before they are scaled: one fma is left for each.
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_90a %s | tcc-translate --to-ptx --target=nvptx,sm_90a - | FileCheck %s --implicit-check-not=div.u --implicit-check-not=div.s --implicit-check-not=rem.
// RUN: tcc-explain --target=nvptx,sm_90a %s | FileCheck --check-prefix=WHY %s
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_90 %s | tcc-translate --to-ptx --target=nvptx,sm_90 - | FileCheck --check-prefix=OTHER %s
// OTHER-NOT: wgmma
// WHY-DAG: schedule: wgmma by tensor maps, rows = 128, keys = 128, slices = 1, stages = 2, persistent
// WHY-DAG: schedule: wgmma by tensor maps, rows = 128, keys = 32, slices = 1, stages = 2, by
// WHY-DAG: schedule: mma, rows = 64, keys = 64, slices = 1, stages = 2
// WHY-DAG: schedule: mma, rows = 32, keys = 64, slices = 2, stages = 2

// Two boxes of a row of 128, of each stage; dynamic sizes; heads in groups.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_attention
// CHECK-DAG: setmaxnreg.dec.sync.aligned.u32 40;
// CHECK-DAG: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// CHECK-DAG: setmaxnreg.inc.sync.aligned.u32 232;
// CHECK-DAG: bar.arrive 1, 256;
// CHECK: att_keys: mbarrier.try_wait{{.*}} bar.sync %r{{[0-9]+}}, 256; wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{[^}]*}}}, %att_a, %att_b, 0, 1, 1, 0, 0;
// CHECK-SAME: bar.arrive %r{{[0-9]+}}, 256; wgmma.wait_group.sync.aligned 0;
// CHECK: att_keys: mbarrier.try_wait{{.*}} wgmma.fence.sync.aligned; {{.*}}, %att_a, %att_b, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{{[^}]*}}}, {{{%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+}}}, %att_b, 1, 1, 1, 1;
// CHECK-SAME: wgmma.commit_group.sync.aligned; bar.arrive %r{{[0-9]+}}, 256; wgmma.wait_group.sync.aligned 1;
// CHECK-NOT: mul.{{(rn.)?}}f32
// CHECK: max.f32
// CHECK: fma.rn.f32
// CHECK-NEXT: ex2.approx.ftz.f32
// CHECK: att_values: mbarrier.try_wait{{.*}} wgmma.wait_group.sync.aligned 0;
// CHECK: cvt.rn.bf16x2.f32
// CHECK: att_none; wgmma.fence.sync.aligned;
// CHECK: // launch of k_{{.*}}: grid [min(8*B*floordiv(S + 127, 128), 132), 1, 1] block [384, 1, 1] cluster [1, 1, 1] shared 0 + 184400

// A mask and a head of 256: fewer keys. Few rows, and rows that are no multiples of 16 bytes: mma.sync.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_attention
// CHECK: wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16
// CHECK: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
// CHECK: .visible .entry k_{{[0-9a-f]+}}_attention
// CHECK-NOT: wgmma
module {
func.func @main(%q: tensor<?x8x?x128xbf16, ["B", 8, "S", 128]>, %k: tensor<?x2x?x128xbf16, ["B", 2, "T", 128]>, %v: tensor<?x2x?x128xbf16, ["B", 2, "T", 128]>,
                %x: tensor<2x2x200x256xf16>, %m: tensor<2x1x200x200xi1>, %y: tensor<2x2x20x64xf16>, %z: tensor<2x2x200x33xf16>)
    -> (tensor<?x8x?x128xbf16, ["B", 8, "S", 128]>, tensor<2x2x200x256xf16>, tensor<2x2x20x64xf16>, tensor<2x2x200x33xf16>) {
  %mask = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %mask) {causal = true, offset = ["T - S"], scale = 0.125 : f64} : (tensor<?x8x?x128xbf16, ["B", 8, "S", 128]>, tensor<?x2x?x128xbf16, ["B", 2, "T", 128]>, tensor<?x2x?x128xbf16, ["B", 2, "T", 128]>, none) -> tensor<?x8x?x128xbf16, ["B", 8, "S", 128]>
  %1 = "tcc.attention"(%x, %x, %x, %m) {scale = 0.125 : f64} : (tensor<2x2x200x256xf16>, tensor<2x2x200x256xf16>, tensor<2x2x200x256xf16>, tensor<2x1x200x200xi1>) -> tensor<2x2x200x256xf16>
  %2 = "tcc.attention"(%y, %y, %y, %mask) {scale = 0.125 : f64} : (tensor<2x2x20x64xf16>, tensor<2x2x20x64xf16>, tensor<2x2x20x64xf16>, none) -> tensor<2x2x20x64xf16>
  %3 = "tcc.attention"(%z, %z, %z, %mask) {scale = 0.125 : f64} : (tensor<2x2x200x33xf16>, tensor<2x2x200x33xf16>, tensor<2x2x200x33xf16>, none) -> tensor<2x2x200x33xf16>
  return %0, %1, %2, %3 : tensor<?x8x?x128xbf16, ["B", 8, "S", 128]>, tensor<2x2x200x256xf16>, tensor<2x2x20x64xf16>, tensor<2x2x200x33xf16>
}
}
