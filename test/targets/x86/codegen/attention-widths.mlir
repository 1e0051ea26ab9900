// What becomes of scores is one function for heads of any width and any scale.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 - | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// CHECK: llvm.func hidden @[[WEIGH:weigh_[0-9a-f]+]](
// CHECK: llvm.func @k_
// CHECK: llvm.func hidden @[[WEIGH]](
func.func @main(%q: tensor<1x2x200x16xf32>, %k: tensor<1x2x180x16xf32>, %v: tensor<1x2x180x24xf32>, %r: tensor<1x4x90x20xf32>, %l: tensor<1x4x90x20xf32>,
                %w: tensor<1x4x90x40xf32>) -> (tensor<1x2x200x24xf32>, tensor<1x4x90x40xf32>) {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %none) {scale = 0.25 : f64} : (tensor<1x2x200x16xf32>, tensor<1x2x180x16xf32>, tensor<1x2x180x24xf32>, none) -> tensor<1x2x200x24xf32>
  %1 = "tcc.attention"(%r, %l, %w, %none) {scale = 0.2236 : f64} : (tensor<1x4x90x20xf32>, tensor<1x4x90x20xf32>, tensor<1x4x90x40xf32>, none) -> tensor<1x4x90x40xf32>
  return %0, %1 : tensor<1x2x200x24xf32>, tensor<1x4x90x40xf32>
}
