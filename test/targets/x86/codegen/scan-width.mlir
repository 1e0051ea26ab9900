// Lines of an unknown number: blocks that have all of theirs and a last one with a few.
// RUN: bash %S/Inputs/sizes.sh %s %t "1 7 8 31 32 33 64 70" 1e-6
// REQUIRES: avx2
func.func @main(%a: tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xf32, [5, "N"]> {
  %0 = "tcc.cumulative"(%a) {kind = "sum", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<5x?xf32, [5, "N"]>) -> tensor<5x?xf32, [5, "N"]>
  return %0 : tensor<5x?xf32, [5, "N"]>
}
