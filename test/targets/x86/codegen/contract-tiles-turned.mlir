// RUN: bash -c 'for m in 1 15 33 130; do for t in 1 31 32 77 130; do rm -rf %t; tcc-run %s --random=1 --dim=M=$m --dim=T=$t --target=x86,avx2 --save=%t && LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=$m --dim=T=$t --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 || exit 1; done; done'
// RUN: %if amx %{ bash -c 'for m in 15 130; do for t in 1 32 77; do rm -rf %t; tcc-run %s --random=1 --dim=M=$m --dim=T=$t --target=x86,avx2 --save=%t && tcc-run %s --random=1 --dim=M=$m --dim=T=$t --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 || exit 1; done; done' %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids,l1=48K,l2=2M,l3=24M %s | tcc-opt --target=x86,sapphirerapids,l1=48K,l2=2M,l3=24M --tcc-variants=count=1 - | FileCheck %s
// REQUIRES: avx512, optimised

// Left operands whose rows lie side by side, as in the gradient of a weight: words of two steps of k are turned in registers for AMX. Where
// both operands are packed in the call all of k comes at once.
// CHECK: kc = 1600 : i64
func.func @main(%x: tensor<?x?xbf16, ["T", "M"]>, %g: tensor<?x70xbf16, ["T", 70]>, %y: tensor<3x?x40xbf16, [3, "T", 40]>, %h: tensor<3x?x33xbf16, [3, "T", 33]>, %a: tensor<1576x96xbf16>, %b: tensor<1576x128xbf16>) -> (tensor<?x70xbf16, ["M", 70]>, tensor<3x40x33xbf16>, tensor<96x128xbf16>) {
  %0 = "tcc.dot_general"(%x, %g) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<?x?xbf16, ["T", "M"]>, tensor<?x70xbf16, ["T", 70]>) -> tensor<?x70xbf16, ["M", 70]>
  %1 = "tcc.dot_general"(%y, %h) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<3x?x40xbf16, [3, "T", 40]>, tensor<3x?x33xbf16, [3, "T", 33]>) -> tensor<3x40x33xbf16>
  %2 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>} : (tensor<1576x96xbf16>, tensor<1576x128xbf16>) -> tensor<96x128xbf16>
  return %0, %1, %2 : tensor<?x70xbf16, ["M", 70]>, tensor<3x40x33xbf16>, tensor<96x128xbf16>
}
