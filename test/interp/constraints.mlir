// RUN: tcc-interp %s --input 2xf32=1,2 | FileCheck %s
// RUN: not tcc-interp %s --input 4xf32=1,2,3,4 2>&1 | FileCheck %s --check-prefix=LARGE

// What an importer had to take for granted about sizes is checked when they are bound.
// CHECK: output 0: 2xf32 = 11 22
// LARGE: error: {{.*}}sizes do not agree: 'S' (4) must be at most 3 (the table)
module attributes {tcc.constraints = ["3 - S"], tcc.constraint_origins = ["the table"]} {
  func.func @main(%x: tensor<?xf32, ["S"]>) -> tensor<?xf32, ["S"]> {
    %t = "tcc.constant"() {value = dense<[10.0, 20.0, 30.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %0 = "tcc.slice"(%t) {starts = [0], steps = array<i64: 1>} : (tensor<3xf32>) -> tensor<?xf32, ["S"]>
    %1 = "tcc.add"(%x, %0) : (tensor<?xf32, ["S"]>, tensor<?xf32, ["S"]>) -> tensor<?xf32, ["S"]>
    return %1 : tensor<?xf32, ["S"]>
  }
}
