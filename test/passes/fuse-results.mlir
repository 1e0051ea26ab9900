// RUN: tcc-opt %s --split-input-file --tcc-fuse --verify-each | FileCheck %s

// An update of an optimiser is one kernel: moments and parameter are read and written once each.
// CHECK: func.func private @[[K:.*]](%{{.*}}: tensor<64xf32>, %{{.*}}: tensor<64xf32>, %{{.*}}: tensor<64xf32>, %{{.*}}: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) attributes {tcc.kernel = "map"}
// CHECK-NOT: func.func private
// CHECK: func.func @adam
// CHECK-NEXT: %[[R:.*]]:3 = call @[[K]](
// CHECK-NEXT: return
func.func @adam(%p: tensor<64xf32>, %g: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %b1 = "tcc.constant"() {value = dense<0.9> : tensor<f32>} : () -> tensor<f32>
  %b2 = "tcc.constant"() {value = dense<0.99> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.mul"(%m, %b1) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %m1 = "tcc.add"(%0, %g) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = "tcc.mul"(%g, %g) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = "tcc.mul"(%v, %b2) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %v1 = "tcc.add"(%2, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %3 = "tcc.sqrt"(%v1) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = "tcc.div"(%m1, %3) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %p1 = "tcc.sub"(%p, %4) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %p1, %m1, %v1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Results may have element types of their own.
// CHECK: func.func private @{{.*}} -> (tensor<8x16xf32>, tensor<8x16xf16>) attributes {tcc.kernel = "map"}
// CHECK: func.func @narrow_beside
func.func @narrow_beside(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf16>) {
  %0 = "tcc.exp"(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = "tcc.convert"(%0) : (tensor<8x16xf32>) -> tensor<8x16xf16>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf16>
}

// -----

// What somebody reads before the map can run is stored by a kernel of its own.
// CHECK: func.func @read_between
// CHECK-NEXT: %[[E:.*]] = call @{{.*}}exp(%arg0)
// CHECK-NEXT: %[[D:.*]] = call @{{.*}}dot{{.*}}(%[[E]], %arg1)
// CHECK-NEXT: call @{{.*}}(%[[E]], %[[D]]){{.*}} -> tensor<16x16xf32>
func.func @read_between(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = "tcc.exp"(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = "tcc.dot_general"(%0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = "tcc.mul"(%0, %1) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %1, %2 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// A map that moves elements has one result: its loops follow what it moves.
// CHECK: func.func @moved
// CHECK-NEXT: %[[E:.*]] = call @{{.*}}exp(%arg0)
// CHECK-NEXT: call @{{.*}}(%{{.*}}, %[[E]]) : {{.*}} -> tensor<16x32xf32>
func.func @moved(%x: tensor<16x32xf32>, %y: tensor<32x16xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>) {
  %0 = "tcc.exp"(%x) : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = "tcc.transpose"(%y) {perm = array<i64: 1, 0>} : (tensor<32x16xf32>) -> tensor<16x32xf32>
  %2 = "tcc.add"(%0, %1) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0, %2 : tensor<16x32xf32>, tensor<16x32xf32>
}

// -----

// A broadcast value has another shape than its reader, which would write each element many times.
// CHECK: func.func @broadcast
// CHECK-NEXT: %[[E:.*]] = call @{{.*}}exp(%arg0)
// CHECK-NEXT: call @{{.*}}(%[[E]], %arg1){{.*}} -> tensor<16x32xf32>
func.func @broadcast(%x: tensor<16x1xf32>, %y: tensor<16x32xf32>) -> (tensor<16x1xf32>, tensor<16x32xf32>) {
  %0 = "tcc.exp"(%x) : (tensor<16x1xf32>) -> tensor<16x1xf32>
  %1 = "tcc.add"(%0, %y) : (tensor<16x1xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0, %1 : tensor<16x1xf32>, tensor<16x32xf32>
}

// -----

// A kernel has no more than 8 results.
// CHECK: func.func @nine
// CHECK-NEXT: call @{{.*}} -> tensor<64xf32>
// CHECK-NEXT: %{{.*}}:8 = call @
func.func @nine(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = "tcc.exp"(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "tcc.exp"(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "tcc.exp"(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = "tcc.exp"(%2) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = "tcc.exp"(%3) : (tensor<64xf32>) -> tensor<64xf32>
  %5 = "tcc.exp"(%4) : (tensor<64xf32>) -> tensor<64xf32>
  %6 = "tcc.exp"(%5) : (tensor<64xf32>) -> tensor<64xf32>
  %7 = "tcc.exp"(%6) : (tensor<64xf32>) -> tensor<64xf32>
  %8 = "tcc.exp"(%7) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
