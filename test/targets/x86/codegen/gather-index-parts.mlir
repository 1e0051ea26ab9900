// RUN: rm -rf %t && tcc-run %s --random=1 --dim=B=3 --dim=S=21 --save=%t && tcc-run %s --target=reference --random=1 --dim=B=3 --dim=S=21 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s
// REQUIRES: avx2

// An index of a mask that is put together of two: which of them a place of it is, is known when the code is written.
// Its loops have branches, and nothing else.
// CHECK-COUNT-6: llvm.cond_br
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
module {
  func.func private @k0(%b: tensor<?x1xi64, ["B", 1]>, %s: tensor<1x?xi64, [1, "S"]>, %m: tensor<?x?xf32, ["B", "S"]>) -> tensor<?x?xf32, ["B", "S"]> attributes {tcc.kernel = "map"} {
    %0 = "tcc.broadcast"(%b) : (tensor<?x1xi64, ["B", 1]>) -> tensor<?x?xi64, ["B", "S"]>
    %1 = "tcc.reshape"(%0) : (tensor<?x?xi64, ["B", "S"]>) -> tensor<?x?x1xi64, ["B", "S", 1]>
    %2 = "tcc.broadcast"(%s) : (tensor<1x?xi64, [1, "S"]>) -> tensor<?x?xi64, ["B", "S"]>
    %3 = "tcc.reshape"(%2) : (tensor<?x?xi64, ["B", "S"]>) -> tensor<?x?x1xi64, ["B", "S", 1]>
    %4 = "tcc.concat"(%1, %3) {axis = 2 : i64} : (tensor<?x?x1xi64, ["B", "S", 1]>, tensor<?x?x1xi64, ["B", "S", 1]>) -> tensor<?x?x2xi64, ["B", "S", 2]>
    %5 = "tcc.gather_nd"(%m, %4) {batch_dims = 0 : i64} : (tensor<?x?xf32, ["B", "S"]>, tensor<?x?x2xi64, ["B", "S", 2]>) -> tensor<?x?xf32, ["B", "S"]>
    func.return %5 : tensor<?x?xf32, ["B", "S"]>
  }
  func.func @main(%b: tensor<?x1xi64, ["B", 1]>, %s: tensor<1x?xi64, [1, "S"]>, %m: tensor<?x?xf32, ["B", "S"]>) -> tensor<?x?xf32, ["B", "S"]> {
    %0 = func.call @k0(%b, %s, %m) : (tensor<?x1xi64, ["B", 1]>, tensor<1x?xi64, [1, "S"]>, tensor<?x?xf32, ["B", "S"]>) -> tensor<?x?xf32, ["B", "S"]>
    func.return %0 : tensor<?x?xf32, ["B", "S"]>
  }
}
