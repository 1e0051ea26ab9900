// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=5 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=5 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=0 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=0 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=5 --threads=1 --save=%t && tcc-run %s --random=1 --dim=N=5 --threads=3 --data=%t --check --rtol=0 --atol=0
// RUN: tcc-run %s --random=1 --dim=N=5 --threads=1 --profile | FileCheck %s

// Tiles are parts of the result that no other tile writes, so that threads share a scatter and sums stay in one order: what has one place along the axes
// before the indexed one, of which some may have no updates; ranges of what lies behind the indexed axes. (Made-up indices are 0 and 1: many
// updates of a place.)
// CHECK-DAG: 6 tiles  scatter {{.*}} inner
// CHECK-DAG: 15 tiles  scatter {{.*}} middle
// CHECK-DAG: 1 tiles  scatter {{.*}} first
// CHECK-DAG: 5 tiles  scatter {{.*}} rows
// CHECK-DAG: 1 tiles  scatter {{.*}} short
// CHECK-DAG: 1 tiles  scatter {{.*}} unknown
// CHECK-DAG: 6 tiles  scatter {{.*}} copied
func.func private @inner(%x: tensor<2x3x40xf32>, %i: tensor<2x2x70xi64>, %u: tensor<2x2x70xf32>) -> tensor<2x3x40xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 2 : i64, reduction = "add"} : (tensor<2x3x40xf32>, tensor<2x2x70xi64>, tensor<2x2x70xf32>) -> tensor<2x3x40xf32>
  return %0 : tensor<2x3x40xf32>
}
func.func private @middle(%x: tensor<3x?x4x37xf32, [3, "N", 4, 37]>, %i: tensor<2x?x9x20xi64, [2, "N", 9, 20]>, %u: tensor<2x?x9x20xf32, [2, "N", 9, 20]>) -> tensor<3x?x4x37xf32, [3, "N", 4, 37]> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 2 : i64, reduction = "mul"} : (tensor<3x?x4x37xf32, [3, "N", 4, 37]>, tensor<2x?x9x20xi64, [2, "N", 9, 20]>, tensor<2x?x9x20xf32, [2, "N", 9, 20]>) -> tensor<3x?x4x37xf32, [3, "N", 4, 37]>
  return %0 : tensor<3x?x4x37xf32, [3, "N", 4, 37]>
}
func.func private @first(%x: tensor<4x37xf32>, %i: tensor<6x37xi64>, %u: tensor<6x37xf32>) -> tensor<4x37xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 0 : i64} : (tensor<4x37xf32>, tensor<6x37xi64>, tensor<6x37xf32>) -> tensor<4x37xf32>
  return %0 : tensor<4x37xf32>
}
func.func private @rows(%x: tensor<7x700xf32>, %i: tensor<?x1xi64, ["N", 1]>, %u: tensor<?x700xf32, ["N", 700]>) -> tensor<7x700xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "add"} : (tensor<7x700xf32>, tensor<?x1xi64, ["N", 1]>, tensor<?x700xf32, ["N", 700]>) -> tensor<7x700xf32>
  return %0 : tensor<7x700xf32>
}
func.func private @short(%x: tensor<7x2x20xf32>, %i: tensor<9x2xi64>, %u: tensor<9x20xf32>) -> tensor<7x2x20xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "max"} : (tensor<7x2x20xf32>, tensor<9x2xi64>, tensor<9x20xf32>) -> tensor<7x2x20xf32>
  return %0 : tensor<7x2x20xf32>
}
func.func private @unknown(%x: tensor<3x?xf32, [3, "N"]>, %i: tensor<4x1xi64>, %u: tensor<4x?xf32, [4, "N"]>) -> tensor<3x?xf32, [3, "N"]> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "add"} : (tensor<3x?xf32, [3, "N"]>, tensor<4x1xi64>, tensor<4x?xf32, [4, "N"]>) -> tensor<3x?xf32, [3, "N"]>
  return %0 : tensor<3x?xf32, [3, "N"]>
}
func.func private @copied(%i: tensor<2x2x70xi64>, %u: tensor<2x2x70xf32>) -> tensor<2x3x40xf32> attributes {tcc.kernel = "scatter"} {
  %x = "tcc.constant"() {value = dense<0.5> : tensor<2x3x40xf32>} : () -> tensor<2x3x40xf32>
  %0 = "tcc.scatter_elements"(%x, %i, %u) {axis = 2 : i64, reduction = "add"} : (tensor<2x3x40xf32>, tensor<2x2x70xi64>, tensor<2x2x70xf32>) -> tensor<2x3x40xf32>
  return %0 : tensor<2x3x40xf32>
}
func.func @main(%a: tensor<2x3x40xf32>, %ai: tensor<2x2x70xi64>, %au: tensor<2x2x70xf32>, %b: tensor<3x?x4x37xf32, [3, "N", 4, 37]>, %bi: tensor<2x?x9x20xi64, [2, "N", 9, 20]>, %bu: tensor<2x?x9x20xf32, [2, "N", 9, 20]>, %c: tensor<4x37xf32>, %ci: tensor<6x37xi64>, %cu: tensor<6x37xf32>, %d: tensor<7x700xf32>, %di: tensor<?x1xi64, ["N", 1]>, %du: tensor<?x700xf32, ["N", 700]>, %e: tensor<7x2x20xf32>, %ei: tensor<9x2xi64>, %eu: tensor<9x20xf32>, %f: tensor<3x?xf32, [3, "N"]>, %fi: tensor<4x1xi64>, %fu: tensor<4x?xf32, [4, "N"]>) -> (tensor<2x3x40xf32>, tensor<3x?x4x37xf32, [3, "N", 4, 37]>, tensor<4x37xf32>, tensor<7x700xf32>, tensor<7x2x20xf32>, tensor<3x?xf32, [3, "N"]>, tensor<2x3x40xf32>, tensor<7x700xf32>) {
  %0 = call @inner(%a, %ai, %au) : (tensor<2x3x40xf32>, tensor<2x2x70xi64>, tensor<2x2x70xf32>) -> tensor<2x3x40xf32>
  %1 = call @middle(%b, %bi, %bu) : (tensor<3x?x4x37xf32, [3, "N", 4, 37]>, tensor<2x?x9x20xi64, [2, "N", 9, 20]>, tensor<2x?x9x20xf32, [2, "N", 9, 20]>) -> tensor<3x?x4x37xf32, [3, "N", 4, 37]>
  %2 = call @first(%c, %ci, %cu) : (tensor<4x37xf32>, tensor<6x37xi64>, tensor<6x37xf32>) -> tensor<4x37xf32>
  %3 = call @rows(%d, %di, %du) : (tensor<7x700xf32>, tensor<?x1xi64, ["N", 1]>, tensor<?x700xf32, ["N", 700]>) -> tensor<7x700xf32>
  %4 = call @short(%e, %ei, %eu) : (tensor<7x2x20xf32>, tensor<9x2xi64>, tensor<9x20xf32>) -> tensor<7x2x20xf32>
  %5 = call @unknown(%f, %fi, %fu) : (tensor<3x?xf32, [3, "N"]>, tensor<4x1xi64>, tensor<4x?xf32, [4, "N"]>) -> tensor<3x?xf32, [3, "N"]>
  %6 = call @copied(%ai, %au) : (tensor<2x2x70xi64>, tensor<2x2x70xf32>) -> tensor<2x3x40xf32>
  %7 = call @rows(%3, %di, %du) : (tensor<7x700xf32>, tensor<?x1xi64, ["N", 1]>, tensor<?x700xf32, ["N", 700]>) -> tensor<7x700xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3x40xf32>, tensor<3x?x4x37xf32, [3, "N", 4, 37]>, tensor<4x37xf32>, tensor<7x700xf32>, tensor<7x2x20xf32>, tensor<3x?xf32, [3, "N"]>, tensor<2x3x40xf32>, tensor<7x700xf32>
}
