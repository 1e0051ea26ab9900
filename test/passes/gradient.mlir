// Derivatives that a graph asks for: of a product and of a composite that is expanded, of what does not depend on an operand, and of a derivative.
// RUN: tcc-opt %s --tcc-gradient --verify-each | FileCheck %s
// RUN: tcc-interp --input=2xf32=3,5 --input=2xf32=7,11 %s | FileCheck %s --check-prefix=VALUES

// CHECK-NOT: gradient
// CHECK: func.func @main
// CHECK-NOT: call
// CHECK: return
// CHECK-NOT: func.func
// VALUES: output 0: 2xf32 = 42 110{{$}}
// VALUES: output 1: 2xf32 = 9 25{{$}}
// VALUES: output 2: 2xf32 = 14 22{{$}}
// VALUES: output 3: 2xf32 = 0 0{{$}}
// VALUES: output 4: 2xf32 = 0.25 0.25{{$}}
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %s = "tcc.mul"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = "tcc.mul"(%s, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %d:2 = call @first(%y, %a, %b) {tcc.gradient} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %e = call @second(%d#0, %a) {tcc.gradient} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = call @third(%s, %b) {tcc.gradient} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %zero = "tcc.sub"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %h = "tcc.sigmoid"(%zero) : (tensor<2xf32>) -> tensor<2xf32>
  %g = call @fourth(%h, %zero) {tcc.gradient} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %d#0, %d#1, %e, %f, %g : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
func.func private @first(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
func.func private @second(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @third(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func private @fourth(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
