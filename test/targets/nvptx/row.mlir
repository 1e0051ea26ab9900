// A reduction: a warp per row, folded by shuffles; the result is written by a second loop.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s

// CHECK: .visible .entry k_{{[0-9a-f]+}}_reduce_div
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK: div.{{(rn.)?}}f32
// CHECK: st.global
func.func private @k0_reduce_div(%x: tensor<4x100xf32>) -> tensor<4x100xf32> attributes {tcc.kernel = "row"} {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<4x100xf32>) -> tensor<4x1xf32>
  %1 = "tcc.div"(%x, %0) : (tensor<4x100xf32>, tensor<4x1xf32>) -> tensor<4x100xf32>
  return %1 : tensor<4x100xf32>
}
