// RUN: not tcc-opt %s --tcc-loss 2>&1 | FileCheck %s
// Without a class there is none to take: that is said once, and nothing is made of what could not be built.
// CHECK: error: 'tcc.gather_elements': C4: an index into axis 0, which has no elements
// CHECK-NOT: error
func.func @main(%x: tensor<0xf32> {tcc.name = "x"}) -> (tensor<0xf32> {tcc.name = "y"}) {
  %0 = "tcc.exp"(%x) : (tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
