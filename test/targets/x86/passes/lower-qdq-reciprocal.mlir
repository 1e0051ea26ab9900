// RUN: tcc-opt %s --split-input-file --target=x86,avx2 --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s

// What is computed is quantised by a product with the reciprocal of the scale.
// CHECK-LABEL: @computed
// CHECK-NOT: "tcc.div"
// CHECK: %[[R:.*]] = "tcc.constant"() {value = dense<5.000000e+00> : tensor<f32>}
// CHECK: "tcc.mul"(%{{.*}}, %[[R]]) : (tensor<4xf32>, tensor<f32>)
// CHECK-NEXT: "tcc.round"
func.func @computed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = "tcc.constant"() {value = dense<0.2> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.div"(%0, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "tcc.round"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A scale and a bias in front of it take the reciprocal: they are numbers of the model.
// CHECK-LABEL: @scaled
// CHECK-DAG: %[[A:.*]] = "tcc.constant"() {value = dense<[5.000000e+00, 1.000000e+01]> : tensor<2xf32>}
// CHECK-DAG: %[[B:.*]] = "tcc.constant"() {value = dense<[1.500000e+01, 2.000000e+01]> : tensor<2xf32>}
// CHECK-DAG: %[[Y:.*]] = "tcc.exp"
// CHECK: %[[P:.*]] = "tcc.mul"(%[[Y]], %[[A]])
// CHECK-NEXT: %[[Q:.*]] = "tcc.add"(%[[P]], %[[B]])
// CHECK-NEXT: "tcc.round"(%[[Q]])
func.func @scaled(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %s = "tcc.constant"() {value = dense<0.2> : tensor<f32>} : () -> tensor<f32>
  %a = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = "tcc.constant"() {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %0 = "tcc.exp"(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = "tcc.mul"(%0, %a) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = "tcc.add"(%1, %b) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %3 = "tcc.div"(%2, %s) : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %4 = "tcc.round"(%3) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// -----

// An input is divided, so are numbers whose quotient is not rounded, or is read by others, too.
// CHECK-LABEL: @divided
// CHECK-COUNT-3: "tcc.div"
func.func @divided(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = "tcc.constant"() {value = dense<0.2> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.div"(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "tcc.round"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.div"(%2, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = "tcc.div"(%2, %t) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = "tcc.round"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
