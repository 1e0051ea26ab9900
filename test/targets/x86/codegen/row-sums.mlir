// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=8000 --save=%t && cat %t/output_*.npy | od -An -v -tu1 -w1 | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=8000 --save=%t --target=x86,avx2 && cat %t/output_*.npy | od -An -v -tu1 -w1 | FileCheck %s
// REQUIRES: avx2

// Long sums of f32 are sums of sums: beside one in f64 no column of thousands of numbers between 1 and 3 is off by more than a few of the
// result's last places, each of 0.001 or 0.0002, where one chain of additions is off by dozens of them.
// The last byte of each file is a truth value, behind a head that ends in a line feed.
// CHECK-COUNT-3: {{^ *10$[[:space:]]+1$}}
func.func @main(%x: tensor<8192x96xf32>, %y: tensor<?x96xf32, ["N", 96]>, %z: tensor<96x11x96xf32>) -> (tensor<i1>, tensor<i1>, tensor<i1>) {
  %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %bound = "tcc.constant"() {value = dense<0.01> : tensor<f64>} : () -> tensor<f64>
  %a = "tcc.add"(%x, %two) : (tensor<8192x96xf32>, tensor<f32>) -> tensor<8192x96xf32>
  %a64 = "tcc.convert"(%a) : (tensor<8192x96xf32>) -> tensor<8192x96xf64>
  %as = "tcc.reduce"(%a) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<8192x96xf32>) -> tensor<96xf32>
  %at = "tcc.reduce"(%a64) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<8192x96xf64>) -> tensor<96xf64>
  %aw = "tcc.convert"(%as) : (tensor<96xf32>) -> tensor<96xf64>
  %ad = "tcc.sub"(%aw, %at) : (tensor<96xf64>, tensor<96xf64>) -> tensor<96xf64>
  %ae = "tcc.abs"(%ad) : (tensor<96xf64>) -> tensor<96xf64>
  %al = "tcc.compare"(%ae, %bound) {predicate = "lt"} : (tensor<96xf64>, tensor<f64>) -> tensor<96xi1>
  %aok = "tcc.reduce"(%al) {kind = "and", axes = array<i64: 0>, keepdims = false} : (tensor<96xi1>) -> tensor<i1>
  %b = "tcc.add"(%y, %two) : (tensor<?x96xf32, ["N", 96]>, tensor<f32>) -> tensor<?x96xf32, ["N", 96]>
  %b64 = "tcc.convert"(%b) : (tensor<?x96xf32, ["N", 96]>) -> tensor<?x96xf64, ["N", 96]>
  %bs = "tcc.reduce"(%b) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?x96xf32, ["N", 96]>) -> tensor<96xf32>
  %bt = "tcc.reduce"(%b64) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<?x96xf64, ["N", 96]>) -> tensor<96xf64>
  %bw = "tcc.convert"(%bs) : (tensor<96xf32>) -> tensor<96xf64>
  %bd = "tcc.sub"(%bw, %bt) : (tensor<96xf64>, tensor<96xf64>) -> tensor<96xf64>
  %be = "tcc.abs"(%bd) : (tensor<96xf64>) -> tensor<96xf64>
  %bl = "tcc.compare"(%be, %bound) {predicate = "lt"} : (tensor<96xf64>, tensor<f64>) -> tensor<96xi1>
  %bok = "tcc.reduce"(%bl) {kind = "and", axes = array<i64: 0>, keepdims = false} : (tensor<96xi1>) -> tensor<i1>
  %near = "tcc.constant"() {value = dense<0.001> : tensor<f64>} : () -> tensor<f64>
  %c = "tcc.add"(%z, %two) : (tensor<96x11x96xf32>, tensor<f32>) -> tensor<96x11x96xf32>
  %c64 = "tcc.convert"(%c) : (tensor<96x11x96xf32>) -> tensor<96x11x96xf64>
  %cs = "tcc.reduce"(%c) {kind = "sum", axes = array<i64: 0, 1>, keepdims = false} : (tensor<96x11x96xf32>) -> tensor<96xf32>
  %ct = "tcc.reduce"(%c64) {kind = "sum", axes = array<i64: 0, 1>, keepdims = false} : (tensor<96x11x96xf64>) -> tensor<96xf64>
  %cw = "tcc.convert"(%cs) : (tensor<96xf32>) -> tensor<96xf64>
  %cd = "tcc.sub"(%cw, %ct) : (tensor<96xf64>, tensor<96xf64>) -> tensor<96xf64>
  %ce = "tcc.abs"(%cd) : (tensor<96xf64>) -> tensor<96xf64>
  %cl = "tcc.compare"(%ce, %near) {predicate = "lt"} : (tensor<96xf64>, tensor<f64>) -> tensor<96xi1>
  %cok = "tcc.reduce"(%cl) {kind = "and", axes = array<i64: 0>, keepdims = false} : (tensor<96xi1>) -> tensor<i1>
  return %aok, %bok, %cok : tensor<i1>, tensor<i1>, tensor<i1>
}
