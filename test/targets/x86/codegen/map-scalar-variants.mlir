// A map of scalars has schedules as well: it is a row of one element.
// RUN: tcc-opt --target=x86,avx512 --pass-pipeline='tcc-variants{count=4}' %s | FileCheck %s
// CHECK: @k0(
// CHECK-SAME: tcc.kernel = "map"
func.func private @k0(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> attributes {tcc.kernel = "map"} {
  %0 = "tcc.add"(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
func.func @main(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
  %0 = call @k0(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
