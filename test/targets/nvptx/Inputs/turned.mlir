func.func @main(%a: tensor<64x96xf32>, %b: tensor<?x96xf32, ["N", 96]>, %c: tensor<?x48x64xf16, ["N", 48, 64]>, %d: tensor<2x32x6x?xf16, [2, 32, 6, "N"]>,
                %e: tensor<?x40xi64, ["N", 40]>, %f: tensor<96x?xf32, [96, "N"]>, %g: tensor<96x?xf32, [96, "N"]>, %h: tensor<96xf32>)
    -> (tensor<96x64xf32>, tensor<96x?xf32, [96, "N"]>, tensor<?x64x48xf16, ["N", 64, 48]>, tensor<2x6x?x32xf16, [2, 6, "N", 32]>,
        tensor<40x?xi64, [40, "N"]>, tensor<?x96xf32, ["N", 96]>) {
  %0 = "tcc.transpose"(%a) {perm = array<i64: 1, 0>} : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %1 = "tcc.transpose"(%b) {perm = array<i64: 1, 0>} : (tensor<?x96xf32, ["N", 96]>) -> tensor<96x?xf32, [96, "N"]>
  %2 = "tcc.neg"(%1) : (tensor<96x?xf32, [96, "N"]>) -> tensor<96x?xf32, [96, "N"]>
  %3 = "tcc.transpose"(%c) {perm = array<i64: 0, 2, 1>} : (tensor<?x48x64xf16, ["N", 48, 64]>) -> tensor<?x64x48xf16, ["N", 64, 48]>
  %4 = "tcc.transpose"(%d) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x32x6x?xf16, [2, 32, 6, "N"]>) -> tensor<2x6x?x32xf16, [2, 6, "N", 32]>
  %5 = "tcc.transpose"(%e) {perm = array<i64: 1, 0>} : (tensor<?x40xi64, ["N", 40]>) -> tensor<40x?xi64, [40, "N"]>
  %6 = "tcc.transpose"(%f) {perm = array<i64: 1, 0>} : (tensor<96x?xf32, [96, "N"]>) -> tensor<?x96xf32, ["N", 96]>
  %7 = "tcc.transpose"(%g) {perm = array<i64: 1, 0>} : (tensor<96x?xf32, [96, "N"]>) -> tensor<?x96xf32, ["N", 96]>
  %8 = "tcc.mul"(%6, %7) : (tensor<?x96xf32, ["N", 96]>, tensor<?x96xf32, ["N", 96]>) -> tensor<?x96xf32, ["N", 96]>
  %9 = "tcc.add"(%8, %h) : (tensor<?x96xf32, ["N", 96]>, tensor<96xf32>) -> tensor<?x96xf32, ["N", 96]>
  return %0, %2, %3, %4, %5, %9 : tensor<96x64xf32>, tensor<96x?xf32, [96, "N"]>, tensor<?x64x48xf16, ["N", 64, 48]>,
      tensor<2x6x?x32xf16, [2, 6, "N", 32]>, tensor<40x?xi64, [40, "N"]>, tensor<?x96xf32, ["N", 96]>
}
