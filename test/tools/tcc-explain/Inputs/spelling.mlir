// A layer norm as exporters wrote it out; what comes of the subtraction is read three times. One node has a call site that
// another tool wrote.
module {
  func.func @main(%x: tensor<?x64xf32, ["B", 64]> {tcc.name = "x"}) -> (tensor<?x64xf32, ["B", 64]> {tcc.name = "y"}) {
    %e = "tcc.constant"() {value = dense<1.0e-5> : tensor<f32>} : () -> tensor<f32>
    %m = "tcc.mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x1xf32, ["B", 1]> loc("/norm/ReduceMean")
    %d = "tcc.sub"(%x, %m) : (tensor<?x64xf32, ["B", 64]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x64xf32, ["B", 64]> loc("/norm/Sub")
    %s = "tcc.mul"(%d, %d) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/norm/Pow")
    %v = "tcc.mean"(%s) {axes = array<i64: 1>, keepdims = true} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x1xf32, ["B", 1]> loc("/norm/ReduceMean_1")
    %a = "tcc.add"(%v, %e) : (tensor<?x1xf32, ["B", 1]>, tensor<f32>) -> tensor<?x1xf32, ["B", 1]> loc("/norm/Add")
    %r = "tcc.sqrt"(%a) : (tensor<?x1xf32, ["B", 1]>) -> tensor<?x1xf32, ["B", 1]> loc(callsite("/norm/Sqrt" at "model.py":2000000000:0))
    %y = "tcc.div"(%d, %r) : (tensor<?x64xf32, ["B", 64]>, tensor<?x1xf32, ["B", 1]>) -> tensor<?x64xf32, ["B", 64]> loc("/norm/Div")
    return %y : tensor<?x64xf32, ["B", 64]>
  }
}
