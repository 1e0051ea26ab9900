// --compare: each kernel of a run beside another way to compute it from the same operands, kernels of weights alone and the bodies of loops
// included; sizes that a kernel's operands do not tell are those of the run. What differs is kept so that it can be repeated.
// RUN: rm -rf %t && mkdir %t
// RUN: tcc-run %s --random --dim N=5 --compare=interp | FileCheck %s --check-prefix=INTERP
// RUN: tcc-run %s --random --dim N=5 --compare=reference | FileCheck %s --check-prefix=REFERENCE
// RUN: tcc-run %s --random --dim N=5 --compare=eager | FileCheck %s --check-prefix=EAGER
// RUN: not tcc-run %s --random --dim N=5 --compare=interp --rtol=0 --atol=1e-12 --save=%t/kept 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: tcc-run %t/kept/kernel.mlir --check --data=%t/kept
// RUN: not tcc-run %t/kept/kernel.mlir --check --data=%t/kept --rtol=0 --atol=1e-12
// RUN: not tcc-run %s --random --dim N=5 --compare=interp --rtol=0 --atol=1e-12 --save=%t/said --target=x86,avx2 > %t/said.txt 2>&1
// RUN: grep -o 'tcc-run [^ ]*/kernel.mlir .*--target=x86,avx2 .*' %t/said.txt > %t/said.sh && not bash %t/said.sh 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: tcc-run: error: output 0 {{.*}} elements differ
// RUN: not tcc-run %s --random --dim N=5 --compare=interp --rtol=0 --atol=1e-12 2>&1 | FileCheck %s --check-prefix=UNSAVED
// RUN: tcc-compile %s -o %t/model.so
// RUN: not tcc-run %t/model.so --random --dim N=5 --compare=interp 2>&1 | FileCheck %s --check-prefix=ARTIFACT
// RUN: not tcc-run %s --compare=other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tcc-run %s --compare=interp --bench 2>&1 | FileCheck %s --check-prefix=BENCH
// INTERP: ok: {{[0-9]+}} kernels match the interpreter{{$}}
// REFERENCE: ok: {{[0-9]+}} kernels match target reference{{$}}
// EAGER: ok: {{[0-9]+}} kernels match numerics eager{{$}}
// DIFFERS: tcc-run: error: kernel k{{[0-9]+_[a-z_]+}} ({{row|contract}}, x86.{{row|contract}}), node 'line {{[0-9]+}}': result 0: {{[0-9]+}} of 20 elements differ
// DIFFERS-SAME: to repeat it: tcc-run {{.*}}/kept/kernel.mlir --check --data={{.*}}/kept --rtol=0 --atol=1e-12{{$}}
// UNSAVED: to repeat it, after --save=DIR: tcc-run DIR/kernel.mlir
// ARTIFACT: model.so is compiled: --compare needs the model, which says what kernels compute
// OTHER: --compare
// BENCH: --compare does not go with --bench
func.func private @step(%x: tensor<?x4xf32, ["N", 4]>, %w: tensor<4x4xf32>) -> tensor<?x4xf32, ["N", 4]> {
  %0 = "tcc.dot_general"(%x, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
    : (tensor<?x4xf32, ["N", 4]>, tensor<4x4xf32>) -> tensor<?x4xf32, ["N", 4]>
  return %0 : tensor<?x4xf32, ["N", 4]>
}
func.func @main(%x: tensor<?x4xf32, ["N", 4]>) -> (tensor<?x4xf32, ["N", 4]>, tensor<?xi64, ["N"]>) {
  %w = "tcc.constant"() {value = dense<[[0.5, 0.25, 0.0, 0.1], [0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [1.0, -1.0, 0.5, -0.5]]> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %v = "tcc.transpose"(%w) {perm = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = func.call @step(%x, %v) {tcc.trips = [3]} : (tensor<?x4xf32, ["N", 4]>, tensor<4x4xf32>) -> tensor<?x4xf32, ["N", 4]>
  %1 = "tcc.softmax"(%0) {axis = 1 : i64} : (tensor<?x4xf32, ["N", 4]>) -> tensor<?x4xf32, ["N", 4]>
  %n = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?xi64, ["N"]>
  return %1, %n : tensor<?x4xf32, ["N", 4]>, tensor<?xi64, ["N"]>
}
