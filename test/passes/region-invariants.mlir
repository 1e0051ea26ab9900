// RUN: tcc-opt %s --split-input-file --tcc-region-invariants --verify-each | FileCheck %s
// A mask that each call makes of the same argument, for a product's view of it, is made before the first of them, and so is a table that takes work; what
// elementwise ops alone read stays where it is fused, and so does what the calls give other operands, or what has more elements than its operands.
// CHECK-LABEL: func.func private @layer
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %{{[^:]*}}: tensor<8x?xi1, [8, "S"]>, %[[W:[^:]*]]: tensor<8x8xf32>, %[[P:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %[[COS:[^:]*]]: tensor<?x8xf32, ["S", 8]>, %[[M:[^:]*]]: tensor<8x?xf32, [8, "S"]>)
// CHECK-NOT: tcc.select
// CHECK: %[[T:.*]] = "tcc.transpose"(%[[M]])
// CHECK: %[[N:.*]] = "tcc.neg"(%[[W]])
// CHECK: "tcc.dot_general"(%[[T]], %[[N]])
// CHECK: %[[Q:.*]] = "tcc.neg"(%[[P]])
// CHECK-NOT: tcc.cos
// CHECK: "tcc.mul"(%{{.*}}, %[[COS]])
// CHECK: "tcc.add"(%{{.*}}, %[[Q]])
// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = "tcc.select"(%arg1,
// CHECK: %[[C:.*]] = "tcc.cos"(%arg4)
// CHECK: %[[Y:.*]] = call @layer(%arg0, %arg1, %arg2, %arg4, %[[C]], %[[S]])
// CHECK: call @layer(%[[Y]], %arg1, %arg3, %arg4, %[[C]], %[[S]])
func.func private @layer(%x: tensor<?x8xf32, ["S", 8]>, %mask: tensor<8x?xi1, [8, "S"]>, %w: tensor<8x8xf32>, %p: tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]> {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %m = "tcc.select"(%mask, %zero, %one) : (tensor<8x?xi1, [8, "S"]>, tensor<f32>, tensor<f32>) -> tensor<8x?xf32, [8, "S"]>
  %t = "tcc.transpose"(%m) {perm = array<i64: 1, 0>} : (tensor<8x?xf32, [8, "S"]>) -> tensor<?x8xf32, ["S", 8]>
  %n = "tcc.neg"(%w) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = "tcc.dot_general"(%t, %n) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x8xf32, ["S", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["S", 8]>
  %q = "tcc.neg"(%p) : (tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %c = "tcc.cos"(%p) : (tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %1 = "tcc.mul"(%x, %c) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %2 = "tcc.add"(%1, %d) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %3 = "tcc.add"(%2, %q) : (tensor<?x8xf32, ["S", 8]>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  return %3 : tensor<?x8xf32, ["S", 8]>
}
func.func @main(%x: tensor<?x8xf32, ["S", 8]>, %mask: tensor<8x?xi1, [8, "S"]>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %p: tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]> {
  %1 = call @layer(%x, %mask, %w, %p) : (tensor<?x8xf32, ["S", 8]>, tensor<8x?xi1, [8, "S"]>, tensor<8x8xf32>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  %2 = call @layer(%1, %mask, %v, %p) : (tensor<?x8xf32, ["S", 8]>, tensor<8x?xi1, [8, "S"]>, tensor<8x8xf32>, tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  return %2 : tensor<?x8xf32, ["S", 8]>
}

// -----
// A region that is called once, and the body of a loop, stay as they are.
// CHECK-LABEL: func.func private @once
// CHECK: tcc.cos
// CHECK-LABEL: func.func private @step
// CHECK: tcc.cos
// CHECK-LABEL: func.func @main
// CHECK-NOT: tcc.cos
func.func private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "tcc.cos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @step(%h: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "tcc.cos"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "tcc.add"(%h, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @once(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @step(%1, %x) {tcc.trips = [3]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = call @step(%2, %x) {tcc.trips = [2]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----
// A chain whose ops read their operands twice is looked at once; what only the ops behind it read goes with them.
// CHECK-LABEL: func.func private @squares
// CHECK-NOT: tcc.mul
// CHECK: return %arg1
// CHECK-LABEL: func.func @main
// CHECK-COUNT-63: tcc.mul
// CHECK: tcc.cos
// CHECK-NOT: tcc.mul
func.func private @squares(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = "tcc.neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "tcc.mul"(%1, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.mul"(%2, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "tcc.mul"(%3, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = "tcc.mul"(%4, %4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "tcc.mul"(%5, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = "tcc.mul"(%6, %6) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = "tcc.mul"(%7, %7) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = "tcc.mul"(%8, %8) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = "tcc.mul"(%9, %9) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %11 = "tcc.mul"(%10, %10) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %12 = "tcc.mul"(%11, %11) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = "tcc.mul"(%12, %12) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = "tcc.mul"(%13, %13) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %15 = "tcc.mul"(%14, %14) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %16 = "tcc.mul"(%15, %15) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %17 = "tcc.mul"(%16, %16) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %18 = "tcc.mul"(%17, %17) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %19 = "tcc.mul"(%18, %18) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %20 = "tcc.mul"(%19, %19) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %21 = "tcc.mul"(%20, %20) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %22 = "tcc.mul"(%21, %21) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %23 = "tcc.mul"(%22, %22) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %24 = "tcc.mul"(%23, %23) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %25 = "tcc.mul"(%24, %24) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %26 = "tcc.mul"(%25, %25) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %27 = "tcc.mul"(%26, %26) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %28 = "tcc.mul"(%27, %27) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %29 = "tcc.mul"(%28, %28) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %30 = "tcc.mul"(%29, %29) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %31 = "tcc.mul"(%30, %30) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %32 = "tcc.mul"(%31, %31) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %33 = "tcc.mul"(%32, %32) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %34 = "tcc.mul"(%33, %33) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %35 = "tcc.mul"(%34, %34) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %36 = "tcc.mul"(%35, %35) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %37 = "tcc.mul"(%36, %36) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %38 = "tcc.mul"(%37, %37) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %39 = "tcc.mul"(%38, %38) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %40 = "tcc.mul"(%39, %39) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %41 = "tcc.mul"(%40, %40) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %42 = "tcc.mul"(%41, %41) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %43 = "tcc.mul"(%42, %42) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %44 = "tcc.mul"(%43, %43) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %45 = "tcc.mul"(%44, %44) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %46 = "tcc.mul"(%45, %45) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %47 = "tcc.mul"(%46, %46) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %48 = "tcc.mul"(%47, %47) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %49 = "tcc.mul"(%48, %48) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %50 = "tcc.mul"(%49, %49) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %51 = "tcc.mul"(%50, %50) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %52 = "tcc.mul"(%51, %51) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %53 = "tcc.mul"(%52, %52) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %54 = "tcc.mul"(%53, %53) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %55 = "tcc.mul"(%54, %54) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %56 = "tcc.mul"(%55, %55) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %57 = "tcc.mul"(%56, %56) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %58 = "tcc.mul"(%57, %57) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %59 = "tcc.mul"(%58, %58) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %60 = "tcc.mul"(%59, %59) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %61 = "tcc.mul"(%60, %60) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %62 = "tcc.mul"(%61, %61) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %63 = "tcc.mul"(%62, %62) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %64 = "tcc.mul"(%63, %63) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %65 = "tcc.cos"(%64) : (tensor<4xf32>) -> tensor<4xf32>
  return %65 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = call @squares(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = call @squares(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "tcc.add"(%1, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
