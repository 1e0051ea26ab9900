// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=70 --save=%t
// RUN: tcc-run %s --target=x86,avx2 --random=1 --dim=N=70 --data=%t --check --rtol=1e-4 --atol=1e-6
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | grep -c "llvm.intr.sqrt" | FileCheck %s
// REQUIRES: avx2

// What is transcendental is computed once for a reduction and for what divides by it (trait T): any function, not the well-known ones
// alone. The root of asinh is written five times, in the loops of the reduction, and not again in those of the result: seven.
// CHECK: {{^}}5{{$}}
func.func @main(%x: tensor<?x300xf32, ["N", 300]>) -> (tensor<?x300xf32, ["N", 300]>, tensor<?x300xf32, ["N", 300]>) {
  %t = "tcc.tan"(%x) : (tensor<?x300xf32, ["N", 300]>) -> tensor<?x300xf32, ["N", 300]>
  %p = "tcc.mul"(%t, %t) : (tensor<?x300xf32, ["N", 300]>, tensor<?x300xf32, ["N", 300]>) -> tensor<?x300xf32, ["N", 300]>
  %s = "tcc.reduce"(%p) {axes = array<i64: 1>, keepdims = true, kind = "sum"} : (tensor<?x300xf32, ["N", 300]>) -> tensor<?x1xf32, ["N", 1]>
  %0 = "tcc.div"(%t, %s) : (tensor<?x300xf32, ["N", 300]>, tensor<?x1xf32, ["N", 1]>) -> tensor<?x300xf32, ["N", 300]>
  %u = "tcc.asinh"(%x) : (tensor<?x300xf32, ["N", 300]>) -> tensor<?x300xf32, ["N", 300]>
  %q = "tcc.mul"(%u, %u) : (tensor<?x300xf32, ["N", 300]>, tensor<?x300xf32, ["N", 300]>) -> tensor<?x300xf32, ["N", 300]>
  %r = "tcc.reduce"(%q) {axes = array<i64: 1>, keepdims = true, kind = "max"} : (tensor<?x300xf32, ["N", 300]>) -> tensor<?x1xf32, ["N", 1]>
  %1 = "tcc.div"(%u, %r) : (tensor<?x300xf32, ["N", 300]>, tensor<?x1xf32, ["N", 1]>) -> tensor<?x300xf32, ["N", 300]>
  return %0, %1 : tensor<?x300xf32, ["N", 300]>, tensor<?x300xf32, ["N", 300]>
}
