// A target outside of the tree (scalar.c): maps and rows are its own, the product falls back to the reference target, by name. Its results are
// those of the reference target: sums of small integers, so to the bit.
// RUN: tcc-scalar %s %t.so | FileCheck %s
// RUN: tcc-run %t.so --random=3 --dim B=5 --save=%t.own && tcc-run %s --target=reference --no-cache --random=3 --dim B=5 --save=%t.reference
// RUN: cmp %t.own/output_0.npy %t.reference/output_0.npy && cmp %t.own/output_1.npy %t.reference/output_1.npy && cmp %t.own/output_2.npy %t.reference/output_2.npy

// CHECK: again: a target 'scalar' is there already
// CHECK-DAG: (row) by scalar.row
// CHECK-DAG: (map) by scalar.map
// CHECK-DAG: (contract) by reference
func.func @main(%x: tensor<?x33xi32, ["B", 33]>, %w: tensor<33x7xi32>) -> (tensor<?x7xf32, ["B", 7]>, tensor<?x33xf32, ["B", 33]>, tensor<7x33xi32>) {
  %a = "tcc.convert"(%x) : (tensor<?x33xi32, ["B", 33]>) -> tensor<?x33xf32, ["B", 33]>
  %b = "tcc.convert"(%w) : (tensor<33x7xi32>) -> tensor<33x7xf32>
  %p = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x33xf32, ["B", 33]>, tensor<33x7xf32>) -> tensor<?x7xf32, ["B", 7]>
  %m = "tcc.reduce"(%a) {kind = "max", axes = array<i64: 1>, keepdims = true} : (tensor<?x33xf32, ["B", 33]>) -> tensor<?x1xf32, ["B", 1]>
  %d = "tcc.add"(%a, %m) : (tensor<?x33xf32, ["B", 33]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x33xf32, ["B", 33]>
  %s = "tcc.reduce"(%d) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<?x33xf32, ["B", 33]>) -> tensor<?x1xf32, ["B", 1]>
  %r = "tcc.sub"(%d, %s) : (tensor<?x33xf32, ["B", 33]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x33xf32, ["B", 33]>
  %t = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<33x7xi32>) -> tensor<7x33xi32>
  %u = "tcc.add"(%t, %t) : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %p, %r, %u : tensor<?x7xf32, ["B", 7]>, tensor<?x33xf32, ["B", 33]>, tensor<7x33xi32>
}
