// RUN: tcc-opt %s --tcc-known-sizes | FileCheck %s
// Sizes that have a name, or come of some, are known; nothing changes.
// CHECK: func.func @main(%arg0: tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
// CHECK-NEXT: tcc.exp
// CHECK-NEXT: return
func.func @main(%x: tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> {
  %0 = "tcc.exp"(%x) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]>
  return %0 : tensor<?x64xf32, ["B", 64]>
}
