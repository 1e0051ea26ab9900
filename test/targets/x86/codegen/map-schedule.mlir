// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1000 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1000 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: tcc-run %s --random=1 --dim=N=7 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=7 --data=%t --check --rtol=1e-4 --atol=1e-5
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// RUN: sed 's/vectors = 3/vectors = 9/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: sed 's/vectors = 3/lanes = 3/' %s | not tcc-translate --to-llvm --target=x86,avx512 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: tcc-opt --tcc-variants=count=9 --target=x86 %s | FileCheck %s --check-prefix=VARIANTS
// REQUIRES: avx512

// Vectors side by side: as written, by the heuristic (brief bodies in long rows), and one in rows that are short. Sizes end in a group, in a block, and before one.
// CHECK: k0 (map)
// CHECK: schedule: lanes = 16, vectors = 3, by the model
// CHECK: k1 (map)
// CHECK: schedule: lanes = 16, vectors = 4, by the heuristic
// CHECK: k2 (map)
// CHECK: schedule: lanes = 16, vectors = 1, by the heuristic
// MOST: tcc.schedule: vectors = 9: there are at most 8
// NAME: tcc.schedule: a schedule of x86.map has no 'lanes'
// VARIANTS: @k1{{.*}}tcc.variants = {{\[}}{vectors = 4 : i64}, {vectors = 2 : i64}, {vectors = 8 : i64}, {vectors = 1 : i64}]
module {
  func.func private @k0(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> attributes {tcc.kernel = "map", tcc.schedule = {vectors = 3 : i64}} {
    %0 = "tcc.exp"(%x) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
    func.return %0 : tensor<?xf32, ["N"]>
  }
  func.func private @k1(%x: tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]> attributes {tcc.kernel = "map"} {
    %0 = "tcc.tanh"(%x) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
    func.return %0 : tensor<?xf32, ["N"]>
  }
  func.func private @k2(%x: tensor<5x37xf32>, %y: tensor<37xf32>) -> tensor<5x37xf32> attributes {tcc.kernel = "map"} {
    %0 = "tcc.add"(%x, %y) : (tensor<5x37xf32>, tensor<37xf32>) -> tensor<5x37xf32>
    func.return %0 : tensor<5x37xf32>
  }
  func.func @main(%x: tensor<?xf32, ["N"]>, %a: tensor<5x37xf32>, %b: tensor<37xf32>) -> (tensor<?xf32, ["N"]>, tensor<5x37xf32>) {
    %0 = func.call @k0(%x) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
    %1 = func.call @k1(%0) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
    %2 = func.call @k2(%a, %b) : (tensor<5x37xf32>, tensor<37xf32>) -> tensor<5x37xf32>
    func.return %1, %2 : tensor<?xf32, ["N"]>, tensor<5x37xf32>
  }
}
