func.func @main(%a: tensor<?x64xf16, ["M", 64]> {tcc.name = "a"}, %b: tensor<64x128xf16> {tcc.name = "b"}) -> tensor<?x128xf16, ["M", 128]> {
  %0 = "tcc.matmul"(%a, %b) : (tensor<?x64xf16, ["M", 64]>, tensor<64x128xf16>) -> tensor<?x128xf16, ["M", 128]>
  func.return %0 : tensor<?x128xf16, ["M", 128]>
}
