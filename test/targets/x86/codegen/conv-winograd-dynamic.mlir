// RUN: bash -c 'for s in "1 1 1" "2 2 3" "1 5 4" "3 14 14" "1 33 70" "2 1 257"; do set -- $s; d="--dim=N=$1 --dim=H=$2 --dim=W=$3"; rm -rf %t; tcc-run %s --no-cache --target=reference --random=1 $d --save=%t >/dev/null || exit 1; for o in "" "--threads=3" "--target=x86,avx2" "--target=x86,avx512,tiles=llvm" "--target=x86,avx512,l1=32K,l2=256K,cores=3"; do tcc-run %s --no-cache --random=1 $d --data=%t $o --check --rtol=1e-4 --atol=1e-4 || exit 1; done; done'
// RUN: tcc-explain %s --no-cache --target=x86,avx512,l1=48K,l2=2M,cores=2 | FileCheck %s
// RUN: tcc-explain %s --no-cache --target=x86,avx512,l1=48K,l2=256K,cores=2 | FileCheck %s --check-prefix=SMALL
// REQUIRES: avx512

// Images of unknown size by Winograd's filtering: what is cut by their size stands in the kernel's sizes. Weights are read for who knows how few
// tiles, so those beyond twice the second cache stay direct: 4 x 4 of 64 channels fits into 2 MB, 2 x 2 into 256 KB.
// CHECK: schedule: x86.conv_winograd/1 outputs=4x4
// SMALL: schedule: x86.conv_winograd/1 outputs=2x2
module {
  func.func @main(%x: tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>) -> tensor<?x64x?x?xf32, ["N", 64, "H", "W"]> {
    %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xf32>
    %s = "tcc.sin"(%i) : (tensor<36864xf32>) -> tensor<36864xf32>
    %w = "tcc.reshape"(%s) : (tensor<36864xf32>) -> tensor<64x64x3x3xf32>
    %k = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
    %b = "tcc.cos"(%k) : (tensor<64xf32>) -> tensor<64xf32>
    %c = "tcc.conv"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>
    %r = "tcc.relu"(%c) : (tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>) -> tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>
    %a = "tcc.add"(%r, %x) : (tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>, tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>) -> tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>
    func.return %a : tensor<?x64x?x?xf32, ["N", 64, "H", "W"]>
  }
}
