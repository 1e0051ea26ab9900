// RUN: tcc-opt %s --tcc-decompose --verify-each | FileCheck %s
// With tcc.numerics = "eager" composites take the steps of PyTorch's kernels: in f32 for narrower floats, rounded once.
module attributes {tcc.numerics = "eager"} {
  // CHECK-LABEL: @hard_swish
  // CHECK: %[[X:.*]] = "tcc.convert"(%arg0) {{.*}} -> tensor<8xf32>
  // CHECK: %[[A:.*]] = "tcc.add"(%[[X]], %{{.*}}) : (tensor<8xf32>, tensor<f32>)
  // CHECK: %[[B:.*]] = "tcc.max"(%[[A]]
  // CHECK: %[[C:.*]] = "tcc.min"(%[[B]]
  // CHECK: %[[D:.*]] = "tcc.mul"(%[[X]], %[[C]])
  // CHECK: %[[E:.*]] = "tcc.div"(%[[D]]
  // CHECK: "tcc.convert"(%[[E]]) {{.*}} -> tensor<8xbf16>
  func.func @hard_swish(%x: tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = "tcc.hard_swish"(%x) : (tensor<8xbf16>) -> tensor<8xbf16>
    return %0 : tensor<8xbf16>
  }
  // Three ops of PyTorch, each of which rounds to bf16.
  // CHECK-LABEL: @softsign
  // CHECK-NOT: f32
  // CHECK: return
  func.func @softsign(%x: tensor<8xbf16>) -> tensor<8xbf16> {
    %0 = "tcc.softsign"(%x) : (tensor<8xbf16>) -> tensor<8xbf16>
    return %0 : tensor<8xbf16>
  }
  // CHECK-LABEL: @gelu
  // CHECK: tcc.tanh
  func.func @gelu(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "tcc.gelu"(%x) {approximate = "tanh"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  // Above 20 it is x.
  // CHECK-LABEL: @softplus
  // CHECK: %[[L:.*]] = "tcc.log1p"
  // CHECK: %[[C:.*]] = "tcc.compare"(%arg0, %{{.*}}) {predicate = "gt"}
  // CHECK: "tcc.select"(%[[C]], %arg0, %[[L]])
  func.func @softplus(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "tcc.softplus"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
