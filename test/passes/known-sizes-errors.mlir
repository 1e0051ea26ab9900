// RUN: tcc-opt %s --split-input-file --tcc-known-sizes --verify-diagnostics
// RUN: tcc-opt %s --split-input-file --pipeline=default --target=x86,avx512 --verify-diagnostics
// RUN: tcc-opt %s --split-input-file '--tcc-grad=mode=forward' --verify-diagnostics
// RUN: tcc-opt %s --split-input-file --pipeline=gpu --target=nvptx,sm_90a --verify-diagnostics

// expected-error@+1 {{the size of axis 0 is not known: give it a name in the type's encoding}}
func.func @main(%x: tensor<?x96xf16>, %v: tensor<96x128xf16>) -> tensor<?x128xf16> {
  %0 = "tcc.matmul"(%x, %v) : (tensor<?x96xf16>, tensor<96x128xf16>) -> tensor<?x128xf16>
  %1 = "tcc.matmul"(%x, %v) : (tensor<?x96xf16>, tensor<96x128xf16>) -> tensor<?x128xf16>
  %2 = "tcc.mul"(%0, %1) : (tensor<?x128xf16>, tensor<?x128xf16>) -> tensor<?x128xf16>
  return %2 : tensor<?x128xf16>
}

// -----

// expected-error@+1 {{the size of axis 3 is not known: give it a name in the type's encoding}}
func.func @main(%q: tensor<2x4x1x64xf32>, %k: tensor<2x4x?x64xf32, [2, 4, "T", 64]>, %v: tensor<2x4x?x?xf32, [2, 4, "T", "?"]>) -> tensor<2x4x1x?xf32, [2, 4, 1, "?"]> {
  %n = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.3 : f64} : (tensor<2x4x1x64xf32>, tensor<2x4x?x64xf32, [2, 4, "T", 64]>, tensor<2x4x?x?xf32, [2, 4, "T", "?"]>, none) -> tensor<2x4x1x?xf32, [2, 4, 1, "?"]>
  return %0 : tensor<2x4x1x?xf32, [2, 4, 1, "?"]>
}

// -----

// expected-error@+1 {{the size of axis 1 is not known: give it a name in the type's encoding}}
func.func @main(%x: tensor<4x?xf32, [4, "?"]>, %i: tensor<4x1xi64>) -> tensor<f32> {
  %0 = "tcc.gather_elements"(%x, %i) {axis = 1 : i64} : (tensor<4x?xf32, [4, "?"]>, tensor<4x1xi64>) -> tensor<4x1xf32>
  %1 = "tcc.reduce"(%0) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<4x1xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
