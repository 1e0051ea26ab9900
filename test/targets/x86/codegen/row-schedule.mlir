// RUN: rm -rf %t && tcc-run %s --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: sed 's/sets = 8/sets = 3/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=SETS
// RUN: sed 's/block = 192/block = 100/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: sed 's/block = 1 : i64/block = 512 : i64/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: sed 's/fetch = 2/fetch = 3/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=FETCH
// RUN: sed 's/ahead = 4096/ahead = 409600/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: sed 's/rows = 3/rows = 300000/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: sed -e 's/axis = 1/axis = 0/' -e 's/777/13/g' %s | not tcc-translate --to-llvm --target=x86,avx512 --kernel=k2 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: tcc-opt --tcc-variants=count=5 --target=x86 %s | FileCheck %s --check-prefix=VARIANTS
// RUN: tcc-translate --to-asm --target=x86,avx512 --kernel=k3 %s | FileCheck %s --check-prefix=SIDE
// REQUIRES: avx512

// Accumulators, blocks, fetching and tiles as a schedule has them; without one by the heuristic. 
// CHECK: k0 (row)
// CHECK: schedule: lanes = 16, along = row, phases = 3, kept = 1, sets = 8, ahead = 4096, fetch = 2, block = 192, rows = 3, by the model
// CHECK: k1 (row)
// CHECK: sets = 1, ahead = 1024, fetch = 1, block = 1, rows = 2, by the model
// CHECK: k2 (row)
// CHECK: sets = 2, ahead = 1, fetch = 1, block = 1, rows = 5, by the model
// CHECK: k3 (row)
// CHECK: sets = 4, ahead = 1, fetch = 1, block = 1, rows = 11, by the heuristic
// Four registers of a row side by side.
// SIDE: 192(%{{.*}}, %zmm
// SETS: tcc.schedule: sets = 3: a power of two of at most 8
// BLOCK: tcc.schedule: block = 100: 1, or a multiple of 64 of at most 65536
// CUT: tcc.schedule: block = 512: only rows of a softmax along lanes are cut
// FETCH: tcc.schedule: fetch = 3: 1 or 2 with blocks
// AHEAD: tcc.schedule: ahead = 409600: at most 65536 bytes
// ROWS: tcc.schedule: rows = 300000: there are at most 65536 in a tile
// LANES: tcc.schedule: lanes of this kernel are rows: there is nothing to choose
// VARIANTS: @k3{{.*}}tcc.variants = {{\[}}{ahead = 1 : i64, block = 1 : i64, fetch = 1 : i64, rows = 11 : i64, sets = 4 : i64}, {
module {
  func.func private @k0(%x: tensor<13x777xf32>) -> tensor<13x777xf32> attributes {tcc.kernel = "row", tcc.schedule = {ahead = 4096 : i64, block = 192 : i64, fetch = 2 : i64, rows = 3 : i64, sets = 8 : i64}} {
    %m = "tcc.reduce"(%x) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<13x777xf32>) -> tensor<13x1xf32>
    %d = "tcc.sub"(%x, %m) : (tensor<13x777xf32>, tensor<13x1xf32>) -> tensor<13x777xf32>
    %e = "tcc.exp"(%d) : (tensor<13x777xf32>) -> tensor<13x777xf32>
    %s = "tcc.reduce"(%e) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<13x777xf32>) -> tensor<13x1xf32>
    %r = "tcc.div"(%e, %s) : (tensor<13x777xf32>, tensor<13x1xf32>) -> tensor<13x777xf32>
    func.return %r : tensor<13x777xf32>
  }
  func.func private @k1(%x: tensor<13x777xf32>) -> tensor<13x777xf32> attributes {tcc.kernel = "row", tcc.schedule = {ahead = 1024 : i64, block = 1 : i64, fetch = 1 : i64, rows = 2 : i64, sets = 1 : i64}} {
    %s = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<13x777xf32>) -> tensor<13x1xf32>
    %r = "tcc.sub"(%x, %s) : (tensor<13x777xf32>, tensor<13x1xf32>) -> tensor<13x777xf32>
    func.return %r : tensor<13x777xf32>
  }
  func.func private @k2(%x: tensor<13x777xf32>) -> tensor<13xi64> attributes {tcc.kernel = "row", tcc.schedule = {ahead = 1 : i64, block = 1 : i64, fetch = 1 : i64, rows = 5 : i64, sets = 2 : i64}} {
    %r = "tcc.arg_reduce"(%x) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<13x777xf32>) -> tensor<13xi64>
    func.return %r : tensor<13xi64>
  }
  func.func private @k3(%x: tensor<13x777xf32>) -> tensor<13xf32> attributes {tcc.kernel = "row"} {
    %r = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = false} : (tensor<13x777xf32>) -> tensor<13xf32>
    func.return %r : tensor<13xf32>
  }
  func.func @main(%x: tensor<13x777xf32>) -> (tensor<13x777xf32>, tensor<13x777xf32>, tensor<13xi64>, tensor<13xf32>) {
    %0 = func.call @k0(%x) : (tensor<13x777xf32>) -> tensor<13x777xf32>
    %1 = func.call @k1(%x) : (tensor<13x777xf32>) -> tensor<13x777xf32>
    %2 = func.call @k2(%x) : (tensor<13x777xf32>) -> tensor<13xi64>
    %3 = func.call @k3(%x) : (tensor<13x777xf32>) -> tensor<13xf32>
    func.return %0, %1, %2, %3 : tensor<13x777xf32>, tensor<13x777xf32>, tensor<13xi64>, tensor<13xf32>
  }
}
