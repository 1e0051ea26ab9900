// RUN: tcc-run %s --random --no-cache | FileCheck %s
// RUN: tcc-run %s --random --no-cache --threads 1 --target reference | FileCheck %s
// CHECK: output 0 'y': f32[2x4]
// Lanes of a concatenation compute the indices of all operands. One without elements has axes of 0, by which an index is divided.
module {
  func.func @main(%x: tensor<2x4xf32> {tcc.name = "x"}) -> (tensor<2x4xf32> {tcc.name = "y"}, tensor<?x4xf32, ["nz0", 4]> {tcc.name = "rows"}) {
    %large = "tcc.constant"() {value = dense<1.0e+30> : tensor<f32>} : () -> tensor<f32>
    %first = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %none = "tcc.compare"(%first, %large) {predicate = "gt"} : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xi1>
    %flat = "tcc.reshape"(%none) : (tensor<2x1xi1>) -> tensor<2xi1>
    %places = "tcc.nonzero"(%flat) {size = "nz0"} : (tensor<2xi1>) -> tensor<1x?xi64, [1, "nz0"]>
    %which = "tcc.reshape"(%places) : (tensor<1x?xi64, [1, "nz0"]>) -> tensor<?xi64, ["nz0"]>
    %rows = "tcc.gather"(%x, %which) {axis = 0 : i64, valid = "signed"} : (tensor<2x4xf32>, tensor<?xi64, ["nz0"]>) -> tensor<?x4xf32, ["nz0", 4]>
    %two = "tcc.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %twice = "tcc.mul"(%rows, %two) : (tensor<?x4xf32, ["nz0", 4]>, tensor<f32>) -> tensor<?x4xf32, ["nz0", 4]>
    %source = "tcc.reshape"(%twice) : (tensor<?x4xf32, ["nz0", 4]>) -> tensor<?xf32, ["4*nz0"]>
    %one = "tcc.broadcast"(%two) : (tensor<f32>) -> tensor<1xf32>
    %joined = "tcc.concat"(%source, %one) {axis = 0 : i64} : (tensor<?xf32, ["4*nz0"]>, tensor<1xf32>) -> tensor<?xf32, ["4*nz0 + 1"]>
    %mask = "tcc.broadcast"(%none) : (tensor<2x1xi1>) -> tensor<2x4xi1>
    %all = "tcc.reshape"(%mask) : (tensor<2x4xi1>) -> tensor<8xi1>
    %wide = "tcc.convert"(%all) : (tensor<8xi1>) -> tensor<8xi64>
    %before = "tcc.cumulative"(%wide) {axis = 0 : i64, exclusive = true, kind = "sum"} : (tensor<8xi64>) -> tensor<8xi64>
    %picked = "tcc.gather"(%joined, %before) {axis = 0 : i64} : (tensor<?xf32, ["4*nz0 + 1"]>, tensor<8xi64>) -> tensor<8xf32>
    %back = "tcc.reshape"(%picked) : (tensor<8xf32>) -> tensor<2x4xf32>
    %y = "tcc.select"(%mask, %back, %x) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %y, %rows : tensor<2x4xf32>, tensor<?x4xf32, ["nz0", 4]>
  }
}
