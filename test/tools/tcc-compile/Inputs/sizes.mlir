// A size in types of values, in products and sums of sizes, and in attributes.
module {
  func.func @main(%x: tensor<?x8xf32, ["B", 8]> {tcc.name = "x"}, %s: tensor<?x8xf32, ["B", 8]>)
      -> (tensor<?xf32, ["8*B"]> {tcc.name = "y"}, tensor<?x8xf32, ["2*B", 8]> {tcc.name = "z"}) {
    %0 = "tcc.exp"(%x) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
    %1 = "tcc.reshape"(%0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?xf32, ["8*B"]>
    %2 = "tcc.concat"(%0, %s) {axis = 0 : i64} : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["2*B", 8]>
    %3 = "tcc.slice"(%2) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<?x8xf32, ["2*B", 8]>) -> tensor<?x8xf32, ["2*B", 8]>
    %4 = "tcc.neg"(%3) : (tensor<?x8xf32, ["2*B", 8]>) -> tensor<?x8xf32, ["2*B", 8]>
    return %1, %4 : tensor<?xf32, ["8*B"]>, tensor<?x8xf32, ["2*B", 8]>
  }
}
