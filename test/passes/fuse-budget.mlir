// RUN: tcc-opt %s --split-input-file --tcc-fuse --verify-each | FileCheck %s
// A kernel does not compute a value again and again: what exceeds the budget (passes/fuse/fuse_budget.c) is stored.

// A sum is needed at three indices of the next one: its own and, with a border within lanes, those of both parts.
// CHECK: func.func @rolls
// CHECK-NEXT: %[[A:.*]] = call @[[K:k[a-z0-9_]*]](%arg0)
// CHECK-NEXT: %[[B:.*]] = call @[[K]](%[[A]])
// CHECK-NEXT: return %[[B]]
func.func @rolls(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = "tcc.slice"(%x) {starts = [4095], steps = array<i64: 1>} : (tensor<4096xf32>) -> tensor<1xf32>
  %1 = "tcc.slice"(%x) {starts = [0], steps = array<i64: 1>} : (tensor<4096xf32>) -> tensor<4095xf32>
  %2 = "tcc.concat"(%0, %1) {axis = 0} : (tensor<1xf32>, tensor<4095xf32>) -> tensor<4096xf32>
  %3 = "tcc.add"(%x, %2) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %4 = "tcc.slice"(%3) {starts = [4095], steps = array<i64: 1>} : (tensor<4096xf32>) -> tensor<1xf32>
  %5 = "tcc.slice"(%3) {starts = [0], steps = array<i64: 1>} : (tensor<4096xf32>) -> tensor<4095xf32>
  %6 = "tcc.concat"(%4, %5) {axis = 0} : (tensor<1xf32>, tensor<4095xf32>) -> tensor<4096xf32>
  %7 = "tcc.add"(%3, %6) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  return %7 : tensor<4096xf32>
}

// -----

// Where the border lies between blocks of lanes each element is computed twice, which may be.
// CHECK: func.func @halves
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg0)
// CHECK-NEXT: return %[[A]]
func.func @halves(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "tcc.neg"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "tcc.slice"(%0) {starts = [0, 32], steps = array<i64: 1, 1>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
  %2 = "tcc.slice"(%0) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<64x64xf32>) -> tensor<64x32xf32>
  %3 = "tcc.concat"(%1, %2) {axis = 1} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %4 = "tcc.add"(%0, %3) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

// Joining a value with itself moves elements only, but the code doubles with each op: 2^8 parts are no kernel.
// CHECK: func.func @doubling
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg0)
// CHECK-NEXT: %[[B:.*]] = call @{{[a-z0-9_]*}}(%[[A]])
// CHECK-NEXT: return %[[B]]
func.func @doubling(%x: tensor<16xf32>) -> tensor<4096xf32> {
  %0 = "tcc.concat"(%x, %x) {axis = 0} : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  %1 = "tcc.concat"(%0, %0) {axis = 0} : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %2 = "tcc.concat"(%1, %1) {axis = 0} : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %3 = "tcc.concat"(%2, %2) {axis = 0} : (tensor<128xf32>, tensor<128xf32>) -> tensor<256xf32>
  %4 = "tcc.concat"(%3, %3) {axis = 0} : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %5 = "tcc.concat"(%4, %4) {axis = 0} : (tensor<512xf32>, tensor<512xf32>) -> tensor<1024xf32>
  %6 = "tcc.concat"(%5, %5) {axis = 0} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<2048xf32>
  %7 = "tcc.concat"(%6, %6) {axis = 0} : (tensor<2048xf32>, tensor<2048xf32>) -> tensor<4096xf32>
  return %7 : tensor<4096xf32>
}

// -----

// A broadcast repeats what is computed of a short vector; of one of 1,024 elements and more not more than eight times.
// CHECK: func.func @short_vector
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg1, %arg0)
// CHECK-NEXT: return %[[A]]
func.func @short_vector(%x: tensor<64x512xf32>, %v: tensor<512xf32>) -> tensor<64x512xf32> {
  %0 = "tcc.neg"(%v) : (tensor<512xf32>) -> tensor<512xf32>
  %1 = "tcc.add"(%x, %0) : (tensor<64x512xf32>, tensor<512xf32>) -> tensor<64x512xf32>
  return %1 : tensor<64x512xf32>
}

// -----

