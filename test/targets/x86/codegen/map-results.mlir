// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=37 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=37 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=0 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=0 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k0 %s | FileCheck %s --check-prefix=ONE
// RUN: tcc-translate --to-llvm --target=x86,avx512 --kernel=k1 %s | FileCheck %s --check-prefix=TWO

// Results of one shape are written by one loop, and what they share is read and computed once; all is read before any is stored, since a
// result may lie where an operand does.
// ONE: llvm.func
// ONE: llvm.load {{.*}} vector<16xf32>
// ONE: llvm.load {{.*}} vector<16xf32>
// ONE: llvm.fmul
// ONE-NEXT: llvm.fadd
// ONE-NOT: llvm.load {{.*}} vector<16xf32>
// ONE: llvm.store {{.*}} vector<16xf32>
// ONE-NOT: llvm.load {{.*}} vector<16xf32>
// ONE: llvm.store {{.*}} vector<16xf32>
func.func private @k0(%x: tensor<?x48xf32, ["N", 48]>, %y: tensor<?x48xf32, ["N", 48]>) -> (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) attributes {tcc.kernel = "map"} {
  %m = "tcc.mul"(%x, %y) : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["N", 48]>
  %a = "tcc.add"(%m, %x) : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> tensor<?x48xf32, ["N", 48]>
  return %m, %a : tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>
}

// Those of another shape have a loop of their own, and those of another element type share one.
// TWO: llvm.func
// TWO: llvm.store {{.*}} vector<16xf32>
// TWO: llvm.store {{.*}} vector<16xf16>
// TWO: llvm.cond_br
// TWO: llvm.load {{.*}} vector<16xf32>
// TWO: llvm.store {{.*}} vector<16xf32>
func.func private @k1(%x: tensor<5x40xf32>, %y: tensor<40xf32>) -> (tensor<5x40xf32>, tensor<40xf32>, tensor<5x40xf16>) attributes {tcc.kernel = "map"} {
  %e = "tcc.exp"(%y) : (tensor<40xf32>) -> tensor<40xf32>
  %a = "tcc.add"(%x, %e) : (tensor<5x40xf32>, tensor<40xf32>) -> tensor<5x40xf32>
  %h = "tcc.convert"(%a) : (tensor<5x40xf32>) -> tensor<5x40xf16>
  return %a, %e, %h : tensor<5x40xf32>, tensor<40xf32>, tensor<5x40xf16>
}

// Each result of the second call may take the place of an operand.
func.func @main(%x: tensor<?x48xf32, ["N", 48]>, %y: tensor<?x48xf32, ["N", 48]>, %z: tensor<5x40xf32>, %w: tensor<40xf32>) -> (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>, tensor<5x40xf32>, tensor<40xf32>, tensor<5x40xf16>) {
  %0:2 = call @k0(%x, %y) : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>)
  %1:2 = call @k0(%0#0, %0#1) : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>)
  %2:2 = call @k0(%1#1, %1#0) : (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>) -> (tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>)
  %3:3 = call @k1(%z, %w) : (tensor<5x40xf32>, tensor<40xf32>) -> (tensor<5x40xf32>, tensor<40xf32>, tensor<5x40xf16>)
  return %2#0, %2#1, %3#0, %3#1, %3#2 : tensor<?x48xf32, ["N", 48]>, tensor<?x48xf32, ["N", 48]>, tensor<5x40xf32>, tensor<40xf32>, tensor<5x40xf16>
}
