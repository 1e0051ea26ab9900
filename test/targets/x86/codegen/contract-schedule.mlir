// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=50 --save=%t && tcc-run %s --target=reference --random=1 --dim=M=50 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: sed 's/rows = 5/rows = 40/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/kc = 64/kc = 63/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: sed 's/mb = 10 : i64/mb = 10 : i32/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sed 's/mb = 10 : i64, //' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=LACKS
// RUN: sed 's/mb = 10/depth = 10/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/vectors = 2 :/vectors = 4611686018427387904 :/' %s > %t.mlir && not tcc-run %t.mlir --no-cache --random --dim=M=4 2>&1 | FileCheck %s --check-prefix=HUGE
// REQUIRES: avx512

// Schedules that no heuristic would choose: odd tiles, small blocks, a packed operand as wide as the tile. A wrong one is said.
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=5 vectors=2 {{.*}}kc=64 mb=10 nb=64
// CHECK: schedule: x86.contract/{{[0-9]+}} rows=2 vectors=6 {{.*}}kc=128 mb=2 nb=96
// TILE: tcc.schedule: rows = 40, vectors = 2: the tile does not fit into 32 registers
// BLOCK: tcc.schedule: kc = 63: not a multiple of {{4|8|16}} up to 65536
// NUMBER: tcc.schedule: 'mb' in a schedule of x86.contract is no positive integer
// LACKS: tcc.schedule: a schedule of x86.contract lacks 'mb'
// UNKNOWN: tcc.schedule: a schedule of x86.contract has no 'depth' (it has rows, vectors, kc, mb, nb)
// HUGE: tcc.schedule: vectors = 4611686018427387904: there are at most 6
module {
  func.func private @k0_dot(%x: tensor<?x300xf32, ["M", 300]>, %w: tensor<300x100xf32>) -> tensor<?x100xf32, ["M", 100]>
      attributes {tcc.kernel = "contract", tcc.schedule = {kc = 64 : i64, mb = 10 : i64, nb = 64 : i64, rows = 5 : i64, vectors = 2 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x300xf32, ["M", 300]>, tensor<300x100xf32>) -> tensor<?x100xf32, ["M", 100]>
    func.return %0 : tensor<?x100xf32, ["M", 100]>
  }
  func.func private @k1_dot(%x: tensor<?x100xf32, ["M", 100]>, %w: tensor<100x70xf32>) -> tensor<?x70xf32, ["M", 70]>
      attributes {tcc.kernel = "contract", tcc.schedule = {kc = 128 : i64, mb = 2 : i64, nb = 96 : i64, rows = 2 : i64, vectors = 6 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x100xf32, ["M", 100]>, tensor<100x70xf32>) -> tensor<?x70xf32, ["M", 70]>
    func.return %0 : tensor<?x70xf32, ["M", 70]>
  }
  func.func @main(%x: tensor<?x300xf32, ["M", 300]>, %v: tensor<100x70xf32>) -> tensor<?x70xf32, ["M", 70]> {
    %w = "tcc.constant"() {value = dense<0.25> : tensor<300x100xf32>} : () -> tensor<300x100xf32>
    %0 = func.call @k0_dot(%x, %w) : (tensor<?x300xf32, ["M", 300]>, tensor<300x100xf32>) -> tensor<?x100xf32, ["M", 100]>
    %1 = func.call @k1_dot(%0, %v) : (tensor<?x100xf32, ["M", 100]>, tensor<100x70xf32>) -> tensor<?x70xf32, ["M", 70]>
    func.return %1 : tensor<?x70xf32, ["M", 70]>
  }
}