// CHECK: func.func @long_vector
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg1)
// CHECK-NEXT: %[[B:.*]] = call @{{[a-z0-9_]*}}(%arg0, %[[A]])
// CHECK-NEXT: return %[[B]]
func.func @long_vector(%x: tensor<64x2048xf32>, %v: tensor<2048xf32>) -> tensor<64x2048xf32> {
  %0 = "tcc.neg"(%v) : (tensor<2048xf32>) -> tensor<2048xf32>
  %1 = "tcc.add"(%x, %0) : (tensor<64x2048xf32>, tensor<2048xf32>) -> tensor<64x2048xf32>
  return %1 : tensor<64x2048xf32>
}

// -----

// Ten operations on a scalar for each element of a tensor are too many: the first ones are computed once.
// CHECK: func.func @scalar_chain
// CHECK-NEXT: %[[A:.*]] = call @k0_neg_abs(%arg1)
// CHECK-NEXT: %[[B:.*]] = call @{{[a-z0-9_]*}}(%[[A]], %arg1, %arg0)
// CHECK-NEXT: return %[[B]]
func.func @scalar_chain(%x: tensor<4096xf32>, %s: tensor<f32>) -> tensor<4096xf32> {
  %0 = "tcc.neg"(%s) : (tensor<f32>) -> tensor<f32>
  %1 = "tcc.abs"(%0) : (tensor<f32>) -> tensor<f32>
  %2 = "tcc.add"(%1, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = "tcc.mul"(%2, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = "tcc.sub"(%3, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = "tcc.abs"(%4) : (tensor<f32>) -> tensor<f32>
  %6 = "tcc.add"(%5, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %7 = "tcc.mul"(%6, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = "tcc.sub"(%7, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = "tcc.neg"(%8) : (tensor<f32>) -> tensor<f32>
  %10 = "tcc.add"(%x, %9) : (tensor<4096xf32>, tensor<f32>) -> tensor<4096xf32>
  return %10 : tensor<4096xf32>
}

// -----

// An index of which each row of a gather needs one is not computed again for the row's other elements; a function of each
// element that two others read is.
// CHECK: func.func @gathered_rows
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg1, %arg0)
// CHECK-NEXT: return %[[A]]
func.func @gathered_rows(%x: tensor<100x64xf32>, %i: tensor<2048xi64>) -> tensor<2048x64xf32> {
  %0 = "tcc.neg"(%i) : (tensor<2048xi64>) -> tensor<2048xi64>
  %1 = "tcc.gather"(%x, %0) {axis = 0} : (tensor<100x64xf32>, tensor<2048xi64>) -> tensor<2048x64xf32>
  return %1 : tensor<2048x64xf32>
}

// -----

// CHECK: func.func @costly_twice
// CHECK-NEXT: %[[A:.*]] = call @{{[a-z0-9_]*}}(%arg0)
// CHECK-NEXT: %[[B:.*]] = call @{{[a-z0-9_]*}}(%[[A]])
// CHECK-NEXT: return %[[B]]
func.func @costly_twice(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "tcc.tanh"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = "tcc.slice"(%0) {starts = [63, 0], steps = array<i64: -1, 1>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = "tcc.add"(%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = "tcc.add"(%3, %2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

// A float becomes an integer of 64 bits lane by lane: it is stored for the lines that gather by it.
// CHECK-LABEL: func.func private @k0_floor_convert
// CHECK: tcc.convert
// CHECK-LABEL: func.func private @k1_gather_abs
// CHECK-NOT: tcc.convert
// CHECK: func.func @by_float
func.func @by_float(%x: tensor<64x40xf32>, %at: tensor<80xf64>) -> tensor<64x80xf32> {
  %whole = "tcc.floor"(%at) : (tensor<80xf64>) -> tensor<80xf64>
  %index = "tcc.convert"(%whole) : (tensor<80xf64>) -> tensor<80xi64>
  %0 = "tcc.gather"(%x, %index) {axis = 1 : i64} : (tensor<64x40xf32>, tensor<80xi64>) -> tensor<64x80xf32>
  %1 = "tcc.abs"(%0) : (tensor<64x80xf32>) -> tensor<64x80xf32>
  return %1 : tensor<64x80xf32>
}
