// RUN: rm -rf %t && tcc-run %s --random=1 --dim=B=3 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=B=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=B=3 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=B=3 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k4 %s | FileCheck --check-prefix=LARGE %s
// REQUIRES: avx2

// A product that fits into the registers is one function without a loop over its depth: sums never lie in memory. Columns that fill no
// vector, rows that are a view, a residual, entries of a batch, f64, a result that is transposed; few rows of a long depth are none.
// CHECK: llvm.func @k_
// CHECK-COUNT-100: llvm.intr.fma
// CHECK-NOT: llvm.intr.fma
// CHECK-NOT: llvm.call
// LARGE: llvm.call
module {
  func.func private @k0(%x: tensor<10x10xf32>, %w: tensor<10x10xf32>, %b: tensor<10xf32>) -> tensor<10x10xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
    %1 = "tcc.add"(%0, %b) : (tensor<10x10xf32>, tensor<10xf32>) -> tensor<10x10xf32>
    func.return %1 : tensor<10x10xf32>
  }
  func.func private @k1(%x: tensor<6x9xf32>, %w: tensor<6x20xf32>, %s: tensor<9x1xf32>, %r: tensor<9x20xf32>) -> tensor<9x20xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<6x9xf32>, tensor<6x20xf32>) -> tensor<9x20xf32>
    %1 = "tcc.mul"(%0, %s) : (tensor<9x20xf32>, tensor<9x1xf32>) -> tensor<9x20xf32>
    %2 = "tcc.add"(%1, %r) : (tensor<9x20xf32>, tensor<9x20xf32>) -> tensor<9x20xf32>
    %3 = "tcc.tanh"(%2) : (tensor<9x20xf32>) -> tensor<9x20xf32>
    func.return %3 : tensor<9x20xf32>
  }
  func.func private @k2(%x: tensor<?x4x5xf32, ["B", 4, 5]>, %w: tensor<?x5x16xf32, ["B", 5, 16]>) -> tensor<?x4x16xf32, ["B", 4, 16]> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x4x5xf32, ["B", 4, 5]>, tensor<?x5x16xf32, ["B", 5, 16]>) -> tensor<?x4x16xf32, ["B", 4, 16]>
    func.return %0 : tensor<?x4x16xf32, ["B", 4, 16]>
  }
  func.func private @k3(%x: tensor<5x7xf64>, %w: tensor<7x9xf64>) -> tensor<9x5xf64> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<5x7xf64>, tensor<7x9xf64>) -> tensor<5x9xf64>
    %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 0>} : (tensor<5x9xf64>) -> tensor<9x5xf64>
    func.return %1 : tensor<9x5xf64>
  }
  func.func private @k4(%x: tensor<6x99xf32>, %w: tensor<99x10xf32>) -> tensor<6x10xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<6x99xf32>, tensor<99x10xf32>) -> tensor<6x10xf32>
    func.return %0 : tensor<6x10xf32>
  }
  func.func @main(%x0: tensor<10x10xf32>, %w0: tensor<10x10xf32>, %b0: tensor<10xf32>, %x1: tensor<6x9xf32>, %w1: tensor<6x20xf32>, %s1: tensor<9x1xf32>, %r1: tensor<9x20xf32>, %x2: tensor<?x4x5xf32, ["B", 4, 5]>, %w2: tensor<?x5x16xf32, ["B", 5, 16]>, %x3: tensor<5x7xf64>, %w3: tensor<7x9xf64>, %x4: tensor<6x99xf32>, %w4: tensor<99x10xf32>) -> (tensor<10x10xf32>, tensor<9x20xf32>, tensor<?x4x16xf32, ["B", 4, 16]>, tensor<9x5xf64>, tensor<6x10xf32>) {
    %0 = func.call @k0(%x0, %w0, %b0) : (tensor<10x10xf32>, tensor<10x10xf32>, tensor<10xf32>) -> tensor<10x10xf32>
    %1 = func.call @k1(%x1, %w1, %s1, %r1) : (tensor<6x9xf32>, tensor<6x20xf32>, tensor<9x1xf32>, tensor<9x20xf32>) -> tensor<9x20xf32>
    %2 = func.call @k2(%x2, %w2) : (tensor<?x4x5xf32, ["B", 4, 5]>, tensor<?x5x16xf32, ["B", 5, 16]>) -> tensor<?x4x16xf32, ["B", 4, 16]>
    %3 = func.call @k3(%x3, %w3) : (tensor<5x7xf64>, tensor<7x9xf64>) -> tensor<9x5xf64>
    %4 = func.call @k4(%x4, %w4) : (tensor<6x99xf32>, tensor<99x10xf32>) -> tensor<6x10xf32>
    func.return %0, %1, %2, %3, %4 : tensor<10x10xf32>, tensor<9x20xf32>, tensor<?x4x16xf32, ["B", 4, 16]>, tensor<9x5xf64>, tensor<6x10xf32>
  }
}
