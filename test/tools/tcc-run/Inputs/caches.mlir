// Two caches of eight places, of which a step writes one: the first is not read again, the second as it was, behind the write.
func.func @main(%p: tensor<1xi64> {tcc.name = "position"}, %row: tensor<1x2x4xf32> {tcc.name = "row"}, %k: tensor<8x2x4xf32> {tcc.name = "past_key"}, %v: tensor<8x2x4xf32> {tcc.name = "past_value"}) -> (tensor<2x4xf32> {tcc.name = "sum"}, tensor<8x2x4xf32> {tcc.name = "present_key"}, tensor<8x2x4xf32> {tcc.name = "present_value"}) {
  %i = "tcc.reshape"(%p) : (tensor<1xi64>) -> tensor<1x1xi64>
  %k1 = "tcc.scatter_nd"(%k, %i, %row) {reduction = "none", valid = "signed"} : (tensor<8x2x4xf32>, tensor<1x1xi64>, tensor<1x2x4xf32>) -> tensor<8x2x4xf32>
  %v1 = "tcc.scatter_nd"(%v, %i, %row) {reduction = "add", valid = "signed"} : (tensor<8x2x4xf32>, tensor<1x1xi64>, tensor<1x2x4xf32>) -> tensor<8x2x4xf32>
  %a = "tcc.reduce"(%k1) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<8x2x4xf32>) -> tensor<2x4xf32>
  %b = "tcc.mul"(%v1, %v1) : (tensor<8x2x4xf32>, tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %c = "tcc.mul"(%b, %v) : (tensor<8x2x4xf32>, tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  %d = "tcc.reduce"(%c) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<8x2x4xf32>) -> tensor<2x4xf32>
  %s = "tcc.add"(%a, %d) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %s, %k1, %v1 : tensor<2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>
}
