// RUN: tcc-run %s --no-cache --random=1 --dim=M=3 --compare=interp && tcc-run %s --no-cache --random=1 --dim=M=40 --threads=2 --compare=interp
// RUN: tcc-run %s --no-cache --target=x86,haswell --random=1 --dim=M=5 --compare=interp
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --target=x86,avx512 --to-llvm | FileCheck %s
// REQUIRES: avx512

// A packed panel that one register tile meets alone asks for lines 8 KB behind those that it reads, else for the next panel: of known and unknown rows.
// CHECK: llvm.func {{.*}}_dot_general
// CHECK: llvm.getelementptr %{{[0-9]+}}[8192]
// CHECK: llvm.func {{.*}}_dot_general
// CHECK: llvm.getelementptr %{{[0-9]+}}[8192]
func.func @main(%x: tensor<4x300xf32>, %y: tensor<?x301xf32, ["M", 301]>) -> (tensor<4x256xf32>, tensor<?x256xf32, ["M", 256]>) {
  %w0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<300x256xf32>
  %w = "tcc.sin"(%w0) : (tensor<300x256xf32>) -> tensor<300x256xf32>
  %v0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<301x256xf32>
  %v = "tcc.sin"(%v0) : (tensor<301x256xf32>) -> tensor<301x256xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x300xf32>, tensor<300x256xf32>) -> tensor<4x256xf32>
  %1 = "tcc.dot_general"(%y, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x301xf32, ["M", 301]>, tensor<301x256xf32>) -> tensor<?x256xf32, ["M", 256]>
  return %0, %1 : tensor<4x256xf32>, tensor<?x256xf32, ["M", 256]>
}
