// Reductions of columns whose sums are of 64 bits, that go twice over the rows, or that compute more than sums: lanes take a line of memory, not half of one.
// Columns of no whole number of lines, and what fits into the first cache, go by vectors.
// RUN: tcc-explain %s --target=x86,avx2,l1=32K,l2=512K,cores=2 --no-cache | FileCheck %s
// RUN: tcc-run %s --target=x86,avx2,l1=32K,l2=512K,cores=2 --random=1 --compare=interp --rtol=1e-4 --atol=1e-4 | FileCheck %s --check-prefix=CLOSE
// RUN: tcc-run %s --random=1 --threads=3 --compare=interp --rtol=1e-4 --atol=1e-4 | FileCheck %s --check-prefix=CLOSE
// REQUIRES: avx2
// CLOSE: match the interpreter
// CHECK: k0_{{.*}} (row)
// CHECK: schedule: lanes = 16, along = rows, phases = 2
// CHECK: k1_{{.*}} (row)
// CHECK: schedule: lanes = 16, along = rows, phases = 3
// CHECK: k2_{{.*}} (row)
// CHECK: schedule: lanes = 8, along = rows, phases = 2
// CHECK: k3_{{.*}} (row)
// CHECK: schedule: lanes = 8, along = rows, phases = 2
func.func @main(%x: tensor<256x96xf32>, %v: tensor<256x96xf32>, %y: tensor<256x88xf32>, %z: tensor<16x32xf32>) -> (tensor<256x96xf32>, tensor<96xf32>, tensor<256x88xf32>, tensor<16x32xf32>) {
  %n = "tcc.constant"() {value = dense<256.0> : tensor<f64>} : () -> tensor<f64>
  %w = "tcc.convert"(%x) : (tensor<256x96xf32>) -> tensor<256x96xf64>
  %s = "tcc.reduce"(%w) {kind = "sum", axes = array<i64: 0>, keepdims = true} : (tensor<256x96xf64>) -> tensor<1x96xf64>
  %m = "tcc.div"(%s, %n) : (tensor<1x96xf64>, tensor<f64>) -> tensor<1x96xf64>
  %f = "tcc.convert"(%m) : (tensor<1x96xf64>) -> tensor<1x96xf32>
  %0 = "tcc.sub"(%x, %f) : (tensor<256x96xf32>, tensor<1x96xf32>) -> tensor<256x96xf32>
  %e = "tcc.mean"(%v) {axes = array<i64: 0>, keepdims = true} : (tensor<256x96xf32>) -> tensor<1x96xf32>
  %d = "tcc.sub"(%v, %e) : (tensor<256x96xf32>, tensor<1x96xf32>) -> tensor<256x96xf32>
  %q = "tcc.mul"(%d, %d) : (tensor<256x96xf32>, tensor<256x96xf32>) -> tensor<256x96xf32>
  %1 = "tcc.reduce"(%q) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<256x96xf32>) -> tensor<96xf32>
  %yw = "tcc.convert"(%y) : (tensor<256x88xf32>) -> tensor<256x88xf64>
  %ys = "tcc.reduce"(%yw) {kind = "sum", axes = array<i64: 0>, keepdims = true} : (tensor<256x88xf64>) -> tensor<1x88xf64>
  %yf = "tcc.convert"(%ys) : (tensor<1x88xf64>) -> tensor<1x88xf32>
  %2 = "tcc.sub"(%y, %yf) : (tensor<256x88xf32>, tensor<1x88xf32>) -> tensor<256x88xf32>
  %zw = "tcc.convert"(%z) : (tensor<16x32xf32>) -> tensor<16x32xf64>
  %zs = "tcc.reduce"(%zw) {kind = "sum", axes = array<i64: 0>, keepdims = true} : (tensor<16x32xf64>) -> tensor<1x32xf64>
  %zf = "tcc.convert"(%zs) : (tensor<1x32xf64>) -> tensor<1x32xf32>
  %3 = "tcc.sub"(%z, %zf) : (tensor<16x32xf32>, tensor<1x32xf32>) -> tensor<16x32xf32>
  return %0, %1, %2, %3 : tensor<256x96xf32>, tensor<96xf32>, tensor<256x88xf32>, tensor<16x32xf32>
}
