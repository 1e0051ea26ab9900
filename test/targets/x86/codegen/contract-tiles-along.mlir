// A right operand in tile registers that is packed in the call: where its rows lie along the columns, panels of four tiles take two lines of each row; where they lie
// along what is contracted, or the columns are few, tiles are two by two.
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --save=%t
// RUN: %if optimised %{ env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 %}
// RUN: %if amx %{ tcc-run %s --random=1 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids,l1=48K,l2=2M,cores=2 %s | tcc-opt --target=x86,sapphirerapids,l1=48K,l2=2M,cores=2 --tcc-variants=count=1 - | FileCheck %s
// CHECK: tensor<70x96xbf16>, %{{.*}}: tensor<96x200xbf16>{{.*}}tcc.variants = [{kc = 96 : i64, mb = 80 : i64, nb = 256 : i64, rows = 16 : i64, vectors = 4 : i64}]
// CHECK: tensor<70x96xbf16>, %{{.*}}: tensor<200x96xbf16>{{.*}}tcc.variants = [{{.*}}rows = 32 : i64, vectors = 2 : i64}]
// CHECK: tensor<70x96xbf16>, %{{.*}}: tensor<96x40xbf16>{{.*}}tcc.variants = [{{.*}}rows = 32 : i64, vectors = 2 : i64}]
// REQUIRES: avx512
func.func @main(%a: tensor<70x96xbf16>, %b: tensor<96x200xbf16>, %c: tensor<200x96xbf16>, %d: tensor<96x40xbf16>) -> (tensor<70x200xbf16>, tensor<70x200xbf16>, tensor<70x40xbf16>) {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x96xbf16>, tensor<96x200xbf16>) -> tensor<70x200xbf16>
  %1 = "tcc.dot_general"(%a, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<70x96xbf16>, tensor<200x96xbf16>) -> tensor<70x200xbf16>
  %2 = "tcc.dot_general"(%a, %d) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<70x96xbf16>, tensor<96x40xbf16>) -> tensor<70x40xbf16>
  return %0, %1, %2 : tensor<70x200xbf16>, tensor<70x200xbf16>, tensor<70x40xbf16>
}
