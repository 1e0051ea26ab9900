// Where lanes are rows, they are no more than the rows need; what is reduced along few elements has no loop: along one dim, two dims, with places, of rows of
// three, eight and more, NaN among them.
// RUN: tcc-run --target=x86,avx2 --random --dim B=5 --compare=interp %s | FileCheck %s
// RUN: tcc-run --random --dim B=5 --compare=interp %s | FileCheck %s
// RUN: tcc-run --random --dim B=1 --compare=interp %s | FileCheck %s
// RUN: tcc-explain --no-cache --target=x86,avx512 %s | FileCheck %s --check-prefix=LANES
// RUN: tcc-opt --pipeline=default --target=x86,avx512 %s | tcc-translate --to-asm --target=x86,avx512 --kernel=k0_reduce - | FileCheck %s --check-prefix=CODE
// REQUIRES: avx2
// CHECK: ok: {{[0-9]}} kernels match the interpreter
// LANES: for: a
// LANES: schedule: lanes = 4, along = rows
// LANES: for: b
// LANES: schedule: lanes = 8, along = rows
// LANES: for: c
// LANES: schedule: lanes = 16, along = rows
// LANES: for: d
// LANES: schedule: lanes = 4, along = rows
// A loop over rows, none over what is reduced.
// CODE: jge
// CODE: [[LOOP:.LBB0_[0-9]+]]:
// CODE-NOT: .LBB
// CODE-COUNT-7: vaddps
// CODE-NOT: .LBB{{[0-9_]+}}:
// CODE: jl {{.*}}[[LOOP]]
func.func @main(%x: tensor<?x4x3xf32, ["B", 4, 3]>, %y: tensor<?x2x2x7xf32, ["B", 2, 2, 7]>, %z: tensor<?x3x21xf32, ["B", 3, 21]>)
    -> (tensor<?x3xf32, ["B", 3]>, tensor<?x7xf32, ["B", 7]>, tensor<?x21xf32, ["B", 21]>, tensor<?x3xi64, ["B", 3]>) {
  %l = "tcc.log"(%y) : (tensor<?x2x2x7xf32, ["B", 2, 2, 7]>) -> tensor<?x2x2x7xf32, ["B", 2, 2, 7]>
  %0 = "tcc.reduce"(%x) {axes = array<i64: 1>, keepdims = false, kind = "sum"} : (tensor<?x4x3xf32, ["B", 4, 3]>) -> tensor<?x3xf32, ["B", 3]> loc("a")
  %1 = "tcc.reduce"(%l) {axes = array<i64: 1, 2>, keepdims = false, kind = "sum"} : (tensor<?x2x2x7xf32, ["B", 2, 2, 7]>) -> tensor<?x7xf32, ["B", 7]> loc("b")
  %2 = "tcc.reduce"(%z) {axes = array<i64: 1>, keepdims = false, kind = "max"} : (tensor<?x3x21xf32, ["B", 3, 21]>) -> tensor<?x21xf32, ["B", 21]> loc("c")
  %3 = "tcc.arg_reduce"(%x) {axis = 1 : i64, kind = "max", keepdims = false, last = true} : (tensor<?x4x3xf32, ["B", 4, 3]>) -> tensor<?x3xi64, ["B", 3]> loc("d")
  return %0, %1, %2, %3 : tensor<?x3xf32, ["B", 3]>, tensor<?x7xf32, ["B", 7]>, tensor<?x21xf32, ["B", 21]>, tensor<?x3xi64, ["B", 3]>
}
