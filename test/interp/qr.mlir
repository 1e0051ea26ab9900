// RUN: tcc-interp %s | FileCheck %s

// R's diagonal has the other sign than what the reflector found; of a column that needs none tau is 0. Q is what the reflectors make of the identity.
func.func @main() -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>) {
  %a = "tcc.constant"() {value = dense<[[3.0, 5.0], [4.0, 10.0]]> : tensor<2x2xf64>} : () -> tensor<2x2xf64>
  %0:2 = "tcc.geqrf"(%a) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>)
  // CHECK: output 0: 2x2xf64 = -5 -11 0.5 2{{$}}
  // CHECK: output 1: 2xf64 = 1.6 0{{$}}
  %1 = "tcc.householder_product"(%0#0, %0#1) : (tensor<2x2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  // CHECK: output 2: 2x2xf64 = -0.6 -0.8 -0.8 0.6{{$}}
  %b = "tcc.constant"() {value = dense<[[3.0, 1.0], [0.0, 3.0], [4.0, 4.0]]> : tensor<3x2xf64>} : () -> tensor<3x2xf64>
  %t = "tcc.constant"() {value = dense<[0.0, 0.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %2 = "tcc.householder_product"(%b, %t) : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3x2xf64>
  // CHECK: output 3: 3x2xf64 = 1 0 0 1 0 0{{$}}
  return %0#0, %0#1, %1, %2 : tensor<2x2xf64>, tensor<2xf64>, tensor<2x2xf64>, tensor<3x2xf64>
}
