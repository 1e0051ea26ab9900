// The k-th element alone, along and across, of several types; on a device, too. More in topk.test.
// RUN: tcc-run %s --random=1 --dim=N=1000 --compare=interp
// RUN: tcc-run %s --random=2 --dim=N=3 --threads=3 --compare=interp
// RUN: tcc-run %s --target=reference --random=3 --dim=N=70 --compare=interp
// RUN: rm -rf %t && tcc-run %s --random=4 --dim=N=70 --save=%t && tcc-run %s --target=nvptx,sm_90a --emulate --random=4 --dim=N=70 --data=%t --check
func.func @main(%x: tensor<3x?xf32, [3, "N"]>, %y: tensor<?x5xf64, ["N", 5]>, %z: tensor<?x4xi32, ["N", 4]>, %h: tensor<4x?xf16, [4, "N"]>)
  -> (tensor<3x1xf32>, tensor<3x1xi64>, tensor<1x5xf64>, tensor<1x4xi32>, tensor<1x4xi64>, tensor<4x1xi64>) {
  %0:2 = "tcc.topk"(%x) {k = ["floordiv(N + 1, 2)"], axis = 1 : i64, largest = false, last = true} : (tensor<3x?xf32, [3, "N"]>) -> (tensor<3x1xf32>, tensor<3x1xi64>)
  %1:2 = "tcc.topk"(%y) {k = [2], axis = 0 : i64, last = true} : (tensor<?x5xf64, ["N", 5]>) -> (tensor<1x5xf64>, tensor<1x5xi64>)
  %2:2 = "tcc.topk"(%z) {k = [3], axis = 0 : i64, largest = false, last = true} : (tensor<?x4xi32, ["N", 4]>) -> (tensor<1x4xi32>, tensor<1x4xi64>)
  %3:2 = "tcc.topk"(%h) {k = ["N"], axis = 1 : i64, last = true} : (tensor<4x?xf16, [4, "N"]>) -> (tensor<4x1xf16>, tensor<4x1xi64>)
  return %0#0, %0#1, %1#0, %2#0, %2#1, %3#1 : tensor<3x1xf32>, tensor<3x1xi64>, tensor<1x5xf64>, tensor<1x4xi32>, tensor<1x4xi64>, tensor<4x1xi64>
}
