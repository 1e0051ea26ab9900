// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=sums %s | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --dim=N=7 --threads=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=7 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --dim=N=9 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=9 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --dim=N=2 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=2 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --dim=N=0 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=0 --data=%t --check
// REQUIRES: avx2

// Four lines along the last axis are scanned at once: no addition waits for the one before it. Lines that are left go one after the other.
// CHECK: llvm.cond_br
// CHECK-COUNT-4: llvm.fadd {{.*}} : f64
// CHECK-COUNT-4: llvm.store
// CHECK: llvm.cond_br
// CHECK-COUNT-1: llvm.fadd {{.*}} : f64
// CHECK-NOT: llvm.fadd
// CHECK: llvm.return
func.func private @sums(%x: tensor<?x33xf32, ["N", 33]>) -> tensor<?x33xf32, ["N", 33]> attributes {tcc.kernel = "scan"} {
  %0 = "tcc.cumulative"(%x) {axis = 1 : i64, kind = "sum"} : (tensor<?x33xf32, ["N", 33]>) -> tensor<?x33xf32, ["N", 33]>
  return %0 : tensor<?x33xf32, ["N", 33]>
}
func.func private @back(%x: tensor<2x?x5xf16, [2, "N", 5]>) -> tensor<2x?x5xf16, [2, "N", 5]> attributes {tcc.kernel = "scan"} {
  %0 = "tcc.cumulative"(%x) {axis = 2 : i64, kind = "max", reverse = true} : (tensor<2x?x5xf16, [2, "N", 5]>) -> tensor<2x?x5xf16, [2, "N", 5]>
  return %0 : tensor<2x?x5xf16, [2, "N", 5]>
}
func.func private @before(%x: tensor<?x4xi64, ["N", 4]>) -> tensor<?x4xi64, ["N", 4]> attributes {tcc.kernel = "scan"} {
  %0 = "tcc.cumulative"(%x) {axis = 1 : i64, kind = "sum", exclusive = true} : (tensor<?x4xi64, ["N", 4]>) -> tensor<?x4xi64, ["N", 4]>
  return %0 : tensor<?x4xi64, ["N", 4]>
}
func.func @main(%x: tensor<?x33xf32, ["N", 33]>, %y: tensor<2x?x5xf16, [2, "N", 5]>, %z: tensor<?x4xi64, ["N", 4]>) -> (tensor<?x33xf32, ["N", 33]>, tensor<2x?x5xf16, [2, "N", 5]>, tensor<?x4xi64, ["N", 4]>) {
  %0 = call @sums(%x) : (tensor<?x33xf32, ["N", 33]>) -> tensor<?x33xf32, ["N", 33]>
  %1 = call @back(%y) : (tensor<2x?x5xf16, [2, "N", 5]>) -> tensor<2x?x5xf16, [2, "N", 5]>
  %2 = call @before(%z) : (tensor<?x4xi64, ["N", 4]>) -> tensor<?x4xi64, ["N", 4]>
  return %0, %1, %2 : tensor<?x33xf32, ["N", 33]>, tensor<2x?x5xf16, [2, "N", 5]>, tensor<?x4xi64, ["N", 4]>
}
