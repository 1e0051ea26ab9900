// Products whose right matrices an index picks from a table: any index, both ways to lie, one row, 16 bits, a result that is stored transposed.
func.func @main(%x: tensor<12x5x24xf32> {tcc.name = "x"}, %w: tensor<8x24x40xf32> {tcc.name = "w"}, %t: tensor<8x40x24xf32> {tcc.name = "t"},
                %h: tensor<12x5x24xbf16> {tcc.name = "h"}, %v: tensor<8x24x40xbf16> {tcc.name = "v"}, %e: tensor<12xi64> {tcc.name = "e"},
                %y: tensor<12x32x24xf32> {tcc.name = "y"})
    -> (tensor<12x5x40xf32> {tcc.name = "plain"}, tensor<12x5x40xf32> {tcc.name = "turned"}, tensor<12x1x40xf32> {tcc.name = "row"},
        tensor<12x5x40xbf16> {tcc.name = "halves"}, tensor<12x40x32xf32> {tcc.name = "stored"}) {
  %places = "tcc.constant"() {value = dense<[0, 7, 3, 3, -1, -8, 2, 9, -20, 5, 6, 1]> : tensor<12xi64>} : () -> tensor<12xi64>
  %i = "tcc.add"(%places, %e) : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
  %0 = "tcc.gather"(%w, %i) {axis = 0 : i64} : (tensor<8x24x40xf32>, tensor<12xi64>) -> tensor<12x24x40xf32>
  %plain = "tcc.dot_general"(%x, %0) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<12x5x24xf32>, tensor<12x24x40xf32>) -> tensor<12x5x40xf32>
  %narrow = "tcc.convert"(%i) : (tensor<12xi64>) -> tensor<12xi32>
  %1 = "tcc.gather"(%t, %narrow) {axis = 0 : i64} : (tensor<8x40x24xf32>, tensor<12xi32>) -> tensor<12x40x24xf32>
  %2 = "tcc.dot_general"(%x, %1) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<12x5x24xf32>, tensor<12x40x24xf32>) -> tensor<12x5x40xf32>
  %turned = "tcc.relu"(%2) : (tensor<12x5x40xf32>) -> tensor<12x5x40xf32>
  %one = "tcc.slice"(%x) {starts = [0, 2, 0], steps = array<i64: 1, 1, 1>} : (tensor<12x5x24xf32>) -> tensor<12x1x24xf32>
  %3 = "tcc.gather"(%w, %i) {axis = 0 : i64} : (tensor<8x24x40xf32>, tensor<12xi64>) -> tensor<12x24x40xf32>
  %row = "tcc.dot_general"(%one, %3) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<12x1x24xf32>, tensor<12x24x40xf32>) -> tensor<12x1x40xf32>
  %4 = "tcc.gather"(%v, %i) {axis = 0 : i64} : (tensor<8x24x40xbf16>, tensor<12xi64>) -> tensor<12x24x40xbf16>
  %halves = "tcc.dot_general"(%h, %4) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<12x5x24xbf16>, tensor<12x24x40xbf16>) -> tensor<12x5x40xbf16>
  %5 = "tcc.gather"(%w, %i) {axis = 0 : i64} : (tensor<8x24x40xf32>, tensor<12xi64>) -> tensor<12x24x40xf32>
  %6 = "tcc.dot_general"(%y, %5) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<12x32x24xf32>, tensor<12x24x40xf32>) -> tensor<12x32x40xf32>
  %stored = "tcc.transpose"(%6) {perm = array<i64: 0, 2, 1>} : (tensor<12x32x40xf32>) -> tensor<12x40x32xf32>
  return %plain, %turned, %row, %halves, %stored : tensor<12x5x40xf32>, tensor<12x5x40xf32>, tensor<12x1x40xf32>, tensor<12x5x40xbf16>, tensor<12x40x32xf32>
}
