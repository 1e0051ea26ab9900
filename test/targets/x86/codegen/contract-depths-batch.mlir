// Tiles are parts of the depth only where the product is known to be one: of an unknown number of products, each has tiles of its own.
// RUN: tcc-explain %s --target=x86,avx2,cores=2 | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2,cores=2 --threads=2 --dim=B=3 --random=1 --compare=interp
// REQUIRES: avx2
// CHECK: schedule: x86.contract/
// CHECK-NOT: depths=
func.func @main(%x: tensor<?x40x8192xf32, ["B", 40, 8192]>, %y: tensor<?x8192x40xf32, ["B", 8192, 40]>) -> tensor<?x40x40xf32, ["B", 40, 40]> {
  %0 = "tcc.dot_general"(%x, %y) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<?x40x8192xf32, ["B", 40, 8192]>, tensor<?x8192x40xf32, ["B", 8192, 40]>) -> tensor<?x40x40xf32, ["B", 40, 40]>
  return %0 : tensor<?x40x40xf32, ["B", 40, 40]>
}
