// RUN: tcc-opt --pipeline=default --target=nvptx,sm_90a %s | FileCheck %s
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | FileCheck %s
// A linear layer of 16 bits whose rows PyTorch joined, its bias, what follows and a residual are one kernel: none converts the bias by itself.
// CHECK-COUNT-1: tcc.kernel =
// CHECK-NOT: tcc.kernel =
func.func @main(%x: tensor<2x16x64xbf16>, %w: tensor<64x64xbf16>, %b: tensor<64xbf16>, %y: tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16> {
  %0 = "tcc.reshape"(%x) : (tensor<2x16x64xbf16>) -> tensor<32x64xbf16>
  %1 = "tcc.linear"(%0, %w, %b) {transposed = false} : (tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<32x64xbf16>
  %2 = "tcc.reshape"(%1) : (tensor<32x64xbf16>) -> tensor<2x16x64xbf16>
  %3 = "tcc.gelu"(%2) {approximate = "none"} : (tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
  %4 = "tcc.add"(%3, %y) : (tensor<2x16x64xbf16>, tensor<2x16x64xbf16>) -> tensor<2x16x64xbf16>
  return %4 : tensor<2x16x64xbf16>
}
