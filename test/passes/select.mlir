// RUN: tcc-opt --pass-pipeline='tcc-select' %s | FileCheck %s
// Without a record the first candidate, which is the heuristic's choice. Records are tested in test/tune.
// CHECK: @k0(
// CHECK-NOT: tcc.variants
// CHECK-SAME: tcc.schedule = {rows = 8 : i64, vectors = 3 : i64}
// CHECK-NOT: tcc.variants
module {
  func.func private @k0(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tcc.kernel = "map", tcc.variants = [{rows = 8 : i64, vectors = 3 : i64}, {rows = 6 : i64, vectors = 4 : i64}]} {
    %0 = "tcc.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    func.return %0 : tensor<2xf32>
  }
}
