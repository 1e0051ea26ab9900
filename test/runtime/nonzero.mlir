// RUN: tcc-run %s --random=1 --dim=N=150 --compare=interp
// RUN: tcc-run %s --random=1 --dim=N=64 --compare=interp
// RUN: tcc-run %s --random=2 --dim=N=3 --threads=2 --compare=interp
// RUN: tcc-run %s --random=1 --dim=N=1 --compare=interp

// Elements are looked at 64 at a time, of f32 and bool by vectors: lines of any length, -0 among zeros, and of another type one by one.
func.func @main(%x: tensor<5x?xf32, [5, "N"]>) -> (tensor<2x?xi64, [2, "a"]>, tensor<2x?xi64, [2, "b"]>, tensor<2x?xi64, [2, "c"]>) {
  %relu = "tcc.relu"(%x) : (tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xf32, [5, "N"]>
  %neg = "tcc.neg"(%relu) : (tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xf32, [5, "N"]>
  %bool = "tcc.convert"(%relu) : (tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xi1, [5, "N"]>
  %int = "tcc.convert"(%x) : (tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xi32, [5, "N"]>
  %0 = "tcc.nonzero"(%neg) {size = "a"} : (tensor<5x?xf32, [5, "N"]>) -> tensor<2x?xi64, [2, "a"]>
  %1 = "tcc.nonzero"(%bool) {size = "b"} : (tensor<5x?xi1, [5, "N"]>) -> tensor<2x?xi64, [2, "b"]>
  %2 = "tcc.nonzero"(%int) {size = "c"} : (tensor<5x?xi32, [5, "N"]>) -> tensor<2x?xi64, [2, "c"]>
  return %0, %1, %2 : tensor<2x?xi64, [2, "a"]>, tensor<2x?xi64, [2, "b"]>, tensor<2x?xi64, [2, "c"]>
}
