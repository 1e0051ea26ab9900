// Five equal layers, one after the other, whose nodes have names, but for the first one of the last layer. Weights are five times 64 x 64.
#file = loc("model.onnx":0:0)
module attributes {tcc.sources = ["layers.bin"]} {
  func.func @main(%x: tensor<?x64xf32, ["B", 64]> {tcc.name = "x"}) -> (tensor<?x64xf32, ["B", 64]> {tcc.name = "y"}) {
    %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 16384} : () -> tensor<64x64xf32>
    %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 16384, length = 16384} : () -> tensor<64x64xf32>
    %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 32768, length = 16384} : () -> tensor<64x64xf32>
    %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 49152, length = 16384} : () -> tensor<64x64xf32>
    %w4 = "tcc.weight"() {name = "w4", source = 0, offset = 65536, length = 16384} : () -> tensor<64x64xf32>
    %a0 = "tcc.matmul"(%x, %w0) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/0/MatMul"(#file))
    %b0 = "tcc.relu"(%a0) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/0/Relu"(#file))
    %c0 = "tcc.add"(%b0, %x) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/0/Add"(#file))
    %d0 = "tcc.softmax"(%c0) {axis = 1 : i64} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/0/Softmax"(#file))
    %e0 = "tcc.tanh"(%d0) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/0/Tanh"(#file))
    %f0 = "tcc.matmul"(%e0, %w0) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/0/MatMul_1"(#file))
    %a1 = "tcc.matmul"(%f0, %w1) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/1/MatMul"(#file))
    %b1 = "tcc.relu"(%a1) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/1/Relu"(#file))
    %c1 = "tcc.add"(%b1, %f0) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/1/Add"(#file))
    %d1 = "tcc.softmax"(%c1) {axis = 1 : i64} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/1/Softmax"(#file))
    %e1 = "tcc.tanh"(%d1) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/1/Tanh"(#file))
    %f1 = "tcc.matmul"(%e1, %w1) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/1/MatMul_1"(#file))
    %a2 = "tcc.matmul"(%f1, %w2) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/2/MatMul"(#file))
    %b2 = "tcc.relu"(%a2) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/2/Relu"(#file))
    %c2 = "tcc.add"(%b2, %f1) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/2/Add"(#file))
    %d2 = "tcc.softmax"(%c2) {axis = 1 : i64} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/2/Softmax"(#file))
    %e2 = "tcc.tanh"(%d2) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/2/Tanh"(#file))
    %f2 = "tcc.matmul"(%e2, %w2) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/2/MatMul_1"(#file))
    %a3 = "tcc.matmul"(%f2, %w3) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/3/MatMul"(#file))
    %b3 = "tcc.relu"(%a3) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/3/Relu"(#file))
    %c3 = "tcc.add"(%b3, %f2) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/3/Add"(#file))
    %d3 = "tcc.softmax"(%c3) {axis = 1 : i64} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/3/Softmax"(#file))
    %e3 = "tcc.tanh"(%d3) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/3/Tanh"(#file))
    %f3 = "tcc.matmul"(%e3, %w3) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/3/MatMul_1"(#file))
    %a4 = "tcc.matmul"(%f3, %w4) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]>
    %b4 = "tcc.relu"(%a4) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/4/Relu"(#file))
    %c4 = "tcc.add"(%b4, %f3) : (tensor<?x64xf32, ["B", 64]>, tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/4/Add"(#file))
    %d4 = "tcc.softmax"(%c4) {axis = 1 : i64} : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/4/Softmax"(#file))
    %e4 = "tcc.tanh"(%d4) : (tensor<?x64xf32, ["B", 64]>) -> tensor<?x64xf32, ["B", 64]> loc("/4/Tanh"(#file))
    %f4 = "tcc.matmul"(%e4, %w4) : (tensor<?x64xf32, ["B", 64]>, tensor<64x64xf32>) -> tensor<?x64xf32, ["B", 64]> loc("/4/MatMul_1"(#file))
    return %f4 : tensor<?x64xf32, ["B", 64]>
  }
}
