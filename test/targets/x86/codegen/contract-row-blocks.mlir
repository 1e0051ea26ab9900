// Rows of a block of packed weights: 96, or up to a third more if these are all and the second cache holds them beside two panels, as a rest
// would read all weights again. 96 where the cache is smaller or more rows follow.
// RUN: tcc-opt --pipeline=default --target=x86,avx512,l1=48K,l2=2M,cores=1 %s | tcc-opt --target=x86,avx512,l1=48K,l2=2M,cores=1 --tcc-variants=count=1 - | FileCheck %s --check-prefixes=LARGE
// RUN: tcc-opt --pipeline=default --target=x86,avx512,l1=32K,l2=1M,cores=1 %s | tcc-opt --target=x86,avx512,l1=32K,l2=1M,cores=1 --tcc-variants=count=1 - | FileCheck %s --check-prefixes=SMALL
// LARGE: tensor<128x768xf32>, {{.*}}tcc.variants = [{kc = 768 : i64, mb = 128 : i64,
// LARGE: tensor<130x768xf32>, {{.*}}tcc.variants = [{kc = 768 : i64, mb = 96 : i64,
// SMALL: tensor<128x768xf32>, {{.*}}tcc.variants = [{kc = 768 : i64, mb = 96 : i64,
// SMALL: tensor<130x768xf32>, {{.*}}tcc.variants = [{kc = 768 : i64, mb = 96 : i64,
func.func @main(%x: tensor<128x768xf32>, %y: tensor<130x768xf32>) -> (tensor<128x96xf32>, tensor<130x96xf32>) {
  %w = "tcc.weight"() {name = "w", source = 0 : i64, offset = 0 : i64, length = 294912 : i64} : () -> tensor<768x96xf32>
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<128x768xf32>, tensor<768x96xf32>) -> tensor<128x96xf32>
  %1 = "tcc.dot_general"(%y, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<130x768xf32>, tensor<768x96xf32>) -> tensor<130x96xf32>
  return %0, %1 : tensor<128x96xf32>, tensor<130x96xf32>
}
