// Rows that an index picks are summed four registers side by side: the index, its bounds and its weight are computed once for all of them. So is an
// image's average of regions. What a function is computed of stays one register wide.
// RUN: tcc-run --target=x86,x86-64-v3 --random --dim N=21 --dim B=5 --compare=interp %s | FileCheck %s
// RUN: tcc-run --random --dim N=21 --dim B=5 --compare=interp %s | FileCheck %s
// RUN: tcc-explain --no-cache --target=x86,x86-64-v3 %s | FileCheck %s --check-prefix=LANES
// CHECK: ok: {{[0-9]}} kernels match the interpreter
// LANES: gather mul reduce
// LANES: schedule: lanes = 32, along = rows
// LANES: gather reduce
// LANES: schedule: lanes = 32, along = rows
// LANES: gather {{.*}}exp{{.*}} reduce
// LANES: schedule: lanes = 8, along = rows
func.func @main(%i: tensor<?x?xi64, ["B", "N"]>, %w: tensor<?x?x1xf32, ["B", "N", 1]>, %x: tensor<40x77xf32>, %y: tensor<40x77xf32>,
                %z: tensor<40x77xf32>) -> (tensor<?x77xf32, ["B", 77]>, tensor<?x77xf32, ["B", 77]>, tensor<?x77xf32, ["B", 77]>) {
  %0 = "tcc.gather"(%x, %i) {axis = 0 : i64, valid = "unsigned"} : (tensor<40x77xf32>, tensor<?x?xi64, ["B", "N"]>) -> tensor<?x?x77xf32, ["B", "N", 77]>
  %1 = "tcc.mul"(%0, %w) : (tensor<?x?x77xf32, ["B", "N", 77]>, tensor<?x?x1xf32, ["B", "N", 1]>) -> tensor<?x?x77xf32, ["B", "N", 77]>
  %2 = "tcc.reduce"(%1) {axes = array<i64: 1>, keepdims = false, kind = "sum"} : (tensor<?x?x77xf32, ["B", "N", 77]>) -> tensor<?x77xf32, ["B", 77]>
  %3 = "tcc.gather"(%y, %i) {axis = 0 : i64, valid = "unsigned"} : (tensor<40x77xf32>, tensor<?x?xi64, ["B", "N"]>) -> tensor<?x?x77xf32, ["B", "N", 77]>
  %4 = "tcc.reduce"(%3) {axes = array<i64: 1>, keepdims = false, kind = "max"} : (tensor<?x?x77xf32, ["B", "N", 77]>) -> tensor<?x77xf32, ["B", 77]>
  %5 = "tcc.gather"(%z, %i) {axis = 0 : i64, valid = "unsigned"} : (tensor<40x77xf32>, tensor<?x?xi64, ["B", "N"]>) -> tensor<?x?x77xf32, ["B", "N", 77]>
  %6 = "tcc.exp"(%5) : (tensor<?x?x77xf32, ["B", "N", 77]>) -> tensor<?x?x77xf32, ["B", "N", 77]>
  %7 = "tcc.reduce"(%6) {axes = array<i64: 1>, keepdims = false, kind = "sum"} : (tensor<?x?x77xf32, ["B", "N", 77]>) -> tensor<?x77xf32, ["B", 77]>
  return %2, %4, %7 : tensor<?x77xf32, ["B", 77]>, tensor<?x77xf32, ["B", 77]>, tensor<?x77xf32, ["B", 77]>
}
