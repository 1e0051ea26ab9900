// Sums over what a slice takes of a tensor of one element: nothing, or as many elements as a symbol says. The element is not one that a row
// shares, since its index moves along the row.
// RUN: tcc-run --no-cache %s --dim n=0 --random=1 --compare=interp
// RUN: tcc-run --no-cache %s --dim n=1 --random=1 --compare=interp
func.func @main(%x: tensor<1x1xbf16>, %y: tensor<bf16>, %z: tensor<?xf32, ["n"]>) -> (tensor<1xbf16>, tensor<f32>) {
  %0 = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<1x1xbf16>) -> tensor<0x1xbf16>
  %1 = "tcc.slice"(%x) {starts = [1, 0], steps = array<i64: 1, 1>} : (tensor<1x1xbf16>) -> tensor<0x1xbf16>
  %2 = "tcc.add"(%1, %0) : (tensor<0x1xbf16>, tensor<0x1xbf16>) -> tensor<0x1xbf16>
  %3 = "tcc.mul"(%2, %y) : (tensor<0x1xbf16>, tensor<bf16>) -> tensor<0x1xbf16>
  %4 = "tcc.reduce"(%3) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<0x1xbf16>) -> tensor<1xbf16>
  %5 = "tcc.convert"(%x) : (tensor<1x1xbf16>) -> tensor<1x1xf32>
  %6 = "tcc.slice"(%5) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<1x1xf32>) -> tensor<?x1xf32, ["n", 1]>
  %7 = "tcc.reshape"(%6) : (tensor<?x1xf32, ["n", 1]>) -> tensor<?xf32, ["n"]>
  %8 = "tcc.exp"(%7) : (tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]>
  %9 = "tcc.mul"(%8, %z) : (tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]>
  %10 = "tcc.reduce"(%9) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<?xf32, ["n"]>) -> tensor<f32>
  return %4, %10 : tensor<1xbf16>, tensor<f32>
}
