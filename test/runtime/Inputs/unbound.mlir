func.func @main(%x: tensor<?xf32, ["2*M"]>) -> tensor<?xf32, ["2*M"]> {
  %0 = "tcc.exp"(%x) : (tensor<?xf32, ["2*M"]>) -> tensor<?xf32, ["2*M"]>
  return %0 : tensor<?xf32, ["2*M"]>
}
