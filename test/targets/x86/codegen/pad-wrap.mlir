// RUN: tcc-interp %s --input 3xf32=1,2,3 --function static | FileCheck %s --check-prefix=ONE
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=41 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=41 --data=%t --check
// REQUIRES: avx2

// Wrapping goes round an axis as often as it is asked to.
// ONE: output 0: 12xf32 = 3 1 2 3 1 2 3 1 2 3 1 2{{$}}
func.func @main(%x: tensor<?x3xf32, ["N", 3]>) -> tensor<?x12xf32, ["N + 30", 12]> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.pad"(%x, %none) {low = [17, 4], high = [13, 5], mode = "wrap"} : (tensor<?x3xf32, ["N", 3]>, none) -> tensor<?x12xf32, ["N + 30", 12]>
  return %0 : tensor<?x12xf32, ["N + 30", 12]>
}
func.func @static(%x: tensor<3xf32>) -> tensor<12xf32> {
  %none = "tcc.none"() : () -> none
  %0 = "tcc.pad"(%x, %none) {low = [4], high = [5], mode = "wrap"} : (tensor<3xf32>, none) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}
