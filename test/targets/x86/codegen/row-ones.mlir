// RUN: rm -rf %t && timeout 60 tcc-run %s --random=1 --dim=d15=15 --dim=d2=2 --save=%t && tcc-run %s --target=reference --random=1 --dim=d15=15 --dim=d2=2 --data=%t --check --rtol=1e-5 --atol=1e-5

// A reshape that takes only an axis of one element off a dim splits nothing: the nest stays as it is.
module attributes {tcc.constraints = ["d15 - 15", "-d15 + 15", "-d2 + 2", "d2 - 2"]} {
  func.func @main(%x: tensor<?x?xf32, ["d15", "d2"]>, %k: tensor<1x15xf32>) -> tensor<1x1xf32> {
    %bias = "tcc.constant"() {value = dense<[[-0.5], [-1.75]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
    %0 = "tcc.transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<?x?xf32, ["d15", "d2"]>) -> tensor<?x?xf32, ["d2", "d15"]>
    %1 = "tcc.linear"(%0, %k, %bias) {transposed = true} : (tensor<?x?xf32, ["d2", "d15"]>, tensor<1x15xf32>, tensor<2x1xf32>) -> tensor<?x1xf32, ["d2", 1]>
    %2 = "tcc.mean"(%1) {axes = array<i64: 0, 1>, keepdims = true} : (tensor<?x1xf32, ["d2", 1]>) -> tensor<1x1xf32>
    return %2 : tensor<1x1xf32>
  }
}
