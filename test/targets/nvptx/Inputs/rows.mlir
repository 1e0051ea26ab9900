func.func @main(%x: tensor<?x768xf32, ["N", 768]>, %w: tensor<768xf32>, %h: tensor<?x3072xf16, ["N", 3072]>, %l: tensor<?x8200xf16, ["N", 8200]>,
                %i: tensor<?x3x4x24xf32, ["N", 3, 4, 24]>, %a: tensor<?x1000xf32, ["N", 1000]>, %o: tensor<?x77xf32, ["N", 77]>)
    -> (tensor<?x768xf32, ["N", 768]>, tensor<?x3072xf16, ["N", 3072]>, tensor<?x8200xf16, ["N", 8200]>, tensor<?x3x4x24xf32, ["N", 3, 4, 24]>,
        tensor<?xi64, ["N"]>, tensor<?x77xf32, ["N", 77]>) {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x768xf32, ["N", 768]>) -> tensor<?x1xf32, ["N", 1]>
  %1 = "tcc.sub"(%x, %0) : (tensor<?x768xf32, ["N", 768]>, tensor<?x1xf32, ["N", 1]>) -> tensor<?x768xf32, ["N", 768]>
  %2 = "tcc.mul"(%1, %w) : (tensor<?x768xf32, ["N", 768]>, tensor<768xf32>) -> tensor<?x768xf32, ["N", 768]>
  %3 = "tcc.reduce"(%h) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<?x3072xf16, ["N", 3072]>) -> tensor<?x1xf16, ["N", 1]>
  %4 = "tcc.sub"(%h, %3) : (tensor<?x3072xf16, ["N", 3072]>, tensor<?x1xf16, ["N", 1]>) -> tensor<?x3072xf16, ["N", 3072]>
  %5 = "tcc.reduce"(%l) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<?x8200xf16, ["N", 8200]>) -> tensor<?x1xf16, ["N", 1]>
  %6 = "tcc.sub"(%l, %5) : (tensor<?x8200xf16, ["N", 8200]>, tensor<?x1xf16, ["N", 1]>) -> tensor<?x8200xf16, ["N", 8200]>
  %7 = "tcc.reduce"(%i) {kind = "sum", axes = array<i64: 2, 3>, keepdims = true} : (tensor<?x3x4x24xf32, ["N", 3, 4, 24]>) -> tensor<?x3x1x1xf32, ["N", 3, 1, 1]>
  %8 = "tcc.sub"(%i, %7) : (tensor<?x3x4x24xf32, ["N", 3, 4, 24]>, tensor<?x3x1x1xf32, ["N", 3, 1, 1]>) -> tensor<?x3x4x24xf32, ["N", 3, 4, 24]>
  %9 = "tcc.arg_reduce"(%a) {kind = "max", axis = 1 : i64, keepdims = false} : (tensor<?x1000xf32, ["N", 1000]>) -> tensor<?xi64, ["N"]>
  %10 = "tcc.reduce"(%o) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x77xf32, ["N", 77]>) -> tensor<?x1xf32, ["N", 1]>
  %11 = "tcc.sub"(%o, %10) : (tensor<?x77xf32, ["N", 77]>, tensor<?x1xf32, ["N", 1]>) -> tensor<?x77xf32, ["N", 77]>
  return %2, %4, %6, %8, %9, %11 : tensor<?x768xf32, ["N", 768]>, tensor<?x3072xf16, ["N", 3072]>, tensor<?x8200xf16, ["N", 8200]>,
      tensor<?x3x4x24xf32, ["N", 3, 4, 24]>, tensor<?xi64, ["N"]>, tensor<?x77xf32, ["N", 77]>
}
