// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=rows %s | FileCheck %s
// RUN: tcc-translate --to-llvm --target=x86,avx2 --kernel=elements %s | FileCheck %s --check-prefix=ONE
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --random=1 --threads=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check
// RUN: tcc-run %s --target=x86,avx2 --random=1 --threads=1 --save=%t && tcc-run %s --target=x86,avx2 --random=1 --data=%t --threads=3 --check --rtol=0 --atol=0
// REQUIRES: avx2

// A tile is a range of columns, and tiles beside each other are walked together: whoever has all of them fills the result in one run. What is moved is four whole vectors at a
// time; masks are for the rest alone. One element is moved as a number.
// CHECK: %[[FIRST:.*]] = llvm.mul %4, %{{.*}} : i64
// CHECK: llvm.mul %5, %{{.*}} : i64
// CHECK: %[[ALL:.*]] = llvm.icmp "eq" %[[WIDTH:.*]], %{{.*}} : i64
// CHECK: %[[LENGTH:.*]] = llvm.select %[[ALL]], %{{.*}}, %[[WIDTH]] : i1, i64
// CHECK: llvm.select %[[ALL]]
// CHECK: llvm.urem %[[LENGTH]]
// CHECK: llvm.cond_br
// CHECK-COUNT-4: llvm.store %[[FILL:.*]], %{{.*}} : vector<8xf32>, !llvm.ptr
// CHECK-NOT: llvm.store
// CHECK: llvm.cond_br
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK: llvm.urem %[[WIDTH]]
// CHECK-NOT: llvm.intr.masked
// CHECK-COUNT-4: llvm.fadd {{.*}} : vector<8xf32>
// CHECK-NOT: llvm.fadd
// CHECK: llvm.cond_br
// CHECK: llvm.intr.masked.load
// ONE-NOT: llvm.fadd {{.*}} : vector
// ONE: llvm.fadd {{.*}} : f32
// ONE-NOT: llvm.fadd {{.*}} : vector
func.func private @rows(%i: tensor<70x1xi64>, %u: tensor<70x517xf32>) -> tensor<90x517xf32> attributes {tcc.kernel = "scatter"} {
  %x = "tcc.constant"() {value = dense<0.5> : tensor<90x517xf32>} : () -> tensor<90x517xf32>
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "add"} : (tensor<90x517xf32>, tensor<70x1xi64>, tensor<70x517xf32>) -> tensor<90x517xf32>
  return %0 : tensor<90x517xf32>
}
func.func private @elements(%x: tensor<40xf32>, %i: tensor<70x1xi64>, %u: tensor<70xf32>) -> tensor<40xf32> attributes {tcc.kernel = "scatter"} {
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "add"} : (tensor<40xf32>, tensor<70x1xi64>, tensor<70xf32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
func.func @main(%i: tensor<70x1xi64>, %u: tensor<70x517xf32>, %x: tensor<40xf32>, %v: tensor<70xf32>) -> (tensor<90x517xf32>, tensor<40xf32>) {
  %0 = call @rows(%i, %u) : (tensor<70x1xi64>, tensor<70x517xf32>) -> tensor<90x517xf32>
  %1 = call @elements(%x, %i, %v) : (tensor<40xf32>, tensor<70x1xi64>, tensor<70xf32>) -> tensor<40xf32>
  return %0, %1 : tensor<90x517xf32>, tensor<40xf32>
}
