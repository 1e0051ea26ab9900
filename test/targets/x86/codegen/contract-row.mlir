// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 --kernel=k0_dot_general - | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx512 | tcc-translate --to-llvm --target=x86,avx512 --kernel=k0_dot_general - | FileCheck %s
// RUN: bash -c 'for m in 1 2 7; do tcc-run %s --random=1 --dim=M=$m --compare=interp && tcc-run %s --target=x86,avx2 --threads=3 --random=1 --dim=M=$m --compare=interp || exit 1; done'
// REQUIRES: avx2

// One row of an unknown number reads its panel at four places, each with sums of its own, and asks for lines ahead: those of the next panel where
// the place ends. Depths that are no multiple of four, several blocks of depth, f64, and panels of two types that are widened.
// CHECK: llvm.func {{.*}}@tile_row
// CHECK: %[[FOUR:[0-9]+]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[PART:[0-9]+]] = llvm.udiv %{{[0-9]+}}, %[[FOUR]]
// CHECK: llvm.icmp "slt" %{{[0-9]+}}, %[[PART]]
// CHECK: %[[NEAR:[0-9]+]] = llvm.icmp "slt" %{{[0-9]+}}, %[[PART]]
// CHECK-NEXT: = llvm.select %[[NEAR]]
// CHECK-COUNT-4: llvm.intr.prefetch
// CHECK: llvm.return
func.func @main(%x: tensor<?x203xf32, ["M", 203]>, %y: tensor<?x1500xf32, ["M", 1500]>, %z: tensor<?x41xf64, ["M", 41]>, %h: tensor<?x96xf16, ["M", 96]>)
    -> (tensor<?x75xf32, ["M", 75]>, tensor<?x50xf32, ["M", 50]>, tensor<?x30xf64, ["M", 30]>, tensor<?x40xf16, ["M", 40]>) {
  %a = "tcc.constant"() {value = dense<0.25> : tensor<203x75xf32>} : () -> tensor<203x75xf32>
  %b = "tcc.constant"() {value = dense<0.5> : tensor<1500x50xf32>} : () -> tensor<1500x50xf32>
  %c = "tcc.constant"() {value = dense<0.125> : tensor<41x30xf64>} : () -> tensor<41x30xf64>
  %d = "tcc.constant"() {value = dense<0.375> : tensor<96x40xf16>} : () -> tensor<96x40xf16>
  %0 = "tcc.dot_general"(%x, %a) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x203xf32, ["M", 203]>, tensor<203x75xf32>) -> tensor<?x75xf32, ["M", 75]>
  %1 = "tcc.dot_general"(%y, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x1500xf32, ["M", 1500]>, tensor<1500x50xf32>) -> tensor<?x50xf32, ["M", 50]>
  %2 = "tcc.dot_general"(%z, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x41xf64, ["M", 41]>, tensor<41x30xf64>) -> tensor<?x30xf64, ["M", 30]>
  %3 = "tcc.dot_general"(%h, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x96xf16, ["M", 96]>, tensor<96x40xf16>) -> tensor<?x40xf16, ["M", 40]>
  return %0, %1, %2, %3 : tensor<?x75xf32, ["M", 75]>, tensor<?x50xf32, ["M", 50]>, tensor<?x30xf64, ["M", 30]>, tensor<?x40xf16, ["M", 40]>
}
