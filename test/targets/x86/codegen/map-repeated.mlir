// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=5001 --save=%t && tcc-run %s --random=1 --dim=N=5001 --threads=3 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=N=5001 --target=x86,haswell --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=0 --save=%t && tcc-run %s --random=1 --dim=N=0 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s --check-prefixes=PIECES
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k1 %s | FileCheck %s --check-prefixes=PIECES
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k2 %s | FileCheck %s --check-prefixes=ROWS
// REQUIRES: avx512

// Long rows that are repeated are stored a page at a time to all of their places. Shorter ones, which follow each other, are not.
// PIECES: llvm.mlir.constant(1024 : i64)
// ROWS-NOT: llvm.mlir.constant(1024 : i64)
func.func private @k0(%x: tensor<3x1x20003xf32>) -> tensor<3x5x20003xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.broadcast"(%x) : (tensor<3x1x20003xf32>) -> tensor<3x5x20003xf32>
  return %0 : tensor<3x5x20003xf32>
}
func.func private @k1(%x: tensor<1x?x64xf32, [1, "N", 64]>) -> tensor<2x?x64xf32, [2, "N", 64]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.abs"(%x) : (tensor<1x?x64xf32, [1, "N", 64]>) -> tensor<1x?x64xf32, [1, "N", 64]>
  %1 = "tcc.broadcast"(%0) : (tensor<1x?x64xf32, [1, "N", 64]>) -> tensor<2x?x64xf32, [2, "N", 64]>
  return %1 : tensor<2x?x64xf32, [2, "N", 64]>
}
func.func private @k2(%x: tensor<30x1x5000xf32>) -> tensor<30x9x5000xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.broadcast"(%x) : (tensor<30x1x5000xf32>) -> tensor<30x9x5000xf32>
  return %0 : tensor<30x9x5000xf32>
}
func.func private @k3(%x: tensor<1x40003xui8>) -> tensor<3x40003xui8> attributes {tcc.kernel = "map"} {
  %0 = "tcc.broadcast"(%x) : (tensor<1x40003xui8>) -> tensor<3x40003xui8>
  return %0 : tensor<3x40003xui8>
}
func.func @main(%a: tensor<3x1x20003xf32>, %b: tensor<1x?x64xf32, [1, "N", 64]>, %c: tensor<30x1x5000xf32>, %d: tensor<1x40003xui8>) -> (tensor<3x5x20003xf32>, tensor<2x?x64xf32, [2, "N", 64]>, tensor<30x9x5000xf32>, tensor<3x40003xui8>) {
  %0 = call @k0(%a) : (tensor<3x1x20003xf32>) -> tensor<3x5x20003xf32>
  %1 = call @k1(%b) : (tensor<1x?x64xf32, [1, "N", 64]>) -> tensor<2x?x64xf32, [2, "N", 64]>
  %2 = call @k2(%c) : (tensor<30x1x5000xf32>) -> tensor<30x9x5000xf32>
  %3 = call @k3(%d) : (tensor<1x40003xui8>) -> tensor<3x40003xui8>
  return %0, %1, %2, %3 : tensor<3x5x20003xf32>, tensor<2x?x64xf32, [2, "N", 64]>, tensor<30x9x5000xf32>, tensor<3x40003xui8>
}
