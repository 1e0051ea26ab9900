// RUN: tcc-opt --target=x86,avx512 --pass-pipeline='tcc-variants{count=4}' %s | FileCheck %s
// RUN: tcc-opt --target=x86,avx512 --pass-pipeline='tcc-variants{count=1}' %s | FileCheck %s --check-prefix=ONE
// RUN: tcc-opt --target=x86,avx512 --pass-pipeline='tcc-variants{count=0}' %s | FileCheck %s --check-prefix=NONE
// RUN: tcc-opt --target=reference --tcc-variants %s | FileCheck %s --check-prefix=NONE
// Candidates of a contraction, the heuristic's choice first; %w is a weight at every call, %x is not. What has a schedule keeps it.
// CHECK: @k0_dot(
// CHECK-SAME: tcc.stable = array<i64: 1, 2>, tcc.variants = [{kc = {{[0-9]+}} : i64, mb = {{[0-9]+}} : i64, nb = {{[0-9]+}} : i64, rows = {{[0-9]+}} : i64, vectors = {{[0-9]+}} : i64}, {{{kc.*}}}]
// CHECK: @k1_dot(
// CHECK-SAME: tcc.schedule = {kc = 128 : i64, mb = 8 : i64, nb = 48 : i64, rows = 8 : i64, vectors = 3 : i64}}
// CHECK-NOT: tcc.variants
// ONE: @k0_dot(
// ONE-SAME: tcc.variants = [{kc = {{[0-9]+}} : i64, mb = {{[0-9]+}} : i64, nb = {{[0-9]+}} : i64, rows = {{[0-9]+}} : i64, vectors = {{[0-9]+}} : i64}]
// NONE-NOT: tcc.variants
module {
  func.func private @k0_dot(%x: tensor<200x100xf32>, %w: tensor<100x70xf32>, %b: tensor<70xf32>) -> tensor<200x70xf32> attributes {tcc.kernel = "contract"} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<200x100xf32>, tensor<100x70xf32>) -> tensor<200x70xf32>
    %1 = "tcc.add"(%0, %b) : (tensor<200x70xf32>, tensor<70xf32>) -> tensor<200x70xf32>
    func.return %1 : tensor<200x70xf32>
  }
  func.func private @k1_dot(%x: tensor<200x70xf32>, %w: tensor<70x100xf32>) -> tensor<200x100xf32>
      attributes {tcc.kernel = "contract", tcc.schedule = {kc = 128 : i64, mb = 8 : i64, nb = 48 : i64, rows = 8 : i64, vectors = 3 : i64}} {
    %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<200x70xf32>, tensor<70x100xf32>) -> tensor<200x100xf32>
    func.return %0 : tensor<200x100xf32>
  }
  func.func @main(%x: tensor<200x100xf32>, %v: tensor<70x100xf32>) -> tensor<200x100xf32> {
    %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 28000 : i64} : () -> tensor<100x70xf32>
    %b = "tcc.weight"() {name = "b", source = 0 : i64, offset = 28000 : i64, length = 280 : i64} : () -> tensor<70xf32>
    %0 = func.call @k0_dot(%x, %w, %b) : (tensor<200x100xf32>, tensor<100x70xf32>, tensor<70xf32>) -> tensor<200x70xf32>
    %1 = func.call @k1_dot(%0, %v) : (tensor<200x70xf32>, tensor<70x100xf32>) -> tensor<200x100xf32>
    func.return %1 : tensor<200x100xf32>
  }
}
