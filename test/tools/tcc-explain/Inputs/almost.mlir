// A softcap between scores and mask; scores that are a result, too; keys that come transposed; a head that is repeated; an attention.
func.func @main(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %kt: tensor<2x4x16x8xf32>, %one: tensor<2x1x8x16xf32>, %far: tensor<1x2x4x8x16xf32>, %wide: tensor<2x4x8x8xf32>)
    -> (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x2x4x8x16xf32>, tensor<2x4x8x16xf32>) {
  %t = "tcc.transpose"(%k) {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32> loc("keys")
  %s = "tcc.matmul"(%q, %t) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32> loc("scores")
  %c = "tcc.tanh"(%s) : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("cap")
  %p = "tcc.softmax"(%c) {axis = 3 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("softmax")
  %0 = "tcc.matmul"(%p, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> loc("capped")

  %s1 = "tcc.matmul"(%v, %t) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32> loc("scores")
  %p1 = "tcc.softmax"(%s1) {axis = 3 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("softmax")
  %1 = "tcc.matmul"(%p1, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> loc("read twice")

  %s2 = "tcc.matmul"(%q, %kt) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32> loc("scores")
  %p2 = "tcc.softmax"(%s2) {axis = 3 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("softmax")
  %2 = "tcc.matmul"(%p2, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> loc("from a cache")

  %s3 = "tcc.matmul"(%k, %t) : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32> loc("scores")
  %p3 = "tcc.softmax"(%s3) {axis = 3 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("softmax")
  %3 = "tcc.matmul"(%p3, %one) : (tensor<2x4x8x8xf32>, tensor<2x1x8x16xf32>) -> tensor<2x4x8x16xf32> loc("one head")

  %4 = "tcc.matmul"(%p3, %far) : (tensor<2x4x8x8xf32>, tensor<1x2x4x8x16xf32>) -> tensor<1x2x4x8x16xf32> loc("five axes")

  // No product of queries and keys is near.
  %p5 = "tcc.softmax"(%wide) {axis = 3 : i64} : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32> loc("softmax")
  %5 = "tcc.matmul"(%p5, %v) : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> loc("a mixture")
  func.return %0, %1, %s1, %2, %3, %4, %5 : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<1x2x4x8x16xf32>, tensor<2x4x8x16xf32>
}
