// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=6 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=6 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=6 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=6 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Cumulative ops along any axis against the reference target.
// CHECK: x86.scan
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x9x5xf32, ["N", 9, 5]>, %x1: tensor<?x33xi64, ["N", 33]>) -> (tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x33xi64, ["N", 33]>) {
  %1 = "tcc.cumulative"(%x0) {kind = "sum", axis = 0 : i64, exclusive = false, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %2 = "tcc.cumulative"(%x0) {kind = "sum", axis = 0 : i64, exclusive = true, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %3 = "tcc.cumulative"(%x0) {kind = "prod", axis = 0 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %4 = "tcc.cumulative"(%x0) {kind = "max", axis = 0 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %5 = "tcc.cumulative"(%x0) {kind = "sum", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %6 = "tcc.cumulative"(%x0) {kind = "sum", axis = 1 : i64, exclusive = true, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %7 = "tcc.cumulative"(%x0) {kind = "prod", axis = 1 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %8 = "tcc.cumulative"(%x0) {kind = "max", axis = 1 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %9 = "tcc.cumulative"(%x0) {kind = "sum", axis = 2 : i64, exclusive = false, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %10 = "tcc.cumulative"(%x0) {kind = "sum", axis = 2 : i64, exclusive = true, reverse = false} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %11 = "tcc.cumulative"(%x0) {kind = "prod", axis = 2 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %12 = "tcc.cumulative"(%x0) {kind = "max", axis = 2 : i64, exclusive = false, reverse = true} : (tensor<?x9x5xf32, ["N", 9, 5]>) -> tensor<?x9x5xf32, ["N", 9, 5]>
  %13 = "tcc.cumulative"(%x1) {kind = "sum", axis = 1 : i64, exclusive = false, reverse = false} : (tensor<?x33xi64, ["N", 33]>) -> tensor<?x33xi64, ["N", 33]>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x9x5xf32, ["N", 9, 5]>, tensor<?x33xi64, ["N", 33]>
}
