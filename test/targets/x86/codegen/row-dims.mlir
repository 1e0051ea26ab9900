// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=4 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=4 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=66 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=66 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=130 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=130 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Reductions over one, several and separate dims, of which neighbours join, with lanes along the row and along rows, wide and not.
// CHECK: x86.row
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<2x5x7x9xf32>, %x1: tensor<2x5x7x9xf32>, %x2: tensor<2x5x7x9xf32>, %x3: tensor<2x5x7x9xf32>, %x4: tensor<3x?x7x1xf32, [3, "N", 7, 1]>, %x5: tensor<3x?x1x1xf32, [3, "N", 1, 1]>, %x6: tensor<1x6x7x7x16xf32>, %x7: tensor<1x6x?x2x16xf32, [1, 6, "N", 2, 16]>, %x8: tensor<?x70xf32, ["N", 70]>, %x9: tensor<9x?xf32, [9, "N"]>, %x10: tensor<3x17x130xf32>, %x11: tensor<?x64xf32, ["N", 64]>, %x12: tensor<2x?x257xf32, [2, "N", 257]>, %x13: tensor<5x2x3x65xf32>, %x14: tensor<1x2x?x1x33xf32, [1, 2, "N", 1, 33]>, %x15: tensor<?x71xf16, ["N", 71]>, %x16: tensor<?x71xi8, ["N", 71]>, %x17: tensor<?x71xi32, ["N", 71]>, %x18: tensor<?x71xf64, ["N", 71]>, %x19: tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, %x20: tensor<6xf32>, %x21: tensor<6xf32>, %x22: tensor<3x4x5x11xf32>, %x23: tensor<4x5x11xf32>, %x24: tensor<4x3x?x8xf32, [4, 3, "N", 8]>, %x25: tensor<1x3x?x7x16xf32, [1, 3, "N", 7, 16]>, %x26: tensor<48xf32>, %x27: tensor<2x48x?x7xf32, [2, 48, "N", 7]>, %x28: tensor<2x48x?x7xf32, [2, 48, "N", 7]>, %x29: tensor<2x48x?x7xf32, [2, 48, "N", 7]>) -> (tensor<2x5xf32>, tensor<2x5x1x1xf32>, tensor<7x9xf32>, tensor<1x1x7x9xf32>, tensor<2x9xf32>, tensor<2x1x1x9xf32>, tensor<5xf32>, tensor<1x5x1x1xf32>, tensor<3x?xf32, [3, "N"]>, tensor<3x?x1x1xf32, [3, "N", 1, 1]>, tensor<3xf32>, tensor<3x1x1x1xf32>, tensor<1x6x16xf32>, tensor<1x6x1x1x16xf32>, tensor<1x6x16xf32>, tensor<1x6x1x1x16xf32>, tensor<70xf32>, tensor<1x70xf32>, tensor<?xf32, ["N"]>, tensor<1x?xf32, [1, "N"]>, tensor<3x130xf32>, tensor<3x1x130xf32>, tensor<64xf32>, tensor<1x64xf32>, tensor<2x257xf32>, tensor<2x1x257xf32>, tensor<5x65xf32>, tensor<5x1x1x65xf32>, tensor<1x2x1x33xf32>, tensor<1x2x1x1x33xf32>, tensor<71xf16>, tensor<71xi8>, tensor<71xi32>, tensor<71xf64>, tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<3x4x5x11xf32>, tensor<3x?x8xi64, [3, "N", 8]>, tensor<4x?x8xi64, [4, "N", 8]>, tensor<4x3x8xi64>, tensor<4x3x?xi64, [4, 3, "N"]>, tensor<1x?x7x48xf32, [1, "N", 7, 48]>, tensor<2x48x?x7xf32, [2, 48, "N", 7]>, tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<2x?x7xi64, [2, "N", 7]>) {
  %1 = "tcc.reduce"(%x0) {kind = "sum", axes = array<i64: 2, 3>, keepdims = false} : (tensor<2x5x7x9xf32>) -> tensor<2x5xf32>
  %2 = "tcc.reduce"(%x0) {kind = "max", axes = array<i64: 2, 3>, keepdims = true} : (tensor<2x5x7x9xf32>) -> tensor<2x5x1x1xf32>
  %3 = "tcc.reduce"(%x1) {kind = "sum", axes = array<i64: 0, 1>, keepdims = false} : (tensor<2x5x7x9xf32>) -> tensor<7x9xf32>
  %4 = "tcc.reduce"(%x1) {kind = "max", axes = array<i64: 0, 1>, keepdims = true} : (tensor<2x5x7x9xf32>) -> tensor<1x1x7x9xf32>
  %5 = "tcc.reduce"(%x2) {kind = "sum", axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x5x7x9xf32>) -> tensor<2x9xf32>
  %6 = "tcc.reduce"(%x2) {kind = "max", axes = array<i64: 1, 2>, keepdims = true} : (tensor<2x5x7x9xf32>) -> tensor<2x1x1x9xf32>
  %7 = "tcc.reduce"(%x3) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<2x5x7x9xf32>) -> tensor<5xf32>
  %8 = "tcc.reduce"(%x3) {kind = "max", axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<2x5x7x9xf32>) -> tensor<1x5x1x1xf32>
  %9 = "tcc.reduce"(%x4) {kind = "sum", axes = array<i64: 2, 3>, keepdims = false} : (tensor<3x?x7x1xf32, [3, "N", 7, 1]>) -> tensor<3x?xf32, [3, "N"]>
  %10 = "tcc.reduce"(%x4) {kind = "max", axes = array<i64: 2, 3>, keepdims = true} : (tensor<3x?x7x1xf32, [3, "N", 7, 1]>) -> tensor<3x?x1x1xf32, [3, "N", 1, 1]>
  %11 = "tcc.reduce"(%x5) {kind = "sum", axes = array<i64: 1, 2, 3>, keepdims = false} : (tensor<3x?x1x1xf32, [3, "N", 1, 1]>) -> tensor<3xf32>
  %12 = "tcc.reduce"(%x5) {kind = "max", axes = array<i64: 1, 2, 3>, keepdims = true} : (tensor<3x?x1x1xf32, [3, "N", 1, 1]>) -> tensor<3x1x1x1xf32>
  %13 = "tcc.reduce"(%x6) {kind = "sum", axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x6x7x7x16xf32>) -> tensor<1x6x16xf32>
  %14 = "tcc.reduce"(%x6) {kind = "max", axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x6x7x7x16xf32>) -> tensor<1x6x1x1x16xf32>
  %15 = "tcc.reduce"(%x7) {kind = "sum", axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x6x?x2x16xf32, [1, 6, "N", 2, 16]>) -> tensor<1x6x16xf32>
  %16 = "tcc.reduce"(%x7) {kind = "max", axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x6x?x2x16xf32, [1, 6, "N", 2, 16]>) -> tensor<1x6x1x1x16xf32>
  %17 = "tcc.reduce"(%x8) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?x70xf32, ["N", 70]>) -> tensor<70xf32>
  %18 = "tcc.reduce"(%x8) {kind = "max", axes = array<i64: 0>, keepdims = true} : (tensor<?x70xf32, ["N", 70]>) -> tensor<1x70xf32>
  %19 = "tcc.reduce"(%x9) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<9x?xf32, [9, "N"]>) -> tensor<?xf32, ["N"]>
  %20 = "tcc.reduce"(%x9) {kind = "max", axes = array<i64: 0>, keepdims = true} : (tensor<9x?xf32, [9, "N"]>) -> tensor<1x?xf32, [1, "N"]>
  %21 = "tcc.reduce"(%x10) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<3x17x130xf32>) -> tensor<3x130xf32>
  %22 = "tcc.reduce"(%x10) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<3x17x130xf32>) -> tensor<3x1x130xf32>
  %23 = "tcc.reduce"(%x11) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?x64xf32, ["N", 64]>) -> tensor<64xf32>
  %24 = "tcc.reduce"(%x11) {kind = "max", axes = array<i64: 0>, keepdims = true} : (tensor<?x64xf32, ["N", 64]>) -> tensor<1x64xf32>
  %25 = "tcc.reduce"(%x12) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<2x?x257xf32, [2, "N", 257]>) -> tensor<2x257xf32>
  %26 = "tcc.reduce"(%x12) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<2x?x257xf32, [2, "N", 257]>) -> tensor<2x1x257xf32>
  %27 = "tcc.reduce"(%x13) {kind = "sum", axes = array<i64: 1, 2>, keepdims = false} : (tensor<5x2x3x65xf32>) -> tensor<5x65xf32>
  %28 = "tcc.reduce"(%x13) {kind = "max", axes = array<i64: 1, 2>, keepdims = true} : (tensor<5x2x3x65xf32>) -> tensor<5x1x1x65xf32>
  %29 = "tcc.reduce"(%x14) {kind = "sum", axes = array<i64: 2>, keepdims = false} : (tensor<1x2x?x1x33xf32, [1, 2, "N", 1, 33]>) -> tensor<1x2x1x33xf32>
  %30 = "tcc.reduce"(%x14) {kind = "max", axes = array<i64: 2>, keepdims = true} : (tensor<1x2x?x1x33xf32, [1, 2, "N", 1, 33]>) -> tensor<1x2x1x1x33xf32>
  %31 = "tcc.reduce"(%x15) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<?x71xf16, ["N", 71]>) -> tensor<71xf16>
  %32 = "tcc.reduce"(%x16) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<?x71xi8, ["N", 71]>) -> tensor<71xi8>
  %33 = "tcc.reduce"(%x17) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<?x71xi32, ["N", 71]>) -> tensor<71xi32>
  %34 = "tcc.reduce"(%x18) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<?x71xf64, ["N", 71]>) -> tensor<71xf64>
  %35 = "tcc.group_norm"(%x19, %x20, %x21) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5x?xf32, [2, 6, 5, "N"]>
  %36 = "tcc.instance_norm"(%x19, %x20, %x21) {eps = 1.0e-5 : f64} : (tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5x?xf32, [2, 6, 5, "N"]>
  %37 = "tcc.layer_norm"(%x22, %x23, %x23) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x4x5x11xf32>, tensor<4x5x11xf32>, tensor<4x5x11xf32>) -> tensor<3x4x5x11xf32>
  %38 = "tcc.arg_reduce"(%x24) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<4x3x?x8xf32, [4, 3, "N", 8]>) -> tensor<3x?x8xi64, [3, "N", 8]>
  %39 = "tcc.arg_reduce"(%x24) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<4x3x?x8xf32, [4, 3, "N", 8]>) -> tensor<4x?x8xi64, [4, "N", 8]>
  %40 = "tcc.arg_reduce"(%x24) {kind = "max", axis = 2 : i64, keepdims = false, last = false} : (tensor<4x3x?x8xf32, [4, 3, "N", 8]>) -> tensor<4x3x8xi64>
  %41 = "tcc.arg_reduce"(%x24) {kind = "max", axis = 3 : i64, keepdims = false, last = false} : (tensor<4x3x?x8xf32, [4, 3, "N", 8]>) -> tensor<4x3x?xi64, [4, 3, "N"]>
  %42 = "tcc.transpose"(%x25) {perm = array<i64: 0, 2, 3, 1, 4>} : (tensor<1x3x?x7x16xf32, [1, 3, "N", 7, 16]>) -> tensor<1x?x7x3x16xf32, [1, "N", 7, 3, 16]>
  %43 = "tcc.reshape"(%42) {} : (tensor<1x?x7x3x16xf32, [1, "N", 7, 3, 16]>) -> tensor<1x?x7x48xf32, [1, "N", 7, 48]>
  %44 = "tcc.layer_norm"(%43, %x26, %x26) {axis = 3 : i64, eps = 1.0e-5 : f64} : (tensor<1x?x7x48xf32, [1, "N", 7, 48]>, tensor<48xf32>, tensor<48xf32>) -> tensor<1x?x7x48xf32, [1, "N", 7, 48]>
  %45 = "tcc.transpose"(%x27) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x48x?x7xf32, [2, 48, "N", 7]>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %46 = "tcc.layer_norm"(%45, %x26, %x26) {axis = 3 : i64, eps = 1.0e-5 : f64} : (tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %47 = "tcc.transpose"(%46) {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x?x7x48xf32, [2, "N", 7, 48]>) -> tensor<2x48x?x7xf32, [2, 48, "N", 7]>
  %48 = "tcc.transpose"(%x28) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x48x?x7xf32, [2, 48, "N", 7]>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %49 = "tcc.layer_norm"(%48, %x26, %x26) {axis = 3 : i64, eps = 1.0e-5 : f64} : (tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<48xf32>, tensor<48xf32>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %50 = "tcc.transpose"(%x29) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x48x?x7xf32, [2, 48, "N", 7]>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %51 = "tcc.softmax"(%50) {axis = 3 : i64} : (tensor<2x?x7x48xf32, [2, "N", 7, 48]>) -> tensor<2x?x7x48xf32, [2, "N", 7, 48]>
  %52 = "tcc.arg_reduce"(%50) {kind = "max", axis = 3 : i64, keepdims = false, last = true} : (tensor<2x?x7x48xf32, [2, "N", 7, 48]>) -> tensor<2x?x7xi64, [2, "N", 7]>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %44, %47, %49, %51, %52 : tensor<2x5xf32>, tensor<2x5x1x1xf32>, tensor<7x9xf32>, tensor<1x1x7x9xf32>, tensor<2x9xf32>, tensor<2x1x1x9xf32>, tensor<5xf32>, tensor<1x5x1x1xf32>, tensor<3x?xf32, [3, "N"]>, tensor<3x?x1x1xf32, [3, "N", 1, 1]>, tensor<3xf32>, tensor<3x1x1x1xf32>, tensor<1x6x16xf32>, tensor<1x6x1x1x16xf32>, tensor<1x6x16xf32>, tensor<1x6x1x1x16xf32>, tensor<70xf32>, tensor<1x70xf32>, tensor<?xf32, ["N"]>, tensor<1x?xf32, [1, "N"]>, tensor<3x130xf32>, tensor<3x1x130xf32>, tensor<64xf32>, tensor<1x64xf32>, tensor<2x257xf32>, tensor<2x1x257xf32>, tensor<5x65xf32>, tensor<5x1x1x65xf32>, tensor<1x2x1x33xf32>, tensor<1x2x1x1x33xf32>, tensor<71xf16>, tensor<71xi8>, tensor<71xi32>, tensor<71xf64>, tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<2x6x5x?xf32, [2, 6, 5, "N"]>, tensor<3x4x5x11xf32>, tensor<3x?x8xi64, [3, "N", 8]>, tensor<4x?x8xi64, [4, "N", 8]>, tensor<4x3x8xi64>, tensor<4x3x?xi64, [4, 3, "N"]>, tensor<1x?x7x48xf32, [1, "N", 7, 48]>, tensor<2x48x?x7xf32, [2, 48, "N", 7]>, tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<2x?x7x48xf32, [2, "N", 7, 48]>, tensor<2x?x7xi64, [2, "N", 7]>
}
