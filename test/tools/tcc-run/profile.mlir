// Operations and bytes of each kernel by the formulas of its ops, at the sizes of the run; sums by kernel and kind.
// RUN: tcc-run %s --no-cache --random --dim=N=6 --profile --report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// CHECK: us {{ *}}{{[0-9.]+}} % {{ *}}{{[0-9.]+}} GFLOP/s {{ *}}{{[0-9.]+}} GB/s {{.*}} tiles {{.*}}dot_general{{.*}} product
// CHECK: tiles {{.*}} rows
// CHECK: kernels:
// CHECK: {{[12]}} call{{s?}} {{.*}}dot_general
// CHECK: kinds:
// CHECK-DAG: 2 calls contract
// CHECK-DAG: 1 call map
// CHECK: 100.0 % {{.*}} together
func.func @main(%x: tensor<?x32xf32, ["N", 32]> {tcc.name = "x"}, %table: tensor<1000x32xf32>, %w: tensor<32x10xf32>, %indices: tensor<?xi64, ["N"]>)
    -> (tensor<?x10xf32, ["N", 10]>, tensor<?x10xf32, ["N", 10]>, tensor<?x32xf32, ["N", 32]>) {
  // 2 * 6 * 10 * 32 products and sums, 60 maxima; 4 * (6 * 32 + 32 * 10 + 60) bytes
  // JSON-DAG: "flops": 3900.0
  // JSON-DAG: "bytes": 2288.0
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
    : (tensor<?x32xf32, ["N", 32]>, tensor<32x10xf32>) -> tensor<?x10xf32, ["N", 10]> loc("product")
  %1 = "tcc.relu"(%0) : (tensor<?x10xf32, ["N", 10]>) -> tensor<?x10xf32, ["N", 10]>
  // Of a table the rows that are read: 4 * 6 * 32 of them and of the result, 8 * 6 of the indices.
  // JSON-DAG: "bytes": 1584.0
  %2 = "tcc.gather"(%table, %indices) {axis = 0 : i64} : (tensor<1000x32xf32>, tensor<?xi64, ["N"]>) -> tensor<?x32xf32, ["N", 32]>
  %3 = "tcc.neg"(%2) : (tensor<?x32xf32, ["N", 32]>) -> tensor<?x32xf32, ["N", 32]> loc("rows")
  %4 = "tcc.dot_general"(%3, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
    : (tensor<?x32xf32, ["N", 32]>, tensor<32x10xf32>) -> tensor<?x10xf32, ["N", 10]>
  return %1, %4, %3 : tensor<?x10xf32, ["N", 10]>, tensor<?x10xf32, ["N", 10]>, tensor<?x32xf32, ["N", 32]>
}
