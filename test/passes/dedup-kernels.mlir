// RUN: tcc-opt %s --tcc-dedup-kernels --verify-each | FileCheck %s

// Equal but for the name: one is left. Another op, another type, or other operands make another kernel.
// CHECK: func.func private @k0(
// CHECK-NOT: func.func private @k1(
// CHECK: func.func private @k2(
// CHECK: func.func private @k3(
// CHECK: func.func private @k4(
// CHECK: func.func private @k5(
// CHECK: func.func @main
// CHECK: %[[A:.*]] = call @k0(%arg0)
// CHECK: %[[B:.*]] = call @k0(%[[A]])
// CHECK: %[[C:.*]] = call @k2(%[[B]])
// CHECK: call @k3
// CHECK: call @k4(%[[C]], %[[B]])
// CHECK: call @k5
func.func private @k0(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @k1(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @k2(%a: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @k3(%a: tensor<5xf32>) -> tensor<5xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%a) : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func private @k4(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.sub"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @k5(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.sub"(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>, %b: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %0 = call @k0(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @k1(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @k2(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @k3(%b) : (tensor<5xf32>) -> tensor<5xf32>
  %4 = call @k4(%2, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = call @k5(%4, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5, %3 : tensor<4xf32>, tensor<5xf32>
}
