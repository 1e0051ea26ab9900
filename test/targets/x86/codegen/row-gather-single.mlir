// A softmax of what is gathered from a tensor of one element: each element has an index of its own, which may be outside, so that the load is
// not one for the whole row.
// RUN: tcc-run --random --dim N=21 --compare=interp %s | FileCheck %s
// RUN: tcc-run --target=x86,x86-64-v3 --random --dim N=21 --compare=interp %s | FileCheck %s
// CHECK: ok: 1 kernel matches the interpreter
func.func @main(%i: tensor<?xi64, ["N"]>, %x: tensor<1xf32>) -> tensor<?xf32, ["N"]> {
  %0 = "tcc.gather_elements"(%x, %i) {axis = 0 : i64} : (tensor<1xf32>, tensor<?xi64, ["N"]>) -> tensor<?xf32, ["N"]>
  %1 = "tcc.log_softmax"(%0) {axis = 0 : i64} : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  return %1 : tensor<?xf32, ["N"]>
}
