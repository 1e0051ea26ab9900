// RUN: tcc-opt %s --tcc-decompose --tcc-simplify | FileCheck %s
// RUN: tcc-opt %s --target=x86 --tcc-decompose --tcc-simplify --tcc-fuse | FileCheck %s --check-prefix=KERNELS
// Groups of rows are blocks of rows, each with the matrix of its group: no more than (64 + 4 * 15) / 16 of 16 rows. The product reads the matrices
// where they lie.
// CHECK: func.func @main
// CHECK: %[[GROUP:.*]] = "tcc.min"({{.*}}) : (tensor<7xi64>, tensor<i64>) -> tensor<7xi64>
// CHECK: %[[ROWS:.*]] = "tcc.gather"(%arg0, {{.*}}) {axis = 0 : i64} : (tensor<64x32xf32>, tensor<7x16xi64>) -> tensor<7x16x32xf32>
// CHECK: "tcc.dot_general"({{.*}}) {{.*}} : (tensor<7x16x32xf32>, tensor<7x32x24xf32>) -> tensor<7x16x24xf32>
// CHECK: func.func @depth
// CHECK: "tcc.dot_general"({{.*}}) {{.*}} : (tensor<7x16x32xf32>, tensor<7x16x24xf32>) -> tensor<7x32x24xf32>
// CHECK: "tcc.scatter_nd"({{.*}}) {reduction = "add"{{.*}}}

// KERNELS: func.func private @[[PRODUCT:k[0-9]+_dot_general_gather]](
// KERNELS-NEXT: "tcc.gather"({{.*}}) {axis = 0 : i64} : (tensor<4x32x24xf32>, tensor<7xi64>) -> tensor<7x32x24xf32>
// KERNELS: func.func @main
// KERNELS: call @[[PRODUCT]](%arg1, {{.*}})
func.func @main(%a: tensor<64x32xf32>, %b: tensor<4x32x24xf32>, %ends: tensor<4xi32>) -> tensor<64x24xf32> {
  %r = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<64x32xf32>, tensor<4x32x24xf32>, tensor<4xi32>) -> tensor<64x24xf32>
  return %r : tensor<64x24xf32>
}

func.func @depth(%a: tensor<32x64xf32>, %b: tensor<64x24xf32>, %ends: tensor<4xi32>) -> tensor<4x32x24xf32> {
  %r = "tcc.ragged_dot"(%a, %b, %ends) {ragged = "depth"} : (tensor<32x64xf32>, tensor<64x24xf32>, tensor<4xi32>) -> tensor<4x32x24xf32>
  return %r : tensor<4x32x24xf32>
}

// Of an unknown number of rows, no more blocks than rows: a row alone reads one matrix.
// CHECK: func.func @any
// CHECK: "tcc.dot_general"({{.*}}) {{.*}} : (tensor<?x16x32xf32, ["min(T, floordiv(T + 12, 16) + 3)", 16, 32]>
func.func @any(%a: tensor<?x32xf32, ["T", 32]>, %b: tensor<4x32x24xf32>, %ends: tensor<4xi32>) -> tensor<?x24xf32, ["T", 24]> {
  %r = "tcc.ragged_dot"(%a, %b, %ends) : (tensor<?x32xf32, ["T", 32]>, tensor<4x32x24xf32>, tensor<4xi32>) -> tensor<?x24xf32, ["T", 24]>
  return %r : tensor<?x24xf32, ["T", 24]>
}
