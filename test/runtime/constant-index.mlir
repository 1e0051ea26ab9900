// An index that is a constant, of a constant that is as long as an input: what depends on no input is made when a model is opened, but how long
// the axis is is known in a run alone.
// RUN: tcc-run %s --no-cache --dim n=3 --random=1 --compare=interp
// RUN: tcc-run %s --no-cache --target=reference --dim n=3 --random=1 --compare=interp
// RUN: not tcc-run %s --no-cache --dim n=2 --random=1 2>&1 | FileCheck %s
// CHECK: index 2 is outside [-2, 2), axis 0
func.func @main(%x: tensor<?xf32, ["n"]> {tcc.name = "x"}) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32, ["n"]>) {
  %five = "tcc.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %all = "tcc.broadcast"(%five) : (tensor<f32>) -> tensor<?xf32, ["n"]>
  %at = "tcc.constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = "tcc.gather"(%all, %at) {axis = 0 : i64} : (tensor<?xf32, ["n"]>, tensor<2xi64>) -> tensor<2xf32>
  %z = "tcc.gather"(%all, %at) {axis = 0 : i64, valid = "signed"} : (tensor<?xf32, ["n"]>, tensor<2xi64>) -> tensor<2xf32>
  %r = "tcc.neg"(%x) : (tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]>
  return %y, %z, %r : tensor<2xf32>, tensor<2xf32>, tensor<?xf32, ["n"]>
}
