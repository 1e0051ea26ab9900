// RUN: tcc-opt %s --tcc-autocast --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-autocast=to=f16 --verify-each | FileCheck %s --check-prefix=F16

// Products are narrow; what follows a product is, too, with scalar constants, and f32 beside what is f32; softmax is f32. Each value is
// converted once. Functions keep their types, f64 and what is bf16 anyway stay.
// CHECK: func.func private @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT: "tcc.relu"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: func.func @main(
// CHECK: %[[X:.*]] = "tcc.convert"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK: %[[W:.*]] = "tcc.convert"(%arg1)
// CHECK: %[[L:.*]] = "tcc.linear"(%[[X]], %[[W]], %{{.*}}) {{.*}} -> tensor<4x8xbf16>
// CHECK: %[[M:.*]] = "tcc.mul"(%[[L]], %{{.*}}) : (tensor<4x8xbf16>, tensor<bf16>) -> tensor<4x8xbf16>
// CHECK: %[[WIDE:.*]] = "tcc.convert"(%[[M]]) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK: %[[A:.*]] = "tcc.add"(%[[WIDE]], %arg0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: %[[R:.*]] = "tcc.reshape"(%[[M]]) : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
// CHECK: %[[P:.*]] = "tcc.matmul"(%[[M]], %[[R]]) {{.*}} -> tensor<4x4xbf16>
// CHECK: %[[S:.*]] = "tcc.softmax"(%{{.*}}) {{.*}} -> tensor<4x4xf32>
// CHECK: "tcc.matmul"(%{{.*}}, %{{.*}}) : (tensor<4x4xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
// CHECK: "tcc.mul"(%arg3, %arg3) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
// CHECK: "tcc.exp"(%arg4) : (tensor<2xbf16>) -> tensor<2xbf16>
// CHECK: %[[T:.*]] = "tcc.convert"(%{{.*}}) : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK: call @f(%[[T]]) : (tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: return %{{.*}}, %[[T]], %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>, tensor<2xf64>, tensor<2xbf16>
// F16: "tcc.linear"{{.*}} -> tensor<4x8xf16>
func.func private @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = "tcc.relu"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %d: tensor<2xf64>, %e: tensor<2xbf16>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<2xf64>, tensor<2xbf16>) {
  %0 = "tcc.linear"(%x, %w, %b) {transposed = false} : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %h = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %1 = "tcc.mul"(%0, %h) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = "tcc.add"(%1, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "tcc.reshape"(%1) : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = "tcc.matmul"(%1, %3) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %5 = "tcc.softmax"(%4) {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "tcc.matmul"(%5, %2) : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dd = "tcc.mul"(%d, %d) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %ee = "tcc.exp"(%e) : (tensor<2xbf16>) -> tensor<2xbf16>
  %7 = func.call @f(%6) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %7, %6, %dd, %ee : tensor<4x8xf32>, tensor<4x8xf32>, tensor<2xf64>, tensor<2xbf16>
}

// Sums that are asked for in f32 stay so.
// CHECK-LABEL: func.func @wide
// CHECK: "tcc.dot_general"(%{{.*}}, %{{.*}}) {{.*}}wide = true} : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
// CHECK-NEXT: "tcc.mul"({{.*}}) : (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @wide(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, wide = true} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = "tcc.mul"(%0, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
