// RUN: tcc-opt %s --tcc-simplify --verify-each | FileCheck %s
// With tcc.numerics = "eager" only what is the same to the bit is simplified.
module attributes {tcc.numerics = "eager"} {
  // -0.0 + 0.0 is 0.0
  // CHECK-LABEL: @add_zero
  // CHECK: tcc.add
  func.func @add_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
    %c = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "tcc.add"(%x, %c) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  // CHECK-LABEL: @subtract_negative_zero
  // CHECK: tcc.sub
  func.func @subtract_negative_zero(%x: tensor<8xf32>) -> tensor<8xf32> {
    %c = "tcc.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "tcc.sub"(%x, %c) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  // Several updates of a place are rounded in another order.
  // CHECK-LABEL: @add_of_scatter
  // CHECK: tcc.scatter_nd
  // CHECK: tcc.add
  func.func @add_of_scatter(%x: tensor<8xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) -> tensor<8xf32> {
    %c = "tcc.constant"() {value = dense<0.0> : tensor<8xf32>} : () -> tensor<8xf32>
    %0 = "tcc.scatter_nd"(%c, %i, %u) {reduction = "add"} : (tensor<8xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<8xf32>
    %1 = "tcc.add"(%x, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  // CHECK-LABEL: @nothing
  // CHECK-NEXT: return %arg0, %arg0, %arg1
  func.func @nothing(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) {
    %minus = "tcc.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
    %plus = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %none = "tcc.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %0 = "tcc.add"(%x, %minus) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = "tcc.sub"(%x, %plus) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = "tcc.add"(%none, %i) : (tensor<i32>, tensor<8xi32>) -> tensor<8xi32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
  }
  // A root and a division round twice: the kernel does them. A sum rounds once.
  // CHECK-LABEL: @constants
  // CHECK-DAG: tcc.rsqrt
  // CHECK-DAG: value = dense<4.000000e+00>
  func.func @constants() -> (tensor<f32>, tensor<f32>) {
    %c = "tcc.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
    %d = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "tcc.rsqrt"(%c) : (tensor<f32>) -> tensor<f32>
    %1 = "tcc.add"(%c, %d) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %0, %1 : tensor<f32>, tensor<f32>
  }
}
