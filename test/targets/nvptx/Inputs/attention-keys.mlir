// Queries of one step over keys whose number is not known (parts.test).
func.func @main(%q: tensor<1x4x1x64xf32>, %k: tensor<1x2x?x64xf32, [1, 2, "S", 64]>, %v: tensor<1x2x?x64xf32, [1, 2, "S", 64]>) -> tensor<1x4x1x64xf32> {
  %none = "tcc.none"() : () -> none
  %r = "tcc.attention"(%q, %k, %v, %none) {scale = 0.5 : f64, softcap = 0.0 : f64, zero_masked = true} : (tensor<1x4x1x64xf32>, tensor<1x2x?x64xf32, [1, 2, "S", 64]>, tensor<1x2x?x64xf32, [1, 2, "S", 64]>, none) -> tensor<1x4x1x64xf32>
  return %r : tensor<1x4x1x64xf32>
}
