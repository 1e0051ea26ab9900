// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-llvm --target=x86,x86-64-v3 --kernel=k1_dot_general_0 - | FileCheck %s --check-prefix=BYTES
// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v3 %s | tcc-translate --to-llvm --target=x86,x86-64-v3 --kernel=k1_dot_general - | FileCheck %s --check-prefix=FLOATS
// RUN: tcc-run %s --no-cache --target=x86,x86-64-v3 --random=1 --compare=interp
// REQUIRES: avx2, optimised

// Eight steps of the depth meet one row. Bytes become floats on the way, so that two chains of multiply-adds share them.
// BYTES: [[A:%[0-9]+]] = llvm.fmul
// BYTES-NEXT: [[B:%[0-9]+]] = llvm.fmul
// BYTES-NEXT: [[C:%[0-9]+]] = llvm.intr.fma({{.*}}, [[A]])
// BYTES-NEXT: [[D:%[0-9]+]] = llvm.intr.fma({{.*}}, [[B]])
// BYTES-NEXT: llvm.intr.fma({{.*}}, [[C]])
// BYTES-NEXT: llvm.intr.fma({{.*}}, [[D]])
// Floats are read by the multiply-adds themselves, in one chain.
// FLOATS: [[A:%[0-9]+]] = llvm.fmul
// FLOATS-NEXT: [[B:%[0-9]+]] = llvm.intr.fma({{.*}}, [[A]])
// FLOATS-NEXT: [[C:%[0-9]+]] = llvm.intr.fma({{.*}}, [[B]])
// FLOATS-NEXT: llvm.intr.fma({{.*}}, [[C]])
func.func @main(%x: tensor<1x163xf32>, %b: tensor<163x131xi8>, %w: tensor<163x131xf32>) -> (tensor<1x131xf32>, tensor<1x131xf32>) {
  %0 = "tcc.convert"(%b) {saturate = true} : (tensor<163x131xi8>) -> tensor<163x131xf32>
  %1 = "tcc.dot_general"(%x, %0) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x163xf32>, tensor<163x131xf32>) -> tensor<1x131xf32>
  %2 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x163xf32>, tensor<163x131xf32>) -> tensor<1x131xf32>
  return %1, %2 : tensor<1x131xf32>, tensor<1x131xf32>
}
