// RUN: rm -rf %t && tcc-run %s --random=1 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --threads=1 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx2

// Many rows: panels of what is packed in the call are packed several together, in strips of rows, and blocks of rows meet them. Depths
// that fill no strip, in one block and in several; more panels than go together, a narrow last one; rows that fill no tile, read where
// they lie and from a copy; a batch; bytes, whose steps are fours.
func.func @main(%x0: tensor<401x300xf32>, %x1: tensor<300x500xf32>, %x2: tensor<390x1335xf32>, %x3: tensor<1335x150xf32>,
                %x4: tensor<2x400x272xf32>, %x5: tensor<2x272x97xf32>, %x6: tensor<400x290xi8>, %x7: tensor<290x200xi8>, %b: tensor<500xf32>)
    -> (tensor<401x500xf32>, tensor<390x150xf32>, tensor<2x400x97xf32>, tensor<400x200xi32>) {
  %0 = "tcc.dot_general"(%x0, %x1) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<401x300xf32>, tensor<300x500xf32>) -> tensor<401x500xf32>
  %2 = "tcc.add"(%0, %b) : (tensor<401x500xf32>, tensor<500xf32>) -> tensor<401x500xf32>
  %3 = "tcc.dot_general"(%x2, %x3) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<390x1335xf32>, tensor<1335x150xf32>) -> tensor<390x150xf32>
  %4 = "tcc.dot_general"(%x4, %x5) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<2x400x272xf32>, tensor<2x272x97xf32>) -> tensor<2x400x97xf32>
  %5 = "tcc.dot_general"(%x6, %x7) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<400x290xi8>, tensor<290x200xi8>) -> tensor<400x200xi32>
  return %2, %3, %4, %5 : tensor<401x500xf32>, tensor<390x150xf32>, tensor<2x400x97xf32>, tensor<400x200xi32>
}
