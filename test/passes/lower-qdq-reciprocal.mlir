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

// A sum of two takes it in both terms, each of which is one multiply-add then: their scales become quotients, bytes stay differences. A number of the model
// is a third term, an operand that is no product gets the reciprocal.
// CHECK-LABEL: @residual
// CHECK-DAG: %[[A:.*]] = "tcc.constant"() {value = dense<2.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[B:.*]] = "tcc.constant"() {value = dense<3.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[C:.*]] = "tcc.constant"() {value = dense<2.000000e+01> : tensor<f32>}
// CHECK-DAG: %[[R:.*]] = "tcc.constant"() {value = dense<4.000000e+00> : tensor<f32>}
// CHECK-DAG: %[[X:.*]] = "tcc.sub"
// CHECK-DAG: %[[Y:.*]] = "tcc.sub"
// CHECK-DAG: %[[E:.*]] = "tcc.exp"
// CHECK-NOT: "tcc.div"
// CHECK: %[[EM:.*]] = "tcc.mul"(%[[E]], %[[R]])
// CHECK-NEXT: %[[S0:.*]] = "tcc.add"(%[[EM]], %[[C]])
// CHECK-NEXT: %[[YM:.*]] = "tcc.mul"(%[[Y]], %[[B]])
// CHECK-NEXT: %[[S1:.*]] = "tcc.add"(%[[YM]], %[[S0]])
// CHECK-NEXT: %[[XM:.*]] = "tcc.mul"(%[[X]], %[[A]])
// CHECK-NEXT: %[[S2:.*]] = "tcc.add"(%[[XM]], %[[S1]])
// CHECK-NEXT: "tcc.round"(%[[S2]])
func.func @residual(%p: tensor<4xui8>, %q: tensor<4xui8>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %a = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %b = "tcc.constant"() {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %c = "tcc.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %y = "tcc.constant"() {value = dense<131.0> : tensor<f32>} : () -> tensor<f32>
  %z = "tcc.constant"() {value = dense<117.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.convert"(%p) : (tensor<4xui8>) -> tensor<4xf32>
  %1 = "tcc.sub"(%0, %y) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "tcc.mul"(%1, %a) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "tcc.convert"(%q) : (tensor<4xui8>) -> tensor<4xf32>
  %4 = "tcc.sub"(%3, %z) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = "tcc.mul"(%4, %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = "tcc.add"(%2, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = "tcc.exp"(%f) : (tensor<4xf32>) -> tensor<4xf32>
  %8 = "tcc.add"(%7, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %9 = "tcc.add"(%6, %8) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = "tcc.div"(%9, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = "tcc.round"(%10) : (tensor<4xf32>) -> tensor<4xf32>
  return %11 : tensor<4xf32>
}

// -----

// A sum without such numbers is multiplied once; so is one that others read, too.
// CHECK-LABEL: @plain
// CHECK-COUNT-2: "tcc.mul"
// CHECK-NOT: "tcc.mul"
// CHECK: return
func.func @plain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.exp"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.add"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.div"(%2, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = "tcc.round"(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = "tcc.add"(%0, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = "tcc.div"(%5, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = "tcc.round"(%6) : (tensor<4xf32>) -> tensor<4xf32>
  return %4, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
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
