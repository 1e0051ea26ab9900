// RUN: tcc-interp %s --input 2x6xf32=0,1,0,2,3,0,4,0,0,0,0,5 | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose --input 2x6xf32=0,1,0,2,3,0,4,0,0,0,0,5 | FileCheck %s
// RUN: not tcc-interp %s --input 2x5xf32=0 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not tcc-interp %s --function twice --input 2x3xf32=0 --input 3x3xf32=0 2>&1 | FileCheck %s --check-prefix=AGREE
// RUN: not tcc-interp %s --input 2x2xi32=0 2>&1 | FileCheck %s --check-prefix=ELEM
// RUN: not tcc-interp %s --function no 2>&1 | FileCheck %s --check-prefix=NAME

// Symbols are bound by the shapes of the inputs, also inside an expression; a function binds its own; a size that depends
// on data is bound when nonzero runs.
// CHECK: output 0: 2x3xf32 = 0 2 0 4 0 5
// CHECK: output 1: 2x5xi64 = 0 0 0 1 1 1 3 4 0 5
// CHECK: output 2: 5xf32 = 1 2 3 4 5
// CHECK: output 3: 2xi64 = 6 5
// CHECK: output 4: 2x3xf32 = 0 4 0 8 0 10
// CHECK: output 5: 2x12xf32 = 0 0 1 1 0 0 2 2 3 3 0 0 4 4 0 0 0 0 0 0 0 0 5 5
// CHECK: output 6: 2x12xf32 = 0 0.25 0.75 0.75 0.25 0.5 1.5 2.25 2.75 2.25 0.75 0 4 3 1 0 0 0 0 0 0 1.25 3.75 5
// ODD: error: {{.*}}argument 0, axis 1
// AGREE: error: {{.*}}argument 1, axis 0: size 3, but B is 2
// ELEM: error: {{.*}}input 0 is i32, its type says f32
// NAME: error: {{.*}}no function 'no'
func.func @main(%x: tensor<?x?xf32, ["B", "2*S"]>) -> (tensor<?x3xf32, ["B", 3]>, tensor<2x?xi64, [2, "n0"]>, tensor<?xf32, ["n0"]>, tensor<2xi64>, tensor<?x3xf32, ["B", 3]>, tensor<?x?xf32, ["B", "4*S"]>, tensor<?x?xf32, ["B", "4*S"]>) {
  %i = "tcc.constant"() {value = dense<[0, 3, 5]> : tensor<3xi64>} : () -> tensor<3xi64>
  %0 = "tcc.gather"(%x, %i) {axis = 1 : i64} : (tensor<?x?xf32, ["B", "2*S"]>, tensor<3xi64>) -> tensor<?x3xf32, ["B", 3]>
  %1 = "tcc.nonzero"(%x) {size = "n0"} : (tensor<?x?xf32, ["B", "2*S"]>) -> tensor<2x?xi64, [2, "n0"]>
  %2 = "tcc.transpose"(%1) {perm = array<i64: 1, 0>} : (tensor<2x?xi64, [2, "n0"]>) -> tensor<?x2xi64, ["n0", 2]>
  %3 = "tcc.gather_nd"(%x, %2) : (tensor<?x?xf32, ["B", "2*S"]>, tensor<?x2xi64, ["n0", 2]>) -> tensor<?xf32, ["n0"]>
  %4 = "tcc.sizes"() {values = ["2*S", "n0"]} : () -> tensor<2xi64>
  %5 = func.call @twice(%0, %0) : (tensor<?x3xf32, ["B", 3]>, tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
  %6 = "tcc.resize"(%x) {mode = "nearest", coordinates = "asymmetric", nearest = "floor", scales = dense<[1.0, 2.0]> : tensor<2xf32>, roi = dense<> : tensor<0xf32>} : (tensor<?x?xf32, ["B", "2*S"]>) -> tensor<?x?xf32, ["B", "4*S"]>
  %7 = "tcc.resize"(%x) {mode = "linear", coordinates = "half_pixel", scales = dense<> : tensor<0xf32>, roi = dense<> : tensor<0xf32>} : (tensor<?x?xf32, ["B", "2*S"]>) -> tensor<?x?xf32, ["B", "4*S"]>
  return %0, %1, %3, %4, %5, %6, %7 : tensor<?x3xf32, ["B", 3]>, tensor<2x?xi64, [2, "n0"]>, tensor<?xf32, ["n0"]>, tensor<2xi64>, tensor<?x3xf32, ["B", 3]>, tensor<?x?xf32, ["B", "4*S"]>, tensor<?x?xf32, ["B", "4*S"]>
}
func.func private @twice(%a: tensor<?x3xf32, ["B", 3]>, %b: tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]> {
  %0 = "tcc.add"(%a, %b) : (tensor<?x3xf32, ["B", 3]>, tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
  return %0 : tensor<?x3xf32, ["B", 3]>
}
