// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 --kernel=k0_pad - | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 --kernel=k1_pad - | FileCheck %s
// RUN: tcc-opt --pipeline=default %s --target=x86,avx2 | tcc-translate --to-llvm --target=x86,avx2 --kernel=k2_pad - | FileCheck %s --check-prefix=SHORT
// RUN: bash -c 'for n in 5 7 8 9 13 31 32 33 40 67 100; do tcc-run %s --random=1 --dim=N=$n --compare=interp && tcc-run %s --target=x86,avx2 --random=1 --dim=N=$n --threads=3 --compare=interp || exit 1; done'
// REQUIRES: avx2

// Of a padded or reflected row the blocks that touch neither end are copied four at a time, without a question; then those before
// and those behind. Rows of a few vectors have none of this.
// CHECK: llvm.load {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.load {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.load {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.load {{.*}} vector<8xf32>
// CHECK-NOT: cond_br
// CHECK: llvm.store {{.*}} vector<8xf32>
// CHECK: masked.load
// SHORT-NOT: llvm.store {{.*}} vector<8xf32>
// SHORT: masked.load
func.func @main(%a: tensor<3x9x?xf32, [3, 9, "N"]>, %b: tensor<5x200xf32>, %c: tensor<50x12xf32>) -> (tensor<3x11x?xf32, [3, 11, "N + 5"]>, tensor<7x204xf32>, tensor<50x14xf32>) {
  %none = "tcc.none"() : () -> none
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.pad"(%a, %none) {low = [0, 1, 4], high = [0, 1, 1], mode = "reflect"} : (tensor<3x9x?xf32, [3, 9, "N"]>, none) -> tensor<3x11x?xf32, [3, 11, "N + 5"]>
  %1 = "tcc.pad"(%b, %zero) {low = [1, 3], high = [1, 1], mode = "constant"} : (tensor<5x200xf32>, tensor<f32>) -> tensor<7x204xf32>
  %2 = "tcc.pad"(%c, %zero) {low = [0, 1], high = [0, 1], mode = "constant"} : (tensor<50x12xf32>, tensor<f32>) -> tensor<50x14xf32>
  return %0, %1, %2 : tensor<3x11x?xf32, [3, 11, "N + 5"]>, tensor<7x204xf32>, tensor<50x14xf32>
}
