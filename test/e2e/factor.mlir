// RUN: rm -rf %t && tcc-run %s --random=1 --dim=B=3 --dim=N=37 --dim=M=21 --save=%t && tcc-run %s --target=reference --random=1 --dim=B=3 --dim=N=37 --dim=M=21 --data=%t --check
// RUN: tcc-run %s --random=1 --dim=B=3 --dim=N=37 --dim=M=21 --data=%t --check --target=x86,avx2
// RUN: tcc-run %s --random=1 --dim=B=3 --dim=N=37 --dim=M=21 --data=%t --check --target=nvptx,sm_90a --emulate
// RUN: tcc-run %s --random=1 --dim=B=3 --dim=N=37 --dim=M=21 --compare=interp
// RUN: tcc-run %s --random=2 --dim=B=2 --dim=N=1 --dim=M=8 --compare=interp
// RUN: tcc-run %s --random=3 --dim=B=1 --dim=N=19 --dim=M=80 --compare=interp
// RUN: tcc-run %s --random=4 --dim=B=1 --dim=N=100 --dim=M=33 --compare=interp
// RUN: tcc-run %s --random=2 --dim=B=0 --dim=N=5 --dim=M=4 --compare=interp
// RUN: tcc-run %s --random=2 --dim=B=2 --dim=N=0 --dim=M=4 --compare=interp
// RUN: tcc-run %s --random --dim=B=2 --dim=N=3 --dim=M=2 --profile | FileCheck %s

// Factorisations of square matrices and of others, on each target. They are functions of the run-time.
// CHECK-DAG: cholesky
// CHECK-DAG: lu
// CHECK-DAG: geqrf
func.func @main(%a: tensor<?x?x?xf32, ["B", "N", "N"]>, %b: tensor<?x?x?xf64, ["B", "N", "M"]>)
    -> (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xi32, ["B", "N"]>, tensor<?xi32, ["B"]>, tensor<?x?xi64, ["B", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?xi32, ["B"]>,
        tensor<?x?x?xf64, ["B", "N", "M"]>, tensor<?x?xf64, ["B", "min(M, N)"]>, tensor<?x?x?xf32, ["B", "N", "N"]>,
        tensor<?x?xf32, ["B", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf64, ["B", "min(M, N)"]>, tensor<?x?x?xf64, ["B", "N", "M"]>) {
  %lu:3 = "tcc.lu"(%a) : (tensor<?x?x?xf32, ["B", "N", "N"]>) -> (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xi32, ["B", "N"]>, tensor<?xi32, ["B"]>)
  %rows = "tcc.pivots_to_permutation"(%lu#1) {size = ["N"]} : (tensor<?x?xi32, ["B", "N"]>) -> tensor<?x?xi64, ["B", "N"]>
  %square = "tcc.dot_general"(%a, %a) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>) -> tensor<?x?x?xf32, ["B", "N", "N"]>
  %row = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?x?xi64, ["N", "N"]>
  %column = "tcc.iota"() {axis = 1 : i64} : () -> tensor<?x?xi64, ["N", "N"]>
  %is = "tcc.compare"(%row, %column) {predicate = "eq"} : (tensor<?x?xi64, ["N", "N"]>, tensor<?x?xi64, ["N", "N"]>) -> tensor<?x?xi1, ["N", "N"]>
  %one = "tcc.convert"(%is) : (tensor<?x?xi1, ["N", "N"]>) -> tensor<?x?xf32, ["N", "N"]>
  %positive = "tcc.add"(%square, %one) : (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf32, ["N", "N"]>) -> tensor<?x?x?xf32, ["B", "N", "N"]>
  %l:2 = "tcc.cholesky"(%positive) : (tensor<?x?x?xf32, ["B", "N", "N"]>) -> (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?xi32, ["B"]>)
  %r:2 = "tcc.geqrf"(%b) : (tensor<?x?x?xf64, ["B", "N", "M"]>) -> (tensor<?x?x?xf64, ["B", "N", "M"]>, tensor<?x?xf64, ["B", "min(M, N)"]>)
  %s:2 = "tcc.geqrf"(%a) : (tensor<?x?x?xf32, ["B", "N", "N"]>) -> (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf32, ["B", "N"]>)
  %q = "tcc.householder_product"(%s#0, %s#1) : (tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf32, ["B", "N"]>) -> tensor<?x?x?xf32, ["B", "N", "N"]>
  %e:2 = "tcc.eigh"(%a) : (tensor<?x?x?xf32, ["B", "N", "N"]>) -> (tensor<?x?xf32, ["B", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>)
  %v:3 = "tcc.svd"(%b) : (tensor<?x?x?xf64, ["B", "N", "M"]>) -> (tensor<?x?x?xf64, ["B", "N", "min(M, N)"]>, tensor<?x?xf64, ["B", "min(M, N)"]>, tensor<?x?x?xf64, ["B", "min(M, N)", "M"]>)
  %scale = "tcc.reshape"(%v#1) : (tensor<?x?xf64, ["B", "min(M, N)"]>) -> tensor<?x?x1xf64, ["B", "min(M, N)", 1]>
  %scaled = "tcc.mul"(%scale, %v#2) : (tensor<?x?x1xf64, ["B", "min(M, N)", 1]>, tensor<?x?x?xf64, ["B", "min(M, N)", "M"]>) -> tensor<?x?x?xf64, ["B", "min(M, N)", "M"]>
  %again = "tcc.dot_general"(%v#0, %scaled) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x?x?xf64, ["B", "N", "min(M, N)"]>, tensor<?x?x?xf64, ["B", "min(M, N)", "M"]>) -> tensor<?x?x?xf64, ["B", "N", "M"]>
  return %lu#0, %lu#1, %lu#2, %rows, %l#0, %l#1, %r#0, %r#1, %q, %e#0, %e#1, %v#1, %again : tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xi32, ["B", "N"]>, tensor<?xi32, ["B"]>, tensor<?x?xi64, ["B", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?xi32, ["B"]>, tensor<?x?x?xf64, ["B", "N", "M"]>, tensor<?x?xf64, ["B", "min(M, N)"]>, tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf32, ["B", "N"]>, tensor<?x?x?xf32, ["B", "N", "N"]>, tensor<?x?xf64, ["B", "min(M, N)"]>, tensor<?x?x?xf64, ["B", "N", "M"]>
}
