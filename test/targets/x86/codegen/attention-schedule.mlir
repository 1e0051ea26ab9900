// RUN: rm -rf %t && tcc-run %s --random=1 --dim=S=45 --dim=T=150 --save=%t && tcc-run %s --target=reference --random=1 --dim=S=45 --dim=T=150 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: sed 's/rows = 5/rows = 17/; s/block = 70/block = 68/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/block = 70/block = 71/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: sed 's/panels = 2 /panels = 99 /' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=PANELS
// REQUIRES: avx512

// Schedules of attention that no heuristic would choose: few rows, one vector of queries, blocks that end inside of the keys.
// CHECK: schedule: x86.attention/{{[0-9]+}} rows=5 vectors=1 panels=2 block=70
// CHECK: schedule: x86.attention/{{[0-9]+}} rows=7 vectors=2 panels=1 block=49
// ROWS: tcc.schedule: rows = 17, vectors = 1: there are up to 16 rows and 2 vectors
// BLOCK: tcc.schedule: block = 71: not a multiple of the rows
// PANELS: tcc.schedule: panels = 99: there are at most 16
module {
  func.func private @k0_attention(%q: tensor<2x4x?x20xf32, [2, 4, "S", 20]>, %k: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %v: tensor<2x2x?x33xf32, [2, 2, "T", 33]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
      attributes {tcc.kernel = "attention", tcc.schedule = {block = 70 : i64, panels = 2 : i64, rows = 5 : i64, vectors = 1 : i64}} {
    %n = "tcc.none"() : () -> none
    %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.3 : f64} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
    func.return %0 : tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  }
  func.func private @k1_attention(%q: tensor<2x4x?x20xf32, [2, 4, "S", 20]>, %k: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %v: tensor<2x2x?x33xf32, [2, 2, "T", 33]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
      attributes {tcc.kernel = "attention", tcc.schedule = {block = 49 : i64, panels = 1 : i64, rows = 7 : i64, vectors = 2 : i64}} {
    %n = "tcc.none"() : () -> none
    %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.3 : f64, causal = true, offset = [3]} : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>, none) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
    func.return %0 : tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  }
  func.func @main(%q: tensor<2x4x?x20xf32, [2, 4, "S", 20]>, %k: tensor<2x2x?x20xf32, [2, 2, "T", 20]>, %v: tensor<2x2x?x33xf32, [2, 2, "T", 33]>) -> (tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>) {
    %0 = func.call @k0_attention(%q, %k, %v) : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
    %1 = func.call @k1_attention(%q, %k, %v) : (tensor<2x4x?x20xf32, [2, 4, "S", 20]>, tensor<2x2x?x20xf32, [2, 2, "T", 20]>, tensor<2x2x?x33xf32, [2, 2, "T", 33]>) -> tensor<2x4x?x33xf32, [2, 4, "S", 33]>
    func.return %0, %1 : tensor<2x4x?x33xf32, [2, 4, "S", 33]>, tensor<2x4x?x33xf32, [2, 4, "S", 33]>
  }
}
