// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=37 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=37 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,haswell --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=0 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=0 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s

// A last dim of 2 to 4 whose elements are made in different ways: vectors along the dim before it are interleaved. No element has a condition.
// CHECK: llvm.func
// CHECK-NOT: llvm.select {{.*}}vector
// CHECK: llvm.shufflevector
// CHECK: llvm.store
// CHECK: llvm.shufflevector
// CHECK: llvm.store
// CHECK-NOT: llvm.select {{.*}}vector
func.func private @k0(%x: tensor<5x40x6xf32>, %y: tensor<5x40x6xf32>) -> tensor<5x32x6x2xf32> attributes {tcc.kernel = "map"} {
  %0 = "tcc.slice"(%x) {starts = [0, 0, 0], steps = array<i64: 1, 1, 1>} : (tensor<5x40x6xf32>) -> tensor<5x32x6xf32>
  %1 = "tcc.slice"(%y) {starts = [0, 8, 0], steps = array<i64: 1, 1, 1>} : (tensor<5x40x6xf32>) -> tensor<5x32x6xf32>
  %2 = "tcc.reshape"(%0) : (tensor<5x32x6xf32>) -> tensor<5x32x6x1xf32>
  %3 = "tcc.reshape"(%1) : (tensor<5x32x6xf32>) -> tensor<5x32x6x1xf32>
  %r = "tcc.concat"(%2, %3) {axis = 3 : i64} : (tensor<5x32x6x1xf32>, tensor<5x32x6x1xf32>) -> tensor<5x32x6x2xf32>
  return %r : tensor<5x32x6x2xf32>
}
// Pairs that are turned by an angle (rotary positions), two results, sizes that are not known; shared numbers of a row.
func.func private @k1(%x: tensor<3x?x2xf32, [3, "N", 2]>, %a: tensor<?xf32, ["N"]>, %s: tensor<3xf32>) -> (tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x?x2xf16, [3, "N", 2]>) attributes {tcc.kernel = "map"} {
  %c = "tcc.cos"(%a) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  %i = "tcc.sin"(%a) : (tensor<?xf32, ["N"]>) -> tensor<?xf32, ["N"]>
  %e = "tcc.slice"(%x) {starts = [0, 0, 0], steps = array<i64: 1, 1, 2>} : (tensor<3x?x2xf32, [3, "N", 2]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %o = "tcc.slice"(%x) {starts = [0, 0, 1], steps = array<i64: 1, 1, 2>} : (tensor<3x?x2xf32, [3, "N", 2]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %c1 = "tcc.reshape"(%c) : (tensor<?xf32, ["N"]>) -> tensor<1x?x1xf32, [1, "N", 1]>
  %i1 = "tcc.reshape"(%i) : (tensor<?xf32, ["N"]>) -> tensor<1x?x1xf32, [1, "N", 1]>
  %ec = "tcc.mul"(%e, %c1) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<1x?x1xf32, [1, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %os = "tcc.mul"(%o, %i1) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<1x?x1xf32, [1, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %es = "tcc.mul"(%e, %i1) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<1x?x1xf32, [1, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %oc = "tcc.mul"(%o, %c1) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<1x?x1xf32, [1, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %p = "tcc.sub"(%ec, %os) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<3x?x1xf32, [3, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %q = "tcc.add"(%es, %oc) : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<3x?x1xf32, [3, "N", 1]>) -> tensor<3x?x1xf32, [3, "N", 1]>
  %r = "tcc.concat"(%p, %q) {axis = 2 : i64} : (tensor<3x?x1xf32, [3, "N", 1]>, tensor<3x?x1xf32, [3, "N", 1]>) -> tensor<3x?x2xf32, [3, "N", 2]>
  %s1 = "tcc.reshape"(%s) : (tensor<3xf32>) -> tensor<3x1x1xf32>
  %m = "tcc.mul"(%r, %s1) : (tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x1x1xf32>) -> tensor<3x?x2xf32, [3, "N", 2]>
  %h = "tcc.convert"(%m) : (tensor<3x?x2xf32, [3, "N", 2]>) -> tensor<3x?x2xf16, [3, "N", 2]>
  return %r, %h : tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x?x2xf16, [3, "N", 2]>
}
// Three and four, of other types; a row that a gather names, whose index all lanes share, one for each of the last dim.
func.func private @k2(%x: tensor<?xi64, ["N"]>, %y: tensor<?xi64, ["N"]>) -> tensor<?x3xi64, ["N", 3]> attributes {tcc.kernel = "map"} {
  %a = "tcc.add"(%x, %y) : (tensor<?xi64, ["N"]>, tensor<?xi64, ["N"]>) -> tensor<?xi64, ["N"]>
  %0 = "tcc.reshape"(%x) : (tensor<?xi64, ["N"]>) -> tensor<?x1xi64, ["N", 1]>
  %1 = "tcc.reshape"(%a) : (tensor<?xi64, ["N"]>) -> tensor<?x1xi64, ["N", 1]>
  %2 = "tcc.reshape"(%y) : (tensor<?xi64, ["N"]>) -> tensor<?x1xi64, ["N", 1]>
  %3 = "tcc.concat"(%1, %2) {axis = 1 : i64} : (tensor<?x1xi64, ["N", 1]>, tensor<?x1xi64, ["N", 1]>) -> tensor<?x2xi64, ["N", 2]>
  %r = "tcc.concat"(%0, %3) {axis = 1 : i64} : (tensor<?x1xi64, ["N", 1]>, tensor<?x2xi64, ["N", 2]>) -> tensor<?x3xi64, ["N", 3]>
  return %r : tensor<?x3xi64, ["N", 3]>
}
func.func private @k3(%x: tensor<8x50xi8>, %i: tensor<4xi64>, %y: tensor<50x4xi8>) -> tensor<50x4xi8> attributes {tcc.kernel = "map"} {
  %0 = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<8x50xi8>, tensor<4xi64>) -> tensor<4x50xi8>
  %1 = "tcc.transpose"(%0) {perm = array<i64: 1, 0>} : (tensor<4x50xi8>) -> tensor<50x4xi8>
  %2 = "tcc.max"(%1, %y) : (tensor<50x4xi8>, tensor<50x4xi8>) -> tensor<50x4xi8>
  return %2 : tensor<50x4xi8>
}
func.func @main(%a: tensor<5x40x6xf32>, %b: tensor<5x40x6xf32>, %x: tensor<3x?x2xf32, [3, "N", 2]>, %t: tensor<?xf32, ["N"]>, %s: tensor<3xf32>, %i: tensor<?xi64, ["N"]>, %j: tensor<?xi64, ["N"]>, %v: tensor<8x50xi8>, %k: tensor<4xi64>, %w: tensor<50x4xi8>) -> (tensor<5x32x6x2xf32>, tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x?x2xf16, [3, "N", 2]>, tensor<?x3xi64, ["N", 3]>, tensor<50x4xi8>) {
  %0 = call @k0(%a, %b) : (tensor<5x40x6xf32>, tensor<5x40x6xf32>) -> tensor<5x32x6x2xf32>
  %1:2 = call @k1(%x, %t, %s) : (tensor<3x?x2xf32, [3, "N", 2]>, tensor<?xf32, ["N"]>, tensor<3xf32>) -> (tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x?x2xf16, [3, "N", 2]>)
  %2 = call @k2(%i, %j) : (tensor<?xi64, ["N"]>, tensor<?xi64, ["N"]>) -> tensor<?x3xi64, ["N", 3]>
  %3 = call @k3(%v, %k, %w) : (tensor<8x50xi8>, tensor<4xi64>, tensor<50x4xi8>) -> tensor<50x4xi8>
  return %0, %1#0, %1#1, %2, %3 : tensor<5x32x6x2xf32>, tensor<3x?x2xf32, [3, "N", 2]>, tensor<3x?x2xf16, [3, "N", 2]>, tensor<?x3xi64, ["N", 3]>, tensor<50x4xi8>
}
