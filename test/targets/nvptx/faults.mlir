// Several threads report an index at once: one of them is told, and that is no race.
// RUN: not tcc-run %s --target=nvptx,sm_90a --emulate --random=1 2>&1 | FileCheck %s
// RUN: tcc-opt %s --target=nvptx,sm_90a --pipeline=default | tcc-translate --to-ptx --target=nvptx,sm_90a | FileCheck %s --check-prefix=PTX
// RUN: not tcc-run %s --random=1 2>&1 | FileCheck %s
// CHECK-NOT: race
// CHECK: index {{7|8|-9}}00 is outside [-5, 5), axis 0
// PTX-COUNT-2: st.relaxed.sys{{.*}}64
func.func @main(%x: tensor<5x3xf32>) -> tensor<68x3xf32> {
  %a = "tcc.constant"() {value = dense<[[700], [800], [-900], [2]]> : tensor<4x1xi64>} : () -> tensor<4x1xi64>
  %b = "tcc.broadcast"(%a) : (tensor<4x1xi64>) -> tensor<4x17xi64>
  %i = "tcc.reshape"(%b) : (tensor<4x17xi64>) -> tensor<68xi64>
  %r = "tcc.gather"(%x, %i) {axis = 0 : i64, valid = "signed"} : (tensor<5x3xf32>, tensor<68xi64>) -> tensor<68x3xf32>
  return %r : tensor<68x3xf32>
}
