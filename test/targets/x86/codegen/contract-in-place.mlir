// RUN: rm -rf %t && tcc-run %s --random=1 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// REQUIRES: avx512

// Rows that are read where they lie: a depth that is no multiple of four; rows a page apart, eight of which share a set of the
// first cache; and an epilogue whose rows share a bias, have one each (a scale), or fall into two axes. An odd depth is copied.
// CHECK: rows=10 vectors=1 {{.*}}in_place=1
// CHECK: kc=400 {{.*}}in_place=1
// CHECK: rows=8 {{.*}}kc=1024 {{.*}}in_place=1
// CHECK: in_place=0
module {
  func.func private @k0(%x: tensor<10x10xf32>, %w: tensor<10x10xf32>, %b: tensor<10xf32>) -> tensor<10x10xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
    %1 = "tcc.add"(%0, %b) : (tensor<10x10xf32>, tensor<10xf32>) -> tensor<10x10xf32>
    func.return %1 : tensor<10x10xf32>
  }
  func.func private @k1(%x: tensor<29x798xf32>, %w: tensor<798x100xf32>, %s: tensor<29x1xf32>, %r: tensor<29x100xf32>) -> tensor<29x100xf32> attributes {tcc.kernel = "contract", tcc.schedule = {rows = 8 : i64, vectors = 3 : i64, kc = 400 : i64, mb = 16 : i64, nb = 96 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<29x798xf32>, tensor<798x100xf32>) -> tensor<29x100xf32>
    %1 = "tcc.mul"(%0, %s) : (tensor<29x100xf32>, tensor<29x1xf32>) -> tensor<29x100xf32>
    %2 = "tcc.add"(%1, %r) : (tensor<29x100xf32>, tensor<29x100xf32>) -> tensor<29x100xf32>
    func.return %2 : tensor<29x100xf32>
  }
  func.func private @k2(%x: tensor<64x1024xf32>, %w: tensor<1024x96xf32>) -> tensor<64x96xf32> attributes {tcc.kernel = "contract", tcc.schedule = {rows = 8 : i64, vectors = 3 : i64, kc = 1024 : i64, mb = 32 : i64, nb = 96 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x1024xf32>, tensor<1024x96xf32>) -> tensor<64x96xf32>
    func.return %0 : tensor<64x96xf32>
  }
  func.func private @k3(%x: tensor<2x3x5x11xf32>, %w: tensor<11x40xf32>, %b: tensor<40xf32>) -> tensor<2x5x3x40xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 3>, rhs_contract = array<i64: 0>} : (tensor<2x3x5x11xf32>, tensor<11x40xf32>) -> tensor<2x3x5x40xf32>
    %1 = "tcc.add"(%0, %b) : (tensor<2x3x5x40xf32>, tensor<40xf32>) -> tensor<2x3x5x40xf32>
    %2 = "tcc.transpose"(%1) {perm = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x40xf32>) -> tensor<2x5x3x40xf32>
    func.return %2 : tensor<2x5x3x40xf32>
  }
  func.func @main(%x0: tensor<10x10xf32>, %w0: tensor<10x10xf32>, %b0: tensor<10xf32>, %x1: tensor<29x798xf32>, %w1: tensor<798x100xf32>, %s1: tensor<29x1xf32>, %r1: tensor<29x100xf32>, %x2: tensor<64x1024xf32>, %w2: tensor<1024x96xf32>, %x3: tensor<2x3x5x11xf32>, %w3: tensor<11x40xf32>, %b3: tensor<40xf32>) -> (tensor<10x10xf32>, tensor<29x100xf32>, tensor<64x96xf32>, tensor<2x5x3x40xf32>) {
    %0 = func.call @k0(%x0, %w0, %b0) : (tensor<10x10xf32>, tensor<10x10xf32>, tensor<10xf32>) -> tensor<10x10xf32>
    %1 = func.call @k1(%x1, %w1, %s1, %r1) : (tensor<29x798xf32>, tensor<798x100xf32>, tensor<29x1xf32>, tensor<29x100xf32>) -> tensor<29x100xf32>
    %2 = func.call @k2(%x2, %w2) : (tensor<64x1024xf32>, tensor<1024x96xf32>) -> tensor<64x96xf32>
    %3 = func.call @k3(%x3, %w3, %b3) : (tensor<2x3x5x11xf32>, tensor<11x40xf32>, tensor<40xf32>) -> tensor<2x5x3x40xf32>
    func.return %0, %1, %2, %3 : tensor<10x10xf32>, tensor<29x100xf32>, tensor<64x96xf32>, tensor<2x5x3x40xf32>
  }
}
