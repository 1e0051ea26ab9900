// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=4 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=4 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=67 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=67 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=4 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=4 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Softmax, norms, reductions and arg-reductions over any axes against the reference target.
// CHECK: x86.row
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x7x45xf32, ["N", 7, 45]>, %x1: tensor<45xf32>, %x2: tensor<45xf32>, %x3: tensor<5x1000xf32>, %x4: tensor<5x1000xf32>, %x5: tensor<5x1000xf32>, %x6: tensor<?x7x45xi32, ["N", 7, 45]>, %x7: tensor<?x7x45xi32, ["N", 7, 45]>, %x8: tensor<?x7x45xi32, ["N", 7, 45]>, %x9: tensor<?x33xi1, ["N", 33]>, %x10: tensor<?x33xf64, ["N", 33]>, %x11: tensor<?x33xf16, ["N", 33]>, %x12: tensor<?x33xi8, ["N", 33]>, %x13: tensor<?x33xi32, ["N", 33]>, %x14: tensor<?x33xi64, ["N", 33]>, %x15: tensor<?x33xui8, ["N", 33]>) -> (tensor<?x7x45xf32, ["N", 7, 45]>, tensor<?x7x45xf32, ["N", 7, 45]>, tensor<?x7x45xf32, ["N", 7, 45]>, tensor<5x1000xf32>, tensor<5x1000xf32>, tensor<?x7xf32, ["N", 7]>, tensor<?x7xf32, ["N", 7]>, tensor<?x45xf32, ["N", 45]>, tensor<?x45xf32, ["N", 45]>, tensor<7x45xf32>, tensor<7x45xf32>, tensor<7xf32>, tensor<7xf32>, tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>, tensor<f32>, tensor<f32>, tensor<1x7x1xf32>, tensor<7x45xi64>, tensor<7x45xi64>, tensor<?x45xi64, ["N", 45]>, tensor<?x45xi64, ["N", 45]>, tensor<?x7xi64, ["N", 7]>, tensor<?x7xi64, ["N", 7]>, tensor<?xi1, ["N"]>, tensor<33xi1>, tensor<?xf64, ["N"]>, tensor<33xf64>, tensor<?xf16, ["N"]>, tensor<33xf16>, tensor<?xi8, ["N"]>, tensor<33xi8>, tensor<?xi32, ["N"]>, tensor<33xi32>, tensor<?xi64, ["N"]>, tensor<33xi64>, tensor<?xui8, ["N"]>, tensor<33xui8>) {
  %1 = "tcc.softmax"(%x0) {axis = 2 : i64} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x7x45xf32, ["N", 7, 45]>
  %2 = "tcc.softmax"(%x0) {axis = 1 : i64} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x7x45xf32, ["N", 7, 45]>
  %3 = "tcc.layer_norm"(%x0, %x1, %x2) {axis = 2 : i64, eps = 1.0e-5 : f64} : (tensor<?x7x45xf32, ["N", 7, 45]>, tensor<45xf32>, tensor<45xf32>) -> tensor<?x7x45xf32, ["N", 7, 45]>
  %4 = "tcc.log_softmax"(%x3) {axis = 1 : i64} : (tensor<5x1000xf32>) -> tensor<5x1000xf32>
  %5 = "tcc.layer_norm"(%x3, %x4, %x5) {axis = 0 : i64, eps = 1.0e-5 : f64} : (tensor<5x1000xf32>, tensor<5x1000xf32>, tensor<5x1000xf32>) -> tensor<5x1000xf32>
  %6 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x7xf32, ["N", 7]>
  %7 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x7xf32, ["N", 7]>
  %8 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x45xf32, ["N", 45]>
  %9 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 1>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x45xf32, ["N", 45]>
  %10 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<7x45xf32>
  %11 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<7x45xf32>
  %12 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 0, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<7xf32>
  %13 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 0, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<7xf32>
  %14 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 1, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?xf32, ["N"]>
  %15 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 1, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?xf32, ["N"]>
  %16 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 0, 1, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<f32>
  %17 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 0, 1, 2>, keepdims = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<f32>
  %18 = "tcc.reduce"(%x0) {kind = "prod", axes = array<i64: 0, 2>, keepdims = true} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<1x7x1xf32>
  %19 = "tcc.arg_reduce"(%x0) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<7x45xi64>
  %20 = "tcc.arg_reduce"(%x6) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<?x7x45xi32, ["N", 7, 45]>) -> tensor<7x45xi64>
  %21 = "tcc.arg_reduce"(%x0) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x45xi64, ["N", 45]>
  %22 = "tcc.arg_reduce"(%x7) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<?x7x45xi32, ["N", 7, 45]>) -> tensor<?x45xi64, ["N", 45]>
  %23 = "tcc.arg_reduce"(%x0) {kind = "max", axis = 2 : i64, keepdims = false, last = false} : (tensor<?x7x45xf32, ["N", 7, 45]>) -> tensor<?x7xi64, ["N", 7]>
  %24 = "tcc.arg_reduce"(%x8) {kind = "min", axis = 2 : i64, keepdims = false, last = true} : (tensor<?x7x45xi32, ["N", 7, 45]>) -> tensor<?x7xi64, ["N", 7]>
  %25 = "tcc.reduce"(%x9) {kind = "and", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xi1, ["N", 33]>) -> tensor<?xi1, ["N"]>
  %26 = "tcc.reduce"(%x9) {kind = "or", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xi1, ["N", 33]>) -> tensor<33xi1>
  %27 = "tcc.reduce"(%x10) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xf64, ["N", 33]>) -> tensor<?xf64, ["N"]>
  %28 = "tcc.reduce"(%x10) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xf64, ["N", 33]>) -> tensor<33xf64>
  %29 = "tcc.reduce"(%x11) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xf16, ["N", 33]>) -> tensor<?xf16, ["N"]>
  %30 = "tcc.reduce"(%x11) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xf16, ["N", 33]>) -> tensor<33xf16>
  %31 = "tcc.reduce"(%x12) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xi8, ["N", 33]>) -> tensor<?xi8, ["N"]>
  %32 = "tcc.reduce"(%x12) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xi8, ["N", 33]>) -> tensor<33xi8>
  %33 = "tcc.reduce"(%x13) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xi32, ["N", 33]>) -> tensor<?xi32, ["N"]>
  %34 = "tcc.reduce"(%x13) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xi32, ["N", 33]>) -> tensor<33xi32>
  %35 = "tcc.reduce"(%x14) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xi64, ["N", 33]>) -> tensor<?xi64, ["N"]>
  %36 = "tcc.reduce"(%x14) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xi64, ["N", 33]>) -> tensor<33xi64>
  %37 = "tcc.reduce"(%x15) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<?x33xui8, ["N", 33]>) -> tensor<?xui8, ["N"]>
  %38 = "tcc.reduce"(%x15) {kind = "min", axes = array<i64: 0>, keepdims = false} : (tensor<?x33xui8, ["N", 33]>) -> tensor<33xui8>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38 : tensor<?x7x45xf32, ["N", 7, 45]>, tensor<?x7x45xf32, ["N", 7, 45]>, tensor<?x7x45xf32, ["N", 7, 45]>, tensor<5x1000xf32>, tensor<5x1000xf32>, tensor<?x7xf32, ["N", 7]>, tensor<?x7xf32, ["N", 7]>, tensor<?x45xf32, ["N", 45]>, tensor<?x45xf32, ["N", 45]>, tensor<7x45xf32>, tensor<7x45xf32>, tensor<7xf32>, tensor<7xf32>, tensor<?xf32, ["N"]>, tensor<?xf32, ["N"]>, tensor<f32>, tensor<f32>, tensor<1x7x1xf32>, tensor<7x45xi64>, tensor<7x45xi64>, tensor<?x45xi64, ["N", 45]>, tensor<?x45xi64, ["N", 45]>, tensor<?x7xi64, ["N", 7]>, tensor<?x7xi64, ["N", 7]>, tensor<?xi1, ["N"]>, tensor<33xi1>, tensor<?xf64, ["N"]>, tensor<33xf64>, tensor<?xf16, ["N"]>, tensor<33xf16>, tensor<?xi8, ["N"]>, tensor<33xi8>, tensor<?xi32, ["N"]>, tensor<33xi32>, tensor<?xi64, ["N"]>, tensor<33xi64>, tensor<?xui8, ["N"]>, tensor<33xui8>
}
