func.func @main() -> tensor<1x1x1x5xf32> {
  %x = "tcc.constant"() {value = dense<[[[[1.0, 2.0, 0.0, 0x7FC00000, 4.0, 5.0, 6.0]]]]> : tensor<1x1x1x7xf32>} : () -> tensor<1x1x1x7xf32>
  %0 = "tcc.pool"(%x) {kind = "max", kernel = array<i64: 1, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x1x7xf32>) -> tensor<1x1x1x5xf32>
  return %0 : tensor<1x1x1x5xf32>
}
