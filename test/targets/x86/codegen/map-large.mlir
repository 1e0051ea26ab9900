// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --save=%t && tcc-run %s --random=1 --data=%t --check --rtol=1e-5
// RUN: tcc-run %s --random=1 --data=%t --check --rtol=1e-5 --target=x86,avx2 --threads=2
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=k0 %s | FileCheck %s --implicit-check-not=masked --check-prefix=WHOLE
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=k1 %s | FileCheck %s --check-prefix=SHORT
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=k2 %s | FileCheck %s --check-prefix=PIECES
// REQUIRES: avx2

// A body of many values is written once. It needs no mask where all blocks of a row are whole, and one that is known where a row is a block of its own.
// WHOLE: llvm.func
// SHORT-NOT: llvm.icmp "sgt"
// SHORT: llvm.intr.masked.load
// PIECES: llvm.icmp "sgt"
// PIECES: llvm.intr.masked.load
func.func private @k0(%x: tensor<6x16xf32>, %y: tensor<16xf32>) -> tensor<6x16xf32> attributes {tcc.kernel = "map"} {
  %a0 = "tcc.mul"(%x, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b0 = "tcc.add"(%a0, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a1 = "tcc.mul"(%b0, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b1 = "tcc.add"(%a1, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a2 = "tcc.mul"(%b1, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b2 = "tcc.add"(%a2, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a3 = "tcc.mul"(%b2, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b3 = "tcc.add"(%a3, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a4 = "tcc.mul"(%b3, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b4 = "tcc.add"(%a4, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a5 = "tcc.mul"(%b4, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b5 = "tcc.add"(%a5, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a6 = "tcc.mul"(%b5, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b6 = "tcc.add"(%a6, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a7 = "tcc.mul"(%b6, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b7 = "tcc.add"(%a7, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a8 = "tcc.mul"(%b7, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b8 = "tcc.add"(%a8, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a9 = "tcc.mul"(%b8, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b9 = "tcc.add"(%a9, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a10 = "tcc.mul"(%b9, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b10 = "tcc.add"(%a10, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a11 = "tcc.mul"(%b10, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b11 = "tcc.add"(%a11, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a12 = "tcc.mul"(%b11, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b12 = "tcc.add"(%a12, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a13 = "tcc.mul"(%b12, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b13 = "tcc.add"(%a13, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a14 = "tcc.mul"(%b13, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b14 = "tcc.add"(%a14, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a15 = "tcc.mul"(%b14, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b15 = "tcc.add"(%a15, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a16 = "tcc.mul"(%b15, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b16 = "tcc.add"(%a16, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a17 = "tcc.mul"(%b16, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b17 = "tcc.add"(%a17, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a18 = "tcc.mul"(%b17, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b18 = "tcc.add"(%a18, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a19 = "tcc.mul"(%b18, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b19 = "tcc.add"(%a19, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a20 = "tcc.mul"(%b19, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b20 = "tcc.add"(%a20, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a21 = "tcc.mul"(%b20, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b21 = "tcc.add"(%a21, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a22 = "tcc.mul"(%b21, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b22 = "tcc.add"(%a22, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a23 = "tcc.mul"(%b22, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b23 = "tcc.add"(%a23, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  %a24 = "tcc.mul"(%b23, %y) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %b24 = "tcc.add"(%a24, %x) : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  return %b24 : tensor<6x16xf32>
}
func.func private @k1(%x: tensor<6x7xf32>, %y: tensor<7xf32>) -> tensor<6x7xf32> attributes {tcc.kernel = "map"} {
  %a0 = "tcc.mul"(%x, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b0 = "tcc.add"(%a0, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a1 = "tcc.mul"(%b0, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b1 = "tcc.add"(%a1, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a2 = "tcc.mul"(%b1, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b2 = "tcc.add"(%a2, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a3 = "tcc.mul"(%b2, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b3 = "tcc.add"(%a3, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a4 = "tcc.mul"(%b3, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b4 = "tcc.add"(%a4, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a5 = "tcc.mul"(%b4, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b5 = "tcc.add"(%a5, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a6 = "tcc.mul"(%b5, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b6 = "tcc.add"(%a6, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a7 = "tcc.mul"(%b6, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b7 = "tcc.add"(%a7, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a8 = "tcc.mul"(%b7, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b8 = "tcc.add"(%a8, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a9 = "tcc.mul"(%b8, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b9 = "tcc.add"(%a9, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a10 = "tcc.mul"(%b9, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b10 = "tcc.add"(%a10, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a11 = "tcc.mul"(%b10, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b11 = "tcc.add"(%a11, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a12 = "tcc.mul"(%b11, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b12 = "tcc.add"(%a12, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a13 = "tcc.mul"(%b12, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b13 = "tcc.add"(%a13, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a14 = "tcc.mul"(%b13, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b14 = "tcc.add"(%a14, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a15 = "tcc.mul"(%b14, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b15 = "tcc.add"(%a15, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a16 = "tcc.mul"(%b15, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b16 = "tcc.add"(%a16, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a17 = "tcc.mul"(%b16, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b17 = "tcc.add"(%a17, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a18 = "tcc.mul"(%b17, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b18 = "tcc.add"(%a18, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a19 = "tcc.mul"(%b18, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b19 = "tcc.add"(%a19, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a20 = "tcc.mul"(%b19, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b20 = "tcc.add"(%a20, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a21 = "tcc.mul"(%b20, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b21 = "tcc.add"(%a21, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a22 = "tcc.mul"(%b21, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b22 = "tcc.add"(%a22, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a23 = "tcc.mul"(%b22, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b23 = "tcc.add"(%a23, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  %a24 = "tcc.mul"(%b23, %y) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %b24 = "tcc.add"(%a24, %x) : (tensor<6x7xf32>, tensor<6x7xf32>) -> tensor<6x7xf32>
  return %b24 : tensor<6x7xf32>
}
func.func private @k2(%x: tensor<6x21xf32>, %y: tensor<21xf32>) -> tensor<6x21xf32> attributes {tcc.kernel = "map"} {
  %a0 = "tcc.mul"(%x, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b0 = "tcc.add"(%a0, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a1 = "tcc.mul"(%b0, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b1 = "tcc.add"(%a1, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a2 = "tcc.mul"(%b1, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b2 = "tcc.add"(%a2, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a3 = "tcc.mul"(%b2, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b3 = "tcc.add"(%a3, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a4 = "tcc.mul"(%b3, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b4 = "tcc.add"(%a4, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a5 = "tcc.mul"(%b4, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b5 = "tcc.add"(%a5, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a6 = "tcc.mul"(%b5, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b6 = "tcc.add"(%a6, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a7 = "tcc.mul"(%b6, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b7 = "tcc.add"(%a7, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a8 = "tcc.mul"(%b7, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b8 = "tcc.add"(%a8, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a9 = "tcc.mul"(%b8, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b9 = "tcc.add"(%a9, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a10 = "tcc.mul"(%b9, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b10 = "tcc.add"(%a10, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a11 = "tcc.mul"(%b10, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b11 = "tcc.add"(%a11, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a12 = "tcc.mul"(%b11, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b12 = "tcc.add"(%a12, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a13 = "tcc.mul"(%b12, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b13 = "tcc.add"(%a13, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a14 = "tcc.mul"(%b13, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b14 = "tcc.add"(%a14, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a15 = "tcc.mul"(%b14, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b15 = "tcc.add"(%a15, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a16 = "tcc.mul"(%b15, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b16 = "tcc.add"(%a16, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a17 = "tcc.mul"(%b16, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b17 = "tcc.add"(%a17, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a18 = "tcc.mul"(%b17, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b18 = "tcc.add"(%a18, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a19 = "tcc.mul"(%b18, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b19 = "tcc.add"(%a19, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a20 = "tcc.mul"(%b19, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b20 = "tcc.add"(%a20, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a21 = "tcc.mul"(%b20, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b21 = "tcc.add"(%a21, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a22 = "tcc.mul"(%b21, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b22 = "tcc.add"(%a22, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a23 = "tcc.mul"(%b22, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b23 = "tcc.add"(%a23, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  %a24 = "tcc.mul"(%b23, %y) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  %b24 = "tcc.add"(%a24, %x) : (tensor<6x21xf32>, tensor<6x21xf32>) -> tensor<6x21xf32>
  return %b24 : tensor<6x21xf32>
}
func.func @main(%x0: tensor<6x16xf32>, %y0: tensor<16xf32>, %x1: tensor<6x7xf32>, %y1: tensor<7xf32>, %x2: tensor<6x21xf32>, %y2: tensor<21xf32>) -> (tensor<6x16xf32>, tensor<6x7xf32>, tensor<6x21xf32>) {
  %0 = call @k0(%x0, %y0) : (tensor<6x16xf32>, tensor<16xf32>) -> tensor<6x16xf32>
  %1 = call @k1(%x1, %y1) : (tensor<6x7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %2 = call @k2(%x2, %y2) : (tensor<6x21xf32>, tensor<21xf32>) -> tensor<6x21xf32>
  return %0, %1, %2 : tensor<6x16xf32>, tensor<6x7xf32>, tensor<6x21xf32>
}
