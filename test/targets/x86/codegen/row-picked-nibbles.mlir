// RUN: tcc-opt --pipeline=default --target=x86,x86-64-v4 %s | tcc-translate --to-asm --target=x86,x86-64-v4 - | FileCheck %s
// RUN: bash -c 'for t in x86,x86-64-v3 x86; do for n in 0 1 7; do tcc-run %s --target=$t --random=3 --dim=T=$n --no-cache --compare=interp || exit 1; done; done' | FileCheck %s --check-prefix=RIGHT
// REQUIRES: avx2

// Rows of matrices that an index picks, in 4 bits: sixteen numbers are looked up at once, and no byte is read alone. Those of 2, of ui4 with zero points and
// of i4; rows that are no multiple of a vector are read number by number.
// CHECK: reduce_gather_convert_sub:
// CHECK: prefetcht0{{.*}}2048(
// CHECK: vpbroadcastd {{.*}}%zmm
// CHECK: vperm{{d|ps}} {{.*}}%zmm
// CHECK-NEXT: vsubps
// CHECK-NEXT: vmulps
// CHECK-NEXT: vfmadd231ps {{.*}}%zmm
// RIGHT-COUNT-6: 17 kernels match the interpreter
func.func @main(%a: tensor<?x64xf32, ["T", 64]>, %q: tensor<6x40x2x32xui4>, %s: tensor<6x40x2x1xf32>, %z: tensor<6x40x2x1xui4>, %i: tensor<6x40x64xi4>, %o: tensor<6x40x12xui4>, %b: tensor<?x12xf32, ["T", 12]>, %ends: tensor<6xi64>) -> (tensor<?x40xf32, ["T", 40]>, tensor<?x40xf32, ["T", 40]>, tensor<?x40xf32, ["T", 40]>) {
  %w = "tcc.convert"(%q) : (tensor<6x40x2x32xui4>) -> tensor<6x40x2x32xf32>
  %zero = "tcc.convert"(%z) : (tensor<6x40x2x1xui4>) -> tensor<6x40x2x1xf32>
  %m = "tcc.sub"(%w, %zero) : (tensor<6x40x2x32xf32>, tensor<6x40x2x1xf32>) -> tensor<6x40x2x32xf32>
  %n = "tcc.mul"(%m, %s) : (tensor<6x40x2x32xf32>, tensor<6x40x2x1xf32>) -> tensor<6x40x2x32xf32>
  %f = "tcc.reshape"(%n) : (tensor<6x40x2x32xf32>) -> tensor<6x40x64xf32>
  %t = "tcc.transpose"(%f) {perm = array<i64: 0, 2, 1>} : (tensor<6x40x64xf32>) -> tensor<6x64x40xf32>
  %0 = "tcc.ragged_dot"(%a, %t, %ends) : (tensor<?x64xf32, ["T", 64]>, tensor<6x64x40xf32>, tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]>
  %fi = "tcc.convert"(%i) : (tensor<6x40x64xi4>) -> tensor<6x40x64xf32>
  %ti = "tcc.transpose"(%fi) {perm = array<i64: 0, 2, 1>} : (tensor<6x40x64xf32>) -> tensor<6x64x40xf32>
  %1 = "tcc.ragged_dot"(%a, %ti, %ends) : (tensor<?x64xf32, ["T", 64]>, tensor<6x64x40xf32>, tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]>
  %fo = "tcc.convert"(%o) : (tensor<6x40x12xui4>) -> tensor<6x40x12xf32>
  %to = "tcc.transpose"(%fo) {perm = array<i64: 0, 2, 1>} : (tensor<6x40x12xf32>) -> tensor<6x12x40xf32>
  %2 = "tcc.ragged_dot"(%b, %to, %ends) : (tensor<?x12xf32, ["T", 12]>, tensor<6x12x40xf32>, tensor<6xi64>) -> tensor<?x40xf32, ["T", 40]>
  return %0, %1, %2 : tensor<?x40xf32, ["T", 40]>, tensor<?x40xf32, ["T", 40]>, tensor<?x40xf32, ["T", 40]>
}
