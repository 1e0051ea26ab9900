// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-asm --target=x86,avx2 - | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --target=x86 --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-6 --atol=1e-6
// REQUIRES: avx2

// Arc functions of f32 stay in lanes of f32. Angles do where they are below 2^16: only larger ones are reduced in f64, behind a test of all lanes.
// CHECK-NOT: {{v[a-z0-9]*pd[[:space:]]}}
// CHECK: vsqrtps
// CHECK-NOT: {{v[a-z0-9]*pd[[:space:]]}}
// CHECK: vtestps
// CHECK: vcvtps2pd
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %t = "tcc.tanh"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = "tcc.acos"(%t) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = "tcc.sin"(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = "tcc.atan"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  func.return %s, %b : tensor<64x64xf32>, tensor<64x64xf32>
}
