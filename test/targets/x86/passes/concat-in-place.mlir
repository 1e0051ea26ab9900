// RUN: tcc-opt --tcc-concat-in-place --verify-each %s | FileCheck %s

// Three operands, one of them twice, axes of size one before.
// CHECK: func.func private @join(%{{.*}}attributes {tcc.kernel = "concat"}
// The pieces of a row are apart.
// CHECK: func.func private @rows(%{{.*}}attributes {tcc.kernel = "map"}
// What the kernel computes is no operand.
// CHECK: func.func private @computed(%{{.*}}attributes {tcc.kernel = "map"}
// CHECK: func.func private @part(%{{.*}}attributes {tcc.kernel = "slice"}
// A part of a part, of one row.
// CHECK: func.func private @inner(%{{.*}}attributes {tcc.kernel = "slice"}
// Columns, every other row, rows from the last on.
// CHECK: func.func private @columns(%{{.*}}attributes {tcc.kernel = "map"}
// CHECK: func.func private @steps(%{{.*}}attributes {tcc.kernel = "map"}
// CHECK: func.func private @backwards(%{{.*}}attributes {tcc.kernel = "map"}
// Half a byte.
// CHECK: func.func private @nibbles(%{{.*}}attributes {tcc.kernel = "map"}
// Another kind of kernel.
// CHECK: func.func private @pack(%{{.*}}attributes {tcc.kernel = "relayout"}
func.func private @join(%a: tensor<1x?x4xf32, [1, "N", 4]>, %b: tensor<8xf32>) -> tensor<1x?x2x2xf32, [1, "2*N + 2", 2, 2]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.reshape"(%b) : (tensor<8xf32>) -> tensor<1x2x4xf32>
  %1 = "tcc.concat"(%0, %a) {axis = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x?x4xf32, [1, "N", 4]>) -> tensor<1x?x4xf32, [1, "N + 2", 4]>
  %2 = "tcc.concat"(%a, %1) {axis = 1 : i64} : (tensor<1x?x4xf32, [1, "N", 4]>, tensor<1x?x4xf32, [1, "N + 2", 4]>) -> tensor<1x?x4xf32, [1, "2*N + 2", 4]>
  %3 = "tcc.reshape"(%2) : (tensor<1x?x4xf32, [1, "2*N + 2", 4]>) -> tensor<1x?x2x2xf32, [1, "2*N + 2", 2, 2]>
  return %3 : tensor<1x?x2x2xf32, [1, "2*N + 2", 2, 2]>
}
func.func private @rows(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x8xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.concat"(%a, %b) {axis = 1 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
func.func private @computed(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>) -> tensor<4x4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.exp"(%b) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "tcc.concat"(%a, %0) {axis = 0 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
func.func private @part(%a: tensor<?x4xf32, ["N + 3", 4]>) -> tensor<?x2x2xf32, ["N", 2, 2]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%a) {starts = ["3", "0"], steps = array<i64: 1, 1>} : (tensor<?x4xf32, ["N + 3", 4]>) -> tensor<?x4xf32, ["N", 4]>
  %1 = "tcc.reshape"(%0) : (tensor<?x4xf32, ["N", 4]>) -> tensor<?x2x2xf32, ["N", 2, 2]>
  return %1 : tensor<?x2x2xf32, ["N", 2, 2]>
}
func.func private @inner(%a: tensor<6x4xf32>) -> tensor<1x2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%a) {starts = ["2", "0"], steps = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %1 = "tcc.slice"(%0) {starts = ["1", "2"], steps = array<i64: 2, 1>} : (tensor<3x4xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}
func.func private @columns(%a: tensor<6x4xf32>) -> tensor<6x2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%a) {starts = ["0", "2"], steps = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
func.func private @steps(%a: tensor<6x4xf32>) -> tensor<3x4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%a) {starts = ["0", "0"], steps = array<i64: 2, 1>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
func.func private @backwards(%a: tensor<6x4xf32>) -> tensor<3x4xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%a) {starts = ["5", "0"], steps = array<i64: -1, 1>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
func.func private @nibbles(%a: tensor<4xi4>, %b: tensor<4xi4>) -> tensor<8xi4> attributes {tcc.kernel = "map"} {
  %0 = "tcc.concat"(%a, %b) {axis = 0 : i64} : (tensor<4xi4>, tensor<4xi4>) -> tensor<8xi4>
  return %0 : tensor<8xi4>
}
func.func private @pack(%a: tensor<6x4xf32>) -> tensor<3x4xf32> attributes {tcc.kernel = "relayout"} {
  %0 = "tcc.slice"(%a) {starts = ["0", "0"], steps = array<i64: 1, 1>} : (tensor<6x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
