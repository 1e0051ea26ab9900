// A result that is as long as an input of any size.
func.func @main(%x: tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]> {
  %0 = "tcc.relu"(%x) : (tensor<?x8xf32, ["S", 8]>) -> tensor<?x8xf32, ["S", 8]>
  return %0 : tensor<?x8xf32, ["S", 8]>
}
