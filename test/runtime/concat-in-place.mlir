// Concat and split along the outermost axis move nothing: results are written where the concatenation lies, slices read where they lie.
// What has another place (inputs, outputs, what lies in a concatenation already) is copied.
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=3 --save=%t && tcc-run %s --no-cache --target=reference --random=1 --dim=N=3 --data=%t --check --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=40 --save=%t --threads=2 && tcc-run %s --no-cache --target=reference --random=1 --dim=N=40 --data=%t --check --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --no-cache --random=1 --dim=N=700 --save=%t --threads=2 && tcc-run %s --no-cache --target=reference --random=1 --dim=N=700 --data=%t --check --atol=1e-3
// RUN: tcc-explain --no-cache %s | FileCheck %s --check-prefix=KINDS
// RUN: tcc-run %s --no-cache --random=1 --dim=N=40 --profile | FileCheck %s
// REQUIRES: avx2
// KINDS-DAG: _concat (concat)
// KINDS-DAG: _slice (slice)

// Of six concatenations those of %both, %nested and %outer are gone; of three slices the two that are no outputs.
// CHECK-COUNT-3: concat builtin
// CHECK-NOT: concat builtin
func.func @main(%x: tensor<?x48xf32, ["N", 48]>, %w: tensor<48x48xf32>) -> (tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["4*N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["N", 48]>) {
  %a = "tcc.matmul"(%x, %w) : (tensor<?x48xf32, ["N", 48]>, tensor<48x48xf32>) -> tensor<?x48xf32, ["N", 48]>
  %b = "tcc.matmul"(%a, %w) : (tensor<?x48xf32, ["N", 48]>, tensor<48x48xf32>) -> tensor<?x48xf32, ["N", 48]>
  %both = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>
  %sums = "tcc.cumulative"(%both) {kind = "max", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>

  // Twice in one concatenation, and in another concatenation already.
  %twice = "tcc.concat"(%b, %b) {axis = 0 : i64} : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>
  %down = "tcc.cumulative"(%twice) {kind = "max", axis = 0 : i64, exclusive = false, reverse = true} : (tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>

  // A concatenation in a concatenation, which is an output of the model.
  %c = "tcc.matmul"(%b, %w) : (tensor<?x48xf32, ["N", 48]>, tensor<48x48xf32>) -> tensor<?x48xf32, ["N", 48]>
  %d = "tcc.matmul"(%c, %w) : (tensor<?x48xf32, ["N", 48]>, tensor<48x48xf32>) -> tensor<?x48xf32, ["N", 48]>
  %nested = "tcc.concat"(%d, %c) {axis = 0 : i64} : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>
  %row = "tcc.cumulative"(%nested) {kind = "max", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>
  %outer = "tcc.concat"(%nested, %row) {axis = 0 : i64} : (tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["4*N", 48]>

  // An input in a concatenation.
  %e = "tcc.matmul"(%d, %w) : (tensor<?x48xf32, ["N", 48]>, tensor<48x48xf32>) -> tensor<?x48xf32, ["N", 48]>
  %with = "tcc.concat"(%x, %e) {axis = 0 : i64} : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>

  // Parts: of a result, of an input, and one that is an output.
  %low = "tcc.slice"(%sums) {starts = ["0", "0"], steps = array<i64: 1, 1>} : (tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["N", 48]>
  %high = "tcc.slice"(%sums) {starts = ["N", "0"], steps = array<i64: 1, 1>} : (tensor<?x48xf32, ["2*N", 48]>) -> tensor<?x48xf32, ["N", 48]>
  %s = "tcc.cumulative"(%high) {kind = "max", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["N", 48]>
  %last = "tcc.concat"(%s, %s) {axis = 0 : i64} : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["2*N", 48]>
  return %down, %outer, %with, %low, %sums, %last, %e : tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["4*N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["2*N", 48]>, tensor<?x48xf32, ["N", 48]>
}
