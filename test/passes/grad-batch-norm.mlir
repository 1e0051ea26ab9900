// RUN: tcc-opt %s --pass-pipeline="tcc-verify,tcc-grad{of=loss wrt=x,s,b},tcc-simplify" -o %t.own.mlir && FileCheck %s --input-file=%t.own.mlir
// RUN: sed 's/(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf64>/(%y) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf64>/' %s | tcc-opt - --pass-pipeline="tcc-verify,tcc-grad{of=loss wrt=x,s,b},tcc-simplify" -o %t.other.mlir && FileCheck %s --check-prefix=OTHER --input-file=%t.other.mlir
// RUN: rm -rf %t && tcc-run %t.other.mlir --target=reference --random=1 --save=%t && tcc-run %t.own.mlir --random=1 --data=%t --check --rtol=1e-5

// A batch norm by the statistics of its batch: two sums of what came back, and one pass over x, which is read again behind a barrier; the mean and the variance
// get no cotangents of their own. Where they are of something else, though it is equal, they do, and gradients are the same.
// CHECK: tcc.reduce{{.*}}(tensor<2x3x4x5xf32>) -> tensor<f32>
// CHECK-COUNT-2: tcc.reduce{{.*}}(tensor<2x3x4x5xf32>) -> tensor<3xf32>
// CHECK-NOT: tcc.reduce
// CHECK: tcc.barrier{{.*}}tensor<2x3x4x5xf32>
// CHECK-NOT: tcc.reduce
// OTHER: tcc.reduce{{.*}}(tensor<2x3x4x5xf32>) -> tensor<f32>
// OTHER-COUNT-3: tcc.reduce{{.*}}(tensor<2x3x4x5xf32>) -> tensor<3xf32>
// OTHER-NOT: tcc.barrier
func.func @main(%x: tensor<2x3x4x5xf32> {tcc.name = "x"}, %s: tensor<3xf32> {tcc.name = "s"}, %b: tensor<3xf32> {tcc.name = "b"}, %g: tensor<2x3x4x5xf32> {tcc.name = "g"}) -> (tensor<f32> {tcc.name = "loss"}) {
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %y = "tcc.add"(%x, %zero) : (tensor<2x3x4x5xf32>, tensor<f32>) -> tensor<2x3x4x5xf32>
  %wide = "tcc.convert"(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf64>
  %m64 = "tcc.mean"(%wide) {axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<2x3x4x5xf64>) -> tensor<1x3x1x1xf64>
  %m4 = "tcc.convert"(%m64) : (tensor<1x3x1x1xf64>) -> tensor<1x3x1x1xf32>
  %c = "tcc.sub"(%x, %m4) : (tensor<2x3x4x5xf32>, tensor<1x3x1x1xf32>) -> tensor<2x3x4x5xf32>
  %q = "tcc.mul"(%c, %c) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %v4 = "tcc.mean"(%q) {axes = array<i64: 0, 2, 3>, keepdims = true} : (tensor<2x3x4x5xf32>) -> tensor<1x3x1x1xf32>
  %m = "tcc.reshape"(%m4) : (tensor<1x3x1x1xf32>) -> tensor<3xf32>
  %v = "tcc.reshape"(%v4) : (tensor<1x3x1x1xf32>) -> tensor<3xf32>
  %n = "tcc.batch_norm"(%x, %s, %b, %m, %v) {eps = 1.0e-5 : f64} : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  %p = "tcc.mul"(%n, %g) : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %loss = "tcc.reduce"(%p) {kind = "sum", axes = array<i64: 0, 1, 2, 3>, keepdims = false} : (tensor<2x3x4x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
