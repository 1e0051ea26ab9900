// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | FileCheck %s --check-prefix=KERNELS
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | tcc-translate --to-asm --target=x86,x86-64-v4 - | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-asm --target=x86,x86-64-v3 - | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: bash -c 'for t in x86,x86-64-v3 x86; do tcc-run %s --target=$t --random=3 --no-cache --compare=interp || exit 1; done' | FileCheck %s --check-prefix=RIGHT
// REQUIRES: avx2

// Comparisons that make one of some numbers of 4 bits are a table of 16, in which the product that reads a weight as it lies looks up; nothing is made ahead.
// KERNELS: func.func private @[[K:k[0-9]+_dot_general_0]](%arg0: tensor<1x64xf32>, %arg1: tensor<48x64xui4>)
// KERNELS-NOT: func.func private
// KERNELS: func.func @main
// WIDE: vperm{{ps|d}} {{.*}}%zmm
// EIGHT: vperm{{ps|d}} {{.*}}%ymm
// EIGHT: vperm{{ps|d}} {{.*}}%ymm
// EIGHT: vblendvps
// CHECK-NOT: vcmplt
// CHECK: dot_general_0:
// RIGHT-COUNT-2: kernel matches the interpreter
func.func @main(%x: tensor<1x64xf32>, %q: tensor<48x64xui4>) -> tensor<1x48xf32> {
  %f = "tcc.convert"(%q) : (tensor<48x64xui4>) -> tensor<48x64xf32>
  %3 = "tcc.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
  %a = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %b = "tcc.constant"() {value = dense<-1.5> : tensor<f32>} : () -> tensor<f32>
  %below = "tcc.compare"(%f, %9) {predicate = "lt"} : (tensor<48x64xf32>, tensor<f32>) -> tensor<48x64xi1>
  %least = "tcc.compare"(%f, %3) {predicate = "lt"} : (tensor<48x64xf32>, tensor<f32>) -> tensor<48x64xi1>
  %low = "tcc.select"(%least, %a, %b) : (tensor<48x64xi1>, tensor<f32>, tensor<f32>) -> tensor<48x64xf32>
  %w = "tcc.select"(%below, %low, %f) : (tensor<48x64xi1>, tensor<48x64xf32>, tensor<48x64xf32>) -> tensor<48x64xf32>
  %none = "tcc.none"() : () -> none
  %r = "tcc.linear"(%x, %w, %none) {transposed = true} : (tensor<1x64xf32>, tensor<48x64xf32>, none) -> tensor<1x48xf32>
  return %r : tensor<1x48xf32>
}
