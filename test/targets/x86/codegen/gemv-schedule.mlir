// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: sed 's/unroll = 3/unroll = 30/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: sed 's/tile = 16/tile = 15/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/span = 32/span = 40/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=SPAN
// RUN: sed 's/depths = 5/depths = 500/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=DEPTHS
// RUN: rm -rf %t && tcc-run %s --threads=3 --random=1 --save=%t && tcc-run %s --threads=1 --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx512

// Schedules of contractions of few rows that no heuristic would choose, along columns and along the depth.
// CHECK: schedule: x86.gemv/{{[0-9]+}} along=columns unroll=3 tile=16 span=32 depths=1
// CHECK: schedule: x86.gemv/{{[0-9]+}} along=depth unroll=2 tile=48 span=48 depths=1
// LINES: tcc.schedule: unroll = 30: too many for 2 rows
// TILE: tcc.schedule: tile = 15: not a multiple of 16
// SPAN: tcc.schedule: span = 40: not a multiple of the tile
// CHECK: schedule: x86.gemv/{{[0-9]+}} along=columns unroll=4 tile=112 span=48 depths=5
// DEPTHS: tcc.schedule: depths = 500: only of tiles as wide as the result, along columns
module {
  func.func private @k0_dot(%x: tensor<2x300xf32>, %w: tensor<300x100xf32>) -> tensor<2x100xf32>
      attributes {tcc.kernel = "contract", tcc.schedule = {depths = 1 : i64, span = 32 : i64, tile = 16 : i64, unroll = 3 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x300xf32>, tensor<300x100xf32>) -> tensor<2x100xf32>
    func.return %0 : tensor<2x100xf32>
  }
  func.func private @k1_dot(%x: tensor<2x100xf32>, %w: tensor<70x100xf32>) -> tensor<2x70xf32>
      attributes {tcc.kernel = "contract", tcc.schedule = {depths = 1 : i64, span = 48 : i64, tile = 48 : i64, unroll = 2 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x100xf32>, tensor<70x100xf32>) -> tensor<2x70xf32>
    func.return %0 : tensor<2x70xf32>
  }
  func.func private @k2_dot(%x: tensor<2x300xf32>, %w: tensor<300x100xf32>) -> tensor<2x100xf32>
      attributes {tcc.kernel = "contract", tcc.schedule = {depths = 5 : i64, span = 48 : i64, tile = 112 : i64, unroll = 4 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x300xf32>, tensor<300x100xf32>) -> tensor<2x100xf32>
    func.return %0 : tensor<2x100xf32>
  }
  func.func @main(%x: tensor<2x300xf32>, %v: tensor<300x100xf32>, %w: tensor<70x100xf32>) -> (tensor<2x70xf32>, tensor<2x100xf32>) {
    %0 = func.call @k0_dot(%x, %v) : (tensor<2x300xf32>, tensor<300x100xf32>) -> tensor<2x100xf32>
    %1 = func.call @k1_dot(%0, %w) : (tensor<2x100xf32>, tensor<70x100xf32>) -> tensor<2x70xf32>
    %2 = func.call @k2_dot(%x, %v) : (tensor<2x300xf32>, tensor<300x100xf32>) -> tensor<2x100xf32>
    func.return %1, %2 : tensor<2x70xf32>, tensor<2x100xf32>
  }
}
