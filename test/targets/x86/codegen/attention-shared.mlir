// Attentions of one width of head and number of keys share what copies keys and values, fills, spreads masks and ends a tile, whatever their other sizes and layouts: these functions are told
// where rows begin and how far they lie apart. What is prefetched is planned without optimisation where a block of keys takes long.
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,cores=1 | tcc-translate --to-llvm --target=x86,avx2,cores=1 - | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2 --random=1 --compare=interp
// REQUIRES: avx2

// CHECK-DAG: llvm.func hidden @[[KEYS:copy_keys_[0-9a-f]+]](
// CHECK-DAG: llvm.func hidden @[[VALUES:copy_values_[0-9a-f]+]](
// CHECK-DAG: llvm.func hidden @[[SPREAD:spread_mask_[0-9a-f]+]](
// CHECK-DAG: llvm.func hidden @[[END:epilogue_[0-9a-f]+]](
// CHECK-DAG: llvm.func hidden @[[FILL:fill_[0-9a-f]+]](
// CHECK: llvm.func @k_[[FIRST:[0-9a-f]+]]_attention
// CHECK-NOT: llvm.func @k_
// CHECK: llvm.func hidden @[[KEYS]](
// CHECK: llvm.func hidden @[[VALUES]](
// CHECK: llvm.func hidden @prefetch{{.*}}optnone
// CHECK: llvm.func hidden @[[SPREAD]](
// CHECK: llvm.func hidden @[[END]](
// CHECK: llvm.func hidden @[[FILL]](
// CHECK: llvm.func @k_
func.func @main(%q: tensor<1x2x200x16xf32>, %k: tensor<1x2x180x16xf32>, %v: tensor<1x2x180x64xf32>, %m: tensor<1x2x200x180xf32>,
                %r: tensor<1x300x4x16xf32>, %l: tensor<1x180x4x16xf32>, %w: tensor<1x180x4x64xf32>, %n: tensor<1x4x300x180xf32>) -> (tensor<1x2x200x64xf32>, tensor<1x300x4x64xf32>) {
  %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.3 : f64} : (tensor<1x2x200x16xf32>, tensor<1x2x180x16xf32>, tensor<1x2x180x64xf32>, tensor<1x2x200x180xf32>) -> tensor<1x2x200x64xf32>
  %1 = "tcc.transpose"(%r) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x300x4x16xf32>) -> tensor<1x4x300x16xf32>
  %2 = "tcc.transpose"(%l) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x180x4x16xf32>) -> tensor<1x4x180x16xf32>
  %3 = "tcc.transpose"(%w) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x180x4x64xf32>) -> tensor<1x4x180x64xf32>
  %4 = "tcc.attention"(%1, %2, %3, %n) {scale = 0.3 : f64} : (tensor<1x4x300x16xf32>, tensor<1x4x180x16xf32>, tensor<1x4x180x64xf32>, tensor<1x4x300x180xf32>) -> tensor<1x4x300x64xf32>
  %5 = "tcc.transpose"(%4) {perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x300x64xf32>) -> tensor<1x300x4x64xf32>
  return %0, %5 : tensor<1x2x200x64xf32>, tensor<1x300x4x64xf32>
}
