// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-translate --to-llvm --target=x86,avx2 %s | grep -o "llvm.func @k_[0-9a-f]*" | sort -u | wc -l | FileCheck %s
// REQUIRES: avx2

// Kernels around reductions that differ in the number of rows alone, and so in how far apart what a row has lies, have one text: sums of
// channels, sums of columns. What a row has is known, for the order of its sums is that of its length: another length is another text.
// CHECK: {{^ *3$}}
func.func private @k0(%x: tensor<3x5x8x7xf32>) -> tensor<5xf32> attributes {tcc.kernel = "row"} {
  %r = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<3x5x8x7xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func private @k1(%x: tensor<3x900x8x7xf32>) -> tensor<900xf32> attributes {tcc.kernel = "row"} {
  %r = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<3x900x8x7xf32>) -> tensor<900xf32>
  return %r : tensor<900xf32>
}
func.func private @k2(%x: tensor<3x9x8x8xf32>) -> tensor<9xf32> attributes {tcc.kernel = "row"} {
  %r = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0, 2, 3>, keepdims = false} : (tensor<3x9x8x8xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
func.func private @k3(%x: tensor<6x64xf32>) -> tensor<64xf32> attributes {tcc.kernel = "row"} {
  %r = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<6x64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func private @k4(%x: tensor<6x1024xf32>) -> tensor<1024xf32> attributes {tcc.kernel = "row"} {
  %r = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 0>, keepdims = false} : (tensor<6x1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}
func.func @main(%a: tensor<3x5x8x7xf32>, %b: tensor<3x900x8x7xf32>, %c: tensor<3x9x8x8xf32>, %d: tensor<6x64xf32>, %e: tensor<6x1024xf32>) -> (tensor<5xf32>, tensor<900xf32>, tensor<9xf32>, tensor<64xf32>, tensor<1024xf32>) {
  %0 = func.call @k0(%a) : (tensor<3x5x8x7xf32>) -> tensor<5xf32>
  %1 = func.call @k1(%b) : (tensor<3x900x8x7xf32>) -> tensor<900xf32>
  %2 = func.call @k2(%c) : (tensor<3x9x8x8xf32>) -> tensor<9xf32>
  %3 = func.call @k3(%d) : (tensor<6x64xf32>) -> tensor<64xf32>
  %4 = func.call @k4(%e) : (tensor<6x1024xf32>) -> tensor<1024xf32>
  return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<900xf32>, tensor<9xf32>, tensor<64xf32>, tensor<1024xf32>
}
