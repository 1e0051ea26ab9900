// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=7 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=7 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=7 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=7 --data=%t --check --rtol=1e-2 --atol=1e-3
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Every element type against the reference target.
// CHECK: x86.map
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x19xf64, ["N", 19]>, %x1: tensor<19xf64>, %x2: tensor<?x19xf16, ["N", 19]>, %x3: tensor<19xf16>, %x4: tensor<?x19xi8, ["N", 19]>, %x5: tensor<19xi8>, %x6: tensor<?x19xui8, ["N", 19]>, %x7: tensor<19xui8>, %x8: tensor<?x19xi16, ["N", 19]>, %x9: tensor<19xi16>, %x10: tensor<?x19xui16, ["N", 19]>, %x11: tensor<19xui16>, %x12: tensor<?x19xi32, ["N", 19]>, %x13: tensor<19xi32>, %x14: tensor<?x19xui32, ["N", 19]>, %x15: tensor<19xui32>, %x16: tensor<?x19xi64, ["N", 19]>, %x17: tensor<19xi64>, %x18: tensor<?x19xui64, ["N", 19]>, %x19: tensor<19xui64>, %x20: tensor<?x19xi1, ["N", 19]>, %x21: tensor<19xi1>) -> (tensor<?x19xf64, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xf64, ["N", 19]>, tensor<?x19xf16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xf16, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xi1, ["N", 19]>, tensor<?x19xf16, ["N", 19]>) {
  %1 = "tcc.add"(%x0, %x1) : (tensor<?x19xf64, ["N", 19]>, tensor<19xf64>) -> tensor<?x19xf64, ["N", 19]>
  %2 = "tcc.mul"(%1, %1) : (tensor<?x19xf64, ["N", 19]>, tensor<?x19xf64, ["N", 19]>) -> tensor<?x19xf64, ["N", 19]>
  %3 = "tcc.sub"(%x0, %x1) : (tensor<?x19xf64, ["N", 19]>, tensor<19xf64>) -> tensor<?x19xf64, ["N", 19]>
  %4 = "tcc.max"(%2, %3) : (tensor<?x19xf64, ["N", 19]>, tensor<?x19xf64, ["N", 19]>) -> tensor<?x19xf64, ["N", 19]>
  %5 = "tcc.convert"(%2) {saturate = true} : (tensor<?x19xf64, ["N", 19]>) -> tensor<?x19xi32, ["N", 19]>
  %6 = "tcc.compare"(%x0, %x1) {predicate = "ge"} : (tensor<?x19xf64, ["N", 19]>, tensor<19xf64>) -> tensor<?x19xi1, ["N", 19]>
  %7 = "tcc.transpose"(%6) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %8 = "tcc.exp"(%x0) : (tensor<?x19xf64, ["N", 19]>) -> tensor<?x19xf64, ["N", 19]>
  %9 = "tcc.add"(%x2, %x3) : (tensor<?x19xf16, ["N", 19]>, tensor<19xf16>) -> tensor<?x19xf16, ["N", 19]>
  %10 = "tcc.mul"(%9, %9) : (tensor<?x19xf16, ["N", 19]>, tensor<?x19xf16, ["N", 19]>) -> tensor<?x19xf16, ["N", 19]>
  %11 = "tcc.sub"(%x2, %x3) : (tensor<?x19xf16, ["N", 19]>, tensor<19xf16>) -> tensor<?x19xf16, ["N", 19]>
  %12 = "tcc.max"(%10, %11) : (tensor<?x19xf16, ["N", 19]>, tensor<?x19xf16, ["N", 19]>) -> tensor<?x19xf16, ["N", 19]>
  %13 = "tcc.convert"(%10) {saturate = true} : (tensor<?x19xf16, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %14 = "tcc.compare"(%x2, %x3) {predicate = "ge"} : (tensor<?x19xf16, ["N", 19]>, tensor<19xf16>) -> tensor<?x19xi1, ["N", 19]>
  %15 = "tcc.transpose"(%14) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %16 = "tcc.exp"(%x2) : (tensor<?x19xf16, ["N", 19]>) -> tensor<?x19xf16, ["N", 19]>
  %17 = "tcc.add"(%x4, %x5) : (tensor<?x19xi8, ["N", 19]>, tensor<19xi8>) -> tensor<?x19xi8, ["N", 19]>
  %18 = "tcc.mul"(%17, %17) : (tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>) -> tensor<?x19xi8, ["N", 19]>
  %19 = "tcc.sub"(%x4, %x5) : (tensor<?x19xi8, ["N", 19]>, tensor<19xi8>) -> tensor<?x19xi8, ["N", 19]>
  %20 = "tcc.max"(%18, %19) : (tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>) -> tensor<?x19xi8, ["N", 19]>
  %21 = "tcc.convert"(%18) {saturate = true} : (tensor<?x19xi8, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %22 = "tcc.compare"(%x4, %x5) {predicate = "ge"} : (tensor<?x19xi8, ["N", 19]>, tensor<19xi8>) -> tensor<?x19xi1, ["N", 19]>
  %23 = "tcc.transpose"(%22) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %24 = "tcc.div"(%17, %x5) : (tensor<?x19xi8, ["N", 19]>, tensor<19xi8>) -> tensor<?x19xi8, ["N", 19]>
  %25 = "tcc.shift_left"(%17, %x5) : (tensor<?x19xi8, ["N", 19]>, tensor<19xi8>) -> tensor<?x19xi8, ["N", 19]>
  %26 = "tcc.sub"(%x5, %17) : (tensor<19xi8>, tensor<?x19xi8, ["N", 19]>) -> tensor<?x19xi8, ["N", 19]>
  %27 = "tcc.mod"(%17, %26) : (tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>) -> tensor<?x19xi8, ["N", 19]>
  %28 = "tcc.add"(%x6, %x7) : (tensor<?x19xui8, ["N", 19]>, tensor<19xui8>) -> tensor<?x19xui8, ["N", 19]>
  %29 = "tcc.mul"(%28, %28) : (tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>) -> tensor<?x19xui8, ["N", 19]>
  %30 = "tcc.sub"(%x6, %x7) : (tensor<?x19xui8, ["N", 19]>, tensor<19xui8>) -> tensor<?x19xui8, ["N", 19]>
  %31 = "tcc.max"(%29, %30) : (tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>) -> tensor<?x19xui8, ["N", 19]>
  %32 = "tcc.convert"(%29) {saturate = true} : (tensor<?x19xui8, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %33 = "tcc.compare"(%x6, %x7) {predicate = "ge"} : (tensor<?x19xui8, ["N", 19]>, tensor<19xui8>) -> tensor<?x19xi1, ["N", 19]>
  %34 = "tcc.transpose"(%33) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %35 = "tcc.div"(%28, %x7) : (tensor<?x19xui8, ["N", 19]>, tensor<19xui8>) -> tensor<?x19xui8, ["N", 19]>
  %36 = "tcc.shift_left"(%28, %x7) : (tensor<?x19xui8, ["N", 19]>, tensor<19xui8>) -> tensor<?x19xui8, ["N", 19]>
  %37 = "tcc.sub"(%x7, %28) : (tensor<19xui8>, tensor<?x19xui8, ["N", 19]>) -> tensor<?x19xui8, ["N", 19]>
  %38 = "tcc.mod"(%28, %37) : (tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>) -> tensor<?x19xui8, ["N", 19]>
  %39 = "tcc.add"(%x8, %x9) : (tensor<?x19xi16, ["N", 19]>, tensor<19xi16>) -> tensor<?x19xi16, ["N", 19]>
  %40 = "tcc.mul"(%39, %39) : (tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>) -> tensor<?x19xi16, ["N", 19]>
  %41 = "tcc.sub"(%x8, %x9) : (tensor<?x19xi16, ["N", 19]>, tensor<19xi16>) -> tensor<?x19xi16, ["N", 19]>
  %42 = "tcc.max"(%40, %41) : (tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>) -> tensor<?x19xi16, ["N", 19]>
  %43 = "tcc.convert"(%40) {saturate = true} : (tensor<?x19xi16, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %44 = "tcc.compare"(%x8, %x9) {predicate = "ge"} : (tensor<?x19xi16, ["N", 19]>, tensor<19xi16>) -> tensor<?x19xi1, ["N", 19]>
  %45 = "tcc.transpose"(%44) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %46 = "tcc.div"(%39, %x9) : (tensor<?x19xi16, ["N", 19]>, tensor<19xi16>) -> tensor<?x19xi16, ["N", 19]>
  %47 = "tcc.shift_left"(%39, %x9) : (tensor<?x19xi16, ["N", 19]>, tensor<19xi16>) -> tensor<?x19xi16, ["N", 19]>
  %48 = "tcc.sub"(%x9, %39) : (tensor<19xi16>, tensor<?x19xi16, ["N", 19]>) -> tensor<?x19xi16, ["N", 19]>
  %49 = "tcc.mod"(%39, %48) : (tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>) -> tensor<?x19xi16, ["N", 19]>
  %50 = "tcc.add"(%x10, %x11) : (tensor<?x19xui16, ["N", 19]>, tensor<19xui16>) -> tensor<?x19xui16, ["N", 19]>
  %51 = "tcc.mul"(%50, %50) : (tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>) -> tensor<?x19xui16, ["N", 19]>
  %52 = "tcc.sub"(%x10, %x11) : (tensor<?x19xui16, ["N", 19]>, tensor<19xui16>) -> tensor<?x19xui16, ["N", 19]>
  %53 = "tcc.max"(%51, %52) : (tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>) -> tensor<?x19xui16, ["N", 19]>
  %54 = "tcc.convert"(%51) {saturate = true} : (tensor<?x19xui16, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %55 = "tcc.compare"(%x10, %x11) {predicate = "ge"} : (tensor<?x19xui16, ["N", 19]>, tensor<19xui16>) -> tensor<?x19xi1, ["N", 19]>
  %56 = "tcc.transpose"(%55) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %57 = "tcc.div"(%50, %x11) : (tensor<?x19xui16, ["N", 19]>, tensor<19xui16>) -> tensor<?x19xui16, ["N", 19]>
  %58 = "tcc.shift_left"(%50, %x11) : (tensor<?x19xui16, ["N", 19]>, tensor<19xui16>) -> tensor<?x19xui16, ["N", 19]>
  %59 = "tcc.sub"(%x11, %50) : (tensor<19xui16>, tensor<?x19xui16, ["N", 19]>) -> tensor<?x19xui16, ["N", 19]>
  %60 = "tcc.mod"(%50, %59) : (tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>) -> tensor<?x19xui16, ["N", 19]>
  %61 = "tcc.add"(%x12, %x13) : (tensor<?x19xi32, ["N", 19]>, tensor<19xi32>) -> tensor<?x19xi32, ["N", 19]>
  %62 = "tcc.mul"(%61, %61) : (tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>) -> tensor<?x19xi32, ["N", 19]>
  %63 = "tcc.sub"(%x12, %x13) : (tensor<?x19xi32, ["N", 19]>, tensor<19xi32>) -> tensor<?x19xi32, ["N", 19]>
  %64 = "tcc.max"(%62, %63) : (tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>) -> tensor<?x19xi32, ["N", 19]>
  %65 = "tcc.convert"(%62) {saturate = true} : (tensor<?x19xi32, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %66 = "tcc.compare"(%x12, %x13) {predicate = "ge"} : (tensor<?x19xi32, ["N", 19]>, tensor<19xi32>) -> tensor<?x19xi1, ["N", 19]>
  %67 = "tcc.transpose"(%66) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %68 = "tcc.div"(%61, %x13) : (tensor<?x19xi32, ["N", 19]>, tensor<19xi32>) -> tensor<?x19xi32, ["N", 19]>
  %69 = "tcc.shift_left"(%61, %x13) : (tensor<?x19xi32, ["N", 19]>, tensor<19xi32>) -> tensor<?x19xi32, ["N", 19]>
  %70 = "tcc.sub"(%x13, %61) : (tensor<19xi32>, tensor<?x19xi32, ["N", 19]>) -> tensor<?x19xi32, ["N", 19]>
  %71 = "tcc.mod"(%61, %70) : (tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>) -> tensor<?x19xi32, ["N", 19]>
  %72 = "tcc.add"(%x14, %x15) : (tensor<?x19xui32, ["N", 19]>, tensor<19xui32>) -> tensor<?x19xui32, ["N", 19]>
  %73 = "tcc.mul"(%72, %72) : (tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>) -> tensor<?x19xui32, ["N", 19]>
  %74 = "tcc.sub"(%x14, %x15) : (tensor<?x19xui32, ["N", 19]>, tensor<19xui32>) -> tensor<?x19xui32, ["N", 19]>
  %75 = "tcc.max"(%73, %74) : (tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>) -> tensor<?x19xui32, ["N", 19]>
  %76 = "tcc.convert"(%73) {saturate = true} : (tensor<?x19xui32, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %77 = "tcc.compare"(%x14, %x15) {predicate = "ge"} : (tensor<?x19xui32, ["N", 19]>, tensor<19xui32>) -> tensor<?x19xi1, ["N", 19]>
  %78 = "tcc.transpose"(%77) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %79 = "tcc.div"(%72, %x15) : (tensor<?x19xui32, ["N", 19]>, tensor<19xui32>) -> tensor<?x19xui32, ["N", 19]>
  %80 = "tcc.shift_left"(%72, %x15) : (tensor<?x19xui32, ["N", 19]>, tensor<19xui32>) -> tensor<?x19xui32, ["N", 19]>
  %81 = "tcc.sub"(%x15, %72) : (tensor<19xui32>, tensor<?x19xui32, ["N", 19]>) -> tensor<?x19xui32, ["N", 19]>
  %82 = "tcc.mod"(%72, %81) : (tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>) -> tensor<?x19xui32, ["N", 19]>
  %83 = "tcc.add"(%x16, %x17) : (tensor<?x19xi64, ["N", 19]>, tensor<19xi64>) -> tensor<?x19xi64, ["N", 19]>
  %84 = "tcc.mul"(%83, %83) : (tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>) -> tensor<?x19xi64, ["N", 19]>
  %85 = "tcc.sub"(%x16, %x17) : (tensor<?x19xi64, ["N", 19]>, tensor<19xi64>) -> tensor<?x19xi64, ["N", 19]>
  %86 = "tcc.max"(%84, %85) : (tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>) -> tensor<?x19xi64, ["N", 19]>
  %87 = "tcc.convert"(%84) {saturate = true} : (tensor<?x19xi64, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %88 = "tcc.compare"(%x16, %x17) {predicate = "ge"} : (tensor<?x19xi64, ["N", 19]>, tensor<19xi64>) -> tensor<?x19xi1, ["N", 19]>
  %89 = "tcc.transpose"(%88) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %90 = "tcc.div"(%83, %x17) : (tensor<?x19xi64, ["N", 19]>, tensor<19xi64>) -> tensor<?x19xi64, ["N", 19]>
  %91 = "tcc.shift_left"(%83, %x17) : (tensor<?x19xi64, ["N", 19]>, tensor<19xi64>) -> tensor<?x19xi64, ["N", 19]>
  %92 = "tcc.sub"(%x17, %83) : (tensor<19xi64>, tensor<?x19xi64, ["N", 19]>) -> tensor<?x19xi64, ["N", 19]>
  %93 = "tcc.mod"(%83, %92) : (tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>) -> tensor<?x19xi64, ["N", 19]>
  %94 = "tcc.add"(%x18, %x19) : (tensor<?x19xui64, ["N", 19]>, tensor<19xui64>) -> tensor<?x19xui64, ["N", 19]>
  %95 = "tcc.mul"(%94, %94) : (tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>) -> tensor<?x19xui64, ["N", 19]>
  %96 = "tcc.sub"(%x18, %x19) : (tensor<?x19xui64, ["N", 19]>, tensor<19xui64>) -> tensor<?x19xui64, ["N", 19]>
  %97 = "tcc.max"(%95, %96) : (tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>) -> tensor<?x19xui64, ["N", 19]>
  %98 = "tcc.convert"(%95) {saturate = true} : (tensor<?x19xui64, ["N", 19]>) -> tensor<?x19xf32, ["N", 19]>
  %99 = "tcc.compare"(%x18, %x19) {predicate = "ge"} : (tensor<?x19xui64, ["N", 19]>, tensor<19xui64>) -> tensor<?x19xi1, ["N", 19]>
  %100 = "tcc.transpose"(%99) {perm = array<i64: 1, 0>} : (tensor<?x19xi1, ["N", 19]>) -> tensor<19x?xi1, [19, "N"]>
  %101 = "tcc.div"(%94, %x19) : (tensor<?x19xui64, ["N", 19]>, tensor<19xui64>) -> tensor<?x19xui64, ["N", 19]>
  %102 = "tcc.shift_left"(%94, %x19) : (tensor<?x19xui64, ["N", 19]>, tensor<19xui64>) -> tensor<?x19xui64, ["N", 19]>
  %103 = "tcc.sub"(%x19, %94) : (tensor<19xui64>, tensor<?x19xui64, ["N", 19]>) -> tensor<?x19xui64, ["N", 19]>
  %104 = "tcc.mod"(%94, %103) : (tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>) -> tensor<?x19xui64, ["N", 19]>
  %105 = "tcc.xor"(%x20, %x21) : (tensor<?x19xi1, ["N", 19]>, tensor<19xi1>) -> tensor<?x19xi1, ["N", 19]>
  %106 = "tcc.convert"(%x20) {saturate = true} : (tensor<?x19xi1, ["N", 19]>) -> tensor<?x19xf16, ["N", 19]>
  return %4, %5, %7, %8, %12, %13, %15, %16, %20, %21, %23, %24, %25, %27, %31, %32, %34, %35, %36, %38, %42, %43, %45, %46, %47, %49, %53, %54, %56, %57, %58, %60, %64, %65, %67, %68, %69, %71, %75, %76, %78, %79, %80, %82, %86, %87, %89, %90, %91, %93, %97, %98, %100, %101, %102, %104, %105, %106 : tensor<?x19xf64, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xf64, ["N", 19]>, tensor<?x19xf16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xf16, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xi8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xui8, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xi16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xui16, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xi32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xui32, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xi64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xf32, ["N", 19]>, tensor<19x?xi1, [19, "N"]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xui64, ["N", 19]>, tensor<?x19xi1, ["N", 19]>, tensor<?x19xf16, ["N", 19]>
}
