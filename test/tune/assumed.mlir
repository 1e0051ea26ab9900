// Candidates have the types that the model's constraints give their ops: a kernel that joins sizes which are equal by these is measured.
// REQUIRES: avx2, optimised
// RUN: rm -rf %t && mkdir %t && tcc-tune %s --db=%t/db --time-limit=5 --dim=A=40 --dim=B=40 --quiet | FileCheck %s
// CHECK: concat{{.*}} with A=40 B=40
// CHECK: 3 kernels in {{.*}}, 3 measured
module attributes {tcc.constraints = ["A - B", "-A + B"], tcc.constraint_origins = ["", ""]} {
  func.func @main(%x: tensor<?x4xf32, ["A", 4]>, %y: tensor<?x3xf32, ["B", 3]>) -> tensor<?x7xf32, ["A", 7]> {
    %0 = "tcc.exp"(%x) : (tensor<?x4xf32, ["A", 4]>) -> tensor<?x4xf32, ["A", 4]>
    %1 = "tcc.tanh"(%y) : (tensor<?x3xf32, ["B", 3]>) -> tensor<?x3xf32, ["B", 3]>
    %2 = "tcc.concat"(%0, %1) {axis = 1 : i64} : (tensor<?x4xf32, ["A", 4]>, tensor<?x3xf32, ["B", 3]>) -> tensor<?x7xf32, ["A", 7]>
    return %2 : tensor<?x7xf32, ["A", 7]>
  }
}
