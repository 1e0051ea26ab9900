// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 | FileCheck %s
// RUN: tcc-explain --no-cache %s --target=x86,avx512 | FileCheck %s --check-prefix=READ
// REQUIRES: avx2

// Transposes of known sizes stay in registers, whatever the width of an element: between two to four rows and pixels, and
// of any two sides that hold a cell. Nothing is gathered or scattered.
// READ: objects from the cache, 0 by way of MLIR
// CHECK: shufflevector
// CHECK-NOT: {{gather|scatter}}
func.func @main(%x0: tensor<3x70xf32>, %x1: tensor<70x3xf32>, %x2: tensor<2x4x99xf32>, %x3: tensor<5x33x2xf32>, %x4: tensor<45x77xf32>, %x5: tensor<2x50x130xf32>, %x6: tensor<18x12xf32>, %x7: tensor<3x64x128xf32>, %x8: tensor<3x70xi8>, %x9: tensor<70x3xi8>, %x10: tensor<2x4x99xi8>, %x11: tensor<5x33x2xi8>, %x12: tensor<45x77xi8>, %x13: tensor<2x50x130xi8>, %x14: tensor<18x12xi8>, %x15: tensor<3x64x128xi8>, %x16: tensor<3x70xf16>, %x17: tensor<70x3xf16>, %x18: tensor<2x4x99xf16>, %x19: tensor<5x33x2xf16>, %x20: tensor<45x77xf16>, %x21: tensor<2x50x130xf16>, %x22: tensor<18x12xf16>, %x23: tensor<3x64x128xf16>, %x24: tensor<3x70xi64>, %x25: tensor<70x3xi64>, %x26: tensor<2x4x99xi64>, %x27: tensor<5x33x2xi64>, %x28: tensor<45x77xi64>, %x29: tensor<2x50x130xi64>, %x30: tensor<18x12xi64>, %x31: tensor<3x64x128xi64>, %x32: tensor<3x70xi1>, %x33: tensor<70x3xi1>, %x34: tensor<2x4x99xi1>, %x35: tensor<5x33x2xi1>, %x36: tensor<45x77xi1>, %x37: tensor<2x50x130xi1>, %x38: tensor<18x12xi1>, %x39: tensor<3x64x128xi1>) -> (tensor<70x3xf32>, tensor<3x70xf32>, tensor<2x99x4xf32>, tensor<5x2x33xf32>, tensor<77x45xf32>, tensor<2x130x50xf32>, tensor<12x18xf32>, tensor<128x3x64xf32>, tensor<70x3xi8>, tensor<3x70xi8>, tensor<2x99x4xi8>, tensor<5x2x33xi8>, tensor<77x45xi8>, tensor<2x130x50xi8>, tensor<12x18xi8>, tensor<128x3x64xi8>, tensor<70x3xf16>, tensor<3x70xf16>, tensor<2x99x4xf16>, tensor<5x2x33xf16>, tensor<77x45xf16>, tensor<2x130x50xf16>, tensor<12x18xf16>, tensor<128x3x64xf16>, tensor<70x3xi64>, tensor<3x70xi64>, tensor<2x99x4xi64>, tensor<5x2x33xi64>, tensor<77x45xi64>, tensor<2x130x50xi64>, tensor<12x18xi64>, tensor<128x3x64xi64>, tensor<70x3xi1>, tensor<3x70xi1>, tensor<2x99x4xi1>, tensor<5x2x33xi1>, tensor<77x45xi1>, tensor<2x130x50xi1>, tensor<12x18xi1>, tensor<128x3x64xi1>) {
  %0 = "tcc.transpose"(%x0) {perm = array<i64: 1, 0>} : (tensor<3x70xf32>) -> tensor<70x3xf32>
  %1 = "tcc.transpose"(%x1) {perm = array<i64: 1, 0>} : (tensor<70x3xf32>) -> tensor<3x70xf32>
  %2 = "tcc.transpose"(%x2) {perm = array<i64: 0, 2, 1>} : (tensor<2x4x99xf32>) -> tensor<2x99x4xf32>
  %3 = "tcc.transpose"(%x3) {perm = array<i64: 0, 2, 1>} : (tensor<5x33x2xf32>) -> tensor<5x2x33xf32>
  %4 = "tcc.transpose"(%x4) {perm = array<i64: 1, 0>} : (tensor<45x77xf32>) -> tensor<77x45xf32>
  %5 = "tcc.transpose"(%x5) {perm = array<i64: 0, 2, 1>} : (tensor<2x50x130xf32>) -> tensor<2x130x50xf32>
  %6 = "tcc.transpose"(%x6) {perm = array<i64: 1, 0>} : (tensor<18x12xf32>) -> tensor<12x18xf32>
  %7 = "tcc.transpose"(%x7) {perm = array<i64: 2, 0, 1>} : (tensor<3x64x128xf32>) -> tensor<128x3x64xf32>
  %8 = "tcc.transpose"(%x8) {perm = array<i64: 1, 0>} : (tensor<3x70xi8>) -> tensor<70x3xi8>
  %9 = "tcc.transpose"(%x9) {perm = array<i64: 1, 0>} : (tensor<70x3xi8>) -> tensor<3x70xi8>
  %10 = "tcc.transpose"(%x10) {perm = array<i64: 0, 2, 1>} : (tensor<2x4x99xi8>) -> tensor<2x99x4xi8>
  %11 = "tcc.transpose"(%x11) {perm = array<i64: 0, 2, 1>} : (tensor<5x33x2xi8>) -> tensor<5x2x33xi8>
  %12 = "tcc.transpose"(%x12) {perm = array<i64: 1, 0>} : (tensor<45x77xi8>) -> tensor<77x45xi8>
  %13 = "tcc.transpose"(%x13) {perm = array<i64: 0, 2, 1>} : (tensor<2x50x130xi8>) -> tensor<2x130x50xi8>
  %14 = "tcc.transpose"(%x14) {perm = array<i64: 1, 0>} : (tensor<18x12xi8>) -> tensor<12x18xi8>
  %15 = "tcc.transpose"(%x15) {perm = array<i64: 2, 0, 1>} : (tensor<3x64x128xi8>) -> tensor<128x3x64xi8>
  %16 = "tcc.transpose"(%x16) {perm = array<i64: 1, 0>} : (tensor<3x70xf16>) -> tensor<70x3xf16>
  %17 = "tcc.transpose"(%x17) {perm = array<i64: 1, 0>} : (tensor<70x3xf16>) -> tensor<3x70xf16>
  %18 = "tcc.transpose"(%x18) {perm = array<i64: 0, 2, 1>} : (tensor<2x4x99xf16>) -> tensor<2x99x4xf16>
  %19 = "tcc.transpose"(%x19) {perm = array<i64: 0, 2, 1>} : (tensor<5x33x2xf16>) -> tensor<5x2x33xf16>
  %20 = "tcc.transpose"(%x20) {perm = array<i64: 1, 0>} : (tensor<45x77xf16>) -> tensor<77x45xf16>
  %21 = "tcc.transpose"(%x21) {perm = array<i64: 0, 2, 1>} : (tensor<2x50x130xf16>) -> tensor<2x130x50xf16>
  %22 = "tcc.transpose"(%x22) {perm = array<i64: 1, 0>} : (tensor<18x12xf16>) -> tensor<12x18xf16>
  %23 = "tcc.transpose"(%x23) {perm = array<i64: 2, 0, 1>} : (tensor<3x64x128xf16>) -> tensor<128x3x64xf16>
  %24 = "tcc.transpose"(%x24) {perm = array<i64: 1, 0>} : (tensor<3x70xi64>) -> tensor<70x3xi64>
  %25 = "tcc.transpose"(%x25) {perm = array<i64: 1, 0>} : (tensor<70x3xi64>) -> tensor<3x70xi64>
  %26 = "tcc.transpose"(%x26) {perm = array<i64: 0, 2, 1>} : (tensor<2x4x99xi64>) -> tensor<2x99x4xi64>
  %27 = "tcc.transpose"(%x27) {perm = array<i64: 0, 2, 1>} : (tensor<5x33x2xi64>) -> tensor<5x2x33xi64>
  %28 = "tcc.transpose"(%x28) {perm = array<i64: 1, 0>} : (tensor<45x77xi64>) -> tensor<77x45xi64>
  %29 = "tcc.transpose"(%x29) {perm = array<i64: 0, 2, 1>} : (tensor<2x50x130xi64>) -> tensor<2x130x50xi64>
  %30 = "tcc.transpose"(%x30) {perm = array<i64: 1, 0>} : (tensor<18x12xi64>) -> tensor<12x18xi64>
  %31 = "tcc.transpose"(%x31) {perm = array<i64: 2, 0, 1>} : (tensor<3x64x128xi64>) -> tensor<128x3x64xi64>
  %32 = "tcc.transpose"(%x32) {perm = array<i64: 1, 0>} : (tensor<3x70xi1>) -> tensor<70x3xi1>
  %33 = "tcc.transpose"(%x33) {perm = array<i64: 1, 0>} : (tensor<70x3xi1>) -> tensor<3x70xi1>
  %34 = "tcc.transpose"(%x34) {perm = array<i64: 0, 2, 1>} : (tensor<2x4x99xi1>) -> tensor<2x99x4xi1>
  %35 = "tcc.transpose"(%x35) {perm = array<i64: 0, 2, 1>} : (tensor<5x33x2xi1>) -> tensor<5x2x33xi1>
  %36 = "tcc.transpose"(%x36) {perm = array<i64: 1, 0>} : (tensor<45x77xi1>) -> tensor<77x45xi1>
  %37 = "tcc.transpose"(%x37) {perm = array<i64: 0, 2, 1>} : (tensor<2x50x130xi1>) -> tensor<2x130x50xi1>
  %38 = "tcc.transpose"(%x38) {perm = array<i64: 1, 0>} : (tensor<18x12xi1>) -> tensor<12x18xi1>
  %39 = "tcc.transpose"(%x39) {perm = array<i64: 2, 0, 1>} : (tensor<3x64x128xi1>) -> tensor<128x3x64xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39 : tensor<70x3xf32>, tensor<3x70xf32>, tensor<2x99x4xf32>, tensor<5x2x33xf32>, tensor<77x45xf32>, tensor<2x130x50xf32>, tensor<12x18xf32>, tensor<128x3x64xf32>, tensor<70x3xi8>, tensor<3x70xi8>, tensor<2x99x4xi8>, tensor<5x2x33xi8>, tensor<77x45xi8>, tensor<2x130x50xi8>, tensor<12x18xi8>, tensor<128x3x64xi8>, tensor<70x3xf16>, tensor<3x70xf16>, tensor<2x99x4xf16>, tensor<5x2x33xf16>, tensor<77x45xf16>, tensor<2x130x50xf16>, tensor<12x18xf16>, tensor<128x3x64xf16>, tensor<70x3xi64>, tensor<3x70xi64>, tensor<2x99x4xi64>, tensor<5x2x33xi64>, tensor<77x45xi64>, tensor<2x130x50xi64>, tensor<12x18xi64>, tensor<128x3x64xi64>, tensor<70x3xi1>, tensor<3x70xi1>, tensor<2x99x4xi1>, tensor<5x2x33xi1>, tensor<77x45xi1>, tensor<2x130x50xi1>, tensor<12x18xi1>, tensor<128x3x64xi1>
}
