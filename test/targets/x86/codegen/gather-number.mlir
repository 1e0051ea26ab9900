// An index that is checked, into what is the same number everywhere: the kernel reads one element, but still reports an index outside of the axis.
// RUN: split-file %s %t
// RUN: not tcc-run --no-cache %t/number.mlir --dim n=2 --random=1 2>&1 | FileCheck %s
// RUN: not tcc-run --no-cache --target=nvptx --emulate %t/number.mlir --dim n=2 --random=1 2>&1 | FileCheck %s
// RUN: tcc-run --no-cache %t/number.mlir --dim n=3 --random=1 --compare=interp
// RUN: not tcc-run --no-cache %t/scalar.mlir --dim n=2 --random=1 2>&1 | FileCheck %s
// RUN: not tcc-run --no-cache --target=nvptx --emulate %t/scalar.mlir --dim n=2 --random=1 2>&1 | FileCheck %s
// RUN: tcc-run --no-cache %t/scalar.mlir --dim n=3 --random=1 --compare=interp
// RUN: not tcc-run --no-cache %t/leading.mlir --dim n=2 --random=1 2>&1 | FileCheck %s
// RUN: tcc-run --no-cache %t/leading.mlir --dim n=3 --random=1 --compare=interp
// CHECK: index 2 is outside [-2, 2), axis 0

//--- number.mlir
func.func @main(%x: tensor<?xf32, ["n"]>) -> (tensor<2xf32>) {
  %at = "tcc.constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %c = "tcc.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %b = "tcc.broadcast"(%c) : (tensor<f32>) -> tensor<?xf32, ["n"]>
  %z = "tcc.gather"(%b, %at) {axis = 0 : i64, valid = "signed"} : (tensor<?xf32, ["n"]>, tensor<2xi64>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
//--- scalar.mlir
func.func @main(%x: tensor<?xf32, ["n"]>, %s: tensor<f32>) -> (tensor<2xf32>) {
  %at = "tcc.constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %e = "tcc.exp"(%s) : (tensor<f32>) -> tensor<f32>
  %b = "tcc.broadcast"(%e) : (tensor<f32>) -> tensor<?xf32, ["n"]>
  %z = "tcc.gather"(%b, %at) {axis = 0 : i64, valid = "signed"} : (tensor<?xf32, ["n"]>, tensor<2xi64>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}
//--- leading.mlir
func.func @main(%x: tensor<?xf32, ["n"]>, %s: tensor<3xf32>) -> (tensor<2x3xf32>) {
  %at = "tcc.constant"() {value = dense<[2, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %b = "tcc.broadcast"(%s) : (tensor<3xf32>) -> tensor<?x3xf32, ["n", 3]>
  %z = "tcc.gather"(%b, %at) {axis = 0 : i64, valid = "signed"} : (tensor<?x3xf32, ["n", 3]>, tensor<2xi64>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}
