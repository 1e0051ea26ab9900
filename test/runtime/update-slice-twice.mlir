// A kernel of the run-time whose op reads one value twice has one argument for both.
// RUN: tcc-run --random --compare=interp %s | FileCheck %s
// CHECK: ok: 1 kernel matches the interpreter
func.func @main(%x: tensor<3xi64>, %i: tensor<i64>) -> tensor<3xi64> {
  %0 = "tcc.dynamic_update_slice"(%x, %i, %i) : (tensor<3xi64>, tensor<i64>, tensor<i64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
