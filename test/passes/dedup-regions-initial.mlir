// RUN: tcc-opt %s --tcc-dedup-regions --verify-each | FileCheck %s

// Five products, each with a batch norm behind it, and functions in between that differ. What makes two numbers a channel of a norm's four
// runs once and counts for nothing: three ops are left of each copy, too few for a region whose border would cut the function from its product.
// CHECK-NOT: func.func private
// CHECK-NOT: call
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 256} : () -> tensor<8x8xf32>
  %s0 = "tcc.weight"() {name = "s0", source = 0, offset = 256, length = 32} : () -> tensor<8xf32>
  %m0 = "tcc.weight"() {name = "m0", source = 0, offset = 288, length = 32} : () -> tensor<8xf32>
  %b0 = "tcc.weight"() {name = "b0", source = 0, offset = 320, length = 32} : () -> tensor<8xf32>
  %v0 = "tcc.weight"() {name = "v0", source = 0, offset = 352, length = 32} : () -> tensor<8xf32>
  %r0 = "tcc.rsqrt"(%v0) : (tensor<8xf32>) -> tensor<8xf32>
  %f0 = "tcc.mul"(%s0, %r0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g0 = "tcc.mul"(%m0, %f0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h0 = "tcc.sub"(%b0, %g0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d0 = "tcc.matmul"(%x, %w0) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0 = "tcc.mul"(%d0, %f0) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %q0 = "tcc.add"(%p0, %h0) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y0 = "tcc.tanh"(%q0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 1000, length = 256} : () -> tensor<8x8xf32>
  %s1 = "tcc.weight"() {name = "s1", source = 0, offset = 1256, length = 32} : () -> tensor<8xf32>
  %m1 = "tcc.weight"() {name = "m1", source = 0, offset = 1288, length = 32} : () -> tensor<8xf32>
  %b1 = "tcc.weight"() {name = "b1", source = 0, offset = 1320, length = 32} : () -> tensor<8xf32>
  %v1 = "tcc.weight"() {name = "v1", source = 0, offset = 1352, length = 32} : () -> tensor<8xf32>
  %r1 = "tcc.rsqrt"(%v1) : (tensor<8xf32>) -> tensor<8xf32>
  %f1 = "tcc.mul"(%s1, %r1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g1 = "tcc.mul"(%m1, %f1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h1 = "tcc.sub"(%b1, %g1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d1 = "tcc.matmul"(%y0, %w1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p1 = "tcc.mul"(%d1, %f1) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %q1 = "tcc.add"(%p1, %h1) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y1 = "tcc.exp"(%q1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 2000, length = 256} : () -> tensor<8x8xf32>
  %s2 = "tcc.weight"() {name = "s2", source = 0, offset = 2256, length = 32} : () -> tensor<8xf32>
  %m2 = "tcc.weight"() {name = "m2", source = 0, offset = 2288, length = 32} : () -> tensor<8xf32>
  %b2 = "tcc.weight"() {name = "b2", source = 0, offset = 2320, length = 32} : () -> tensor<8xf32>
  %v2 = "tcc.weight"() {name = "v2", source = 0, offset = 2352, length = 32} : () -> tensor<8xf32>
  %r2 = "tcc.rsqrt"(%v2) : (tensor<8xf32>) -> tensor<8xf32>
  %f2 = "tcc.mul"(%s2, %r2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g2 = "tcc.mul"(%m2, %f2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h2 = "tcc.sub"(%b2, %g2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d2 = "tcc.matmul"(%y1, %w2) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p2 = "tcc.mul"(%d2, %f2) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %q2 = "tcc.add"(%p2, %h2) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y2 = "tcc.abs"(%q2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 3000, length = 256} : () -> tensor<8x8xf32>
  %s3 = "tcc.weight"() {name = "s3", source = 0, offset = 3256, length = 32} : () -> tensor<8xf32>
  %m3 = "tcc.weight"() {name = "m3", source = 0, offset = 3288, length = 32} : () -> tensor<8xf32>
  %b3 = "tcc.weight"() {name = "b3", source = 0, offset = 3320, length = 32} : () -> tensor<8xf32>
  %v3 = "tcc.weight"() {name = "v3", source = 0, offset = 3352, length = 32} : () -> tensor<8xf32>
  %r3 = "tcc.rsqrt"(%v3) : (tensor<8xf32>) -> tensor<8xf32>
  %f3 = "tcc.mul"(%s3, %r3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g3 = "tcc.mul"(%m3, %f3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h3 = "tcc.sub"(%b3, %g3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d3 = "tcc.matmul"(%y2, %w3) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p3 = "tcc.mul"(%d3, %f3) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %q3 = "tcc.add"(%p3, %h3) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y3 = "tcc.sin"(%q3) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %w4 = "tcc.weight"() {name = "w4", source = 0, offset = 4000, length = 256} : () -> tensor<8x8xf32>
  %s4 = "tcc.weight"() {name = "s4", source = 0, offset = 4256, length = 32} : () -> tensor<8xf32>
  %m4 = "tcc.weight"() {name = "m4", source = 0, offset = 4288, length = 32} : () -> tensor<8xf32>
  %b4 = "tcc.weight"() {name = "b4", source = 0, offset = 4320, length = 32} : () -> tensor<8xf32>
  %v4 = "tcc.weight"() {name = "v4", source = 0, offset = 4352, length = 32} : () -> tensor<8xf32>
  %r4 = "tcc.rsqrt"(%v4) : (tensor<8xf32>) -> tensor<8xf32>
  %f4 = "tcc.mul"(%s4, %r4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %g4 = "tcc.mul"(%m4, %f4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %h4 = "tcc.sub"(%b4, %g4) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %d4 = "tcc.matmul"(%y3, %w4) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %p4 = "tcc.mul"(%d4, %f4) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %q4 = "tcc.add"(%p4, %h4) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %y4 = "tcc.floor"(%q4) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y4 : tensor<8x8xf32>
}
