func.func @main(%q: tensor<1x24x1x128xbf16>, %k: tensor<1x24x4096x128xbf16>, %v: tensor<1x24x4096x128xbf16>) -> tensor<1x24x1x128xbf16> {
  %mask = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.088 : f64} : (tensor<1x24x1x128xbf16>, tensor<1x24x4096x128xbf16>, tensor<1x24x4096x128xbf16>, none) -> tensor<1x24x1x128xbf16>
  return %0 : tensor<1x24x1x128xbf16>
}
