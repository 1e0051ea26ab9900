// Packed rows of a left operand stay in a thread's scratch for the tiles of its next call, and for the next group of panels: several blocks of k, two groups
// of columns (1,200 of 1,024), two blocks of rows, panels in pieces for two threads.
// RUN: tcc-run %s --target=x86,avx2,l1=16K,l2=64K,cores=2 --random=1 --threads=1 --compare=interp
// RUN: tcc-run %s --target=x86,avx2,l1=16K,l2=64K,cores=2 --random=1 --threads=2 --compare=interp
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2,l1=16K,l2=64K,cores=2 | tcc-translate --to-llvmir --target=x86,avx2,l1=16K,l2=64K,cores=2 | FileCheck %s
// TccScratchHead.own_end says whose rows are there: they are packed if it is another run of tiles, for its first group alone, each block of k in its place.
// CHECK: %[[OWN:.*]] = getelementptr i8, ptr %2, i32 -32
// CHECK: %[[HELD:.*]] = load i64, ptr %[[OWN]]
// CHECK: %[[MISSING:.*]] = icmp ne i64 %[[HELD]], %[[THIS:.*]]
// CHECK: %[[FRESH:.*]] = and i1 %[[MISSING]], %{{.*}}
// CHECK: %[[BLOCK:.*]] = lshr i64 %{{.*}}, 6
// CHECK: mul i64 %[[BLOCK]], 25856
// CHECK: br i1 %[[FRESH]], label
// CHECK: call void @pack_rows
// CHECK: store i64 %{{.*}}, ptr %{{.*}}
// REQUIRES: avx2
func.func @main(%a: tensor<2x250x100xf32>, %b: tensor<2x250x1200xf32>) -> tensor<2x100x1200xf32> {
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x250x100xf32>, tensor<2x250x1200xf32>) -> tensor<2x100x1200xf32>
  return %0 : tensor<2x100x1200xf32>
}
