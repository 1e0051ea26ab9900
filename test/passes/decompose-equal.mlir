// RUN: tcc-opt --tcc-verify --tcc-decompose %s | FileCheck %s

// That scale and var are of one size follows from two equations: each is of as many channels as x.
// CHECK: %[[ROOT:.*]] = "tcc.rsqrt"
// CHECK: "tcc.mul"(%arg1, %[[ROOT]]) : (tensor<?xf32, ["s"]>, tensor<?xf32, ["v"]>)
// CHECK: return %{{[0-9]+}} : tensor<?x?x4xf32, ["n", "c", 4]>
module attributes {tcc.constraints = ["c - s", "-c + s", "b - c", "-b + c", "c - m", "-c + m", "c - v", "-c + v"]} {
  func.func @main(%x: tensor<?x?x4xf32, ["n", "c", 4]>, %s: tensor<?xf32, ["s"]>, %b: tensor<?xf32, ["b"]>, %m: tensor<?xf32, ["m"]>, %v: tensor<?xf32, ["v"]>) -> tensor<?x?x4xf32, ["n", "c", 4]> {
    %0 = "tcc.batch_norm"(%x, %s, %b, %m, %v) {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32, ["n", "c", 4]>, tensor<?xf32, ["s"]>, tensor<?xf32, ["b"]>, tensor<?xf32, ["m"]>, tensor<?xf32, ["v"]>) -> tensor<?x?x4xf32, ["n", "c", 4]>
    return %0 : tensor<?x?x4xf32, ["n", "c", 4]>
  }
}
