// RUN: tcc-explain %s --no-cache --target=x86,x86-64-v3 | FileCheck %s
// RUN: tcc-translate --to-asm --target=x86,x86-64-v3 %s | FileCheck %s --check-prefix=ASM
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=50 --target=x86,x86-64-v3 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=50 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=1 --target=x86,x86-64-v3 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// REQUIRES: avx2

// Sixteen registers: twelve hold sums of four rows or of six, also where the number of rows is not known; a tile of one row is for one row.
// CHECK-DAG: x86.contract/{{[0-9]+}} rows=4 vectors=3 {{.*}}kc=96
// CHECK-DAG: x86.contract/{{[0-9]+}} rows=6 vectors=2 tail=1 {{.*}}kc=768
// CHECK-NOT: rows=1 vectors=6
// ASM: vpxor %ymm11, %ymm11, %ymm11
// ASM: vfmadd231ps %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, %ymm11
// ASM-NOT: zmm
// The third vector of a tile four rows high is read by its multiply-adds.
// ASM: vfmadd231ps 64(%rsi), %ymm14, %ymm2
// ASM-NOT: zmm
module {
  func.func private @k0_dot(%x: tensor<?x768xf32, ["M", 768]>, %w: tensor<768x100xf32>) -> tensor<?x100xf32, ["M", 100]> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x768xf32, ["M", 768]>, tensor<768x100xf32>) -> tensor<?x100xf32, ["M", 100]>
    func.return %0 : tensor<?x100xf32, ["M", 100]>
  }
  func.func private @k1_dot(%x: tensor<128x96xf32>, %w: tensor<96x256xf32>) -> tensor<128x256xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x96xf32>, tensor<96x256xf32>) -> tensor<128x256xf32>
    func.return %0 : tensor<128x256xf32>
  }
  func.func @main(%x: tensor<?x768xf32, ["M", 768]>, %y: tensor<128x96xf32>, %z: tensor<96x256xf32>) -> (tensor<?x100xf32, ["M", 100]>, tensor<128x256xf32>) {
    %w = "tcc.constant"() {value = dense<0.25> : tensor<768x100xf32>} : () -> tensor<768x100xf32>
    %0 = call @k0_dot(%x, %w) : (tensor<?x768xf32, ["M", 768]>, tensor<768x100xf32>) -> tensor<?x100xf32, ["M", 100]>
    %1 = call @k1_dot(%y, %z) : (tensor<128x96xf32>, tensor<96x256xf32>) -> tensor<128x256xf32>
    return %0, %1 : tensor<?x100xf32, ["M", 100]>, tensor<128x256xf32>
  }
}
