// A command that fails on the whole model fails on what is left, for the same reason; nothing of what is left can go.
// REQUIRES: python
// RUN: rm -rf %t && mkdir -p %t/data
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.save('%t/data/input_0.npy', r.random((3, 4)).astype('f')); np.save('%t/data/input_1.npy', r.random((3, 4)).astype('f'))"
// RUN: tcc-reduce %s -o %t/text -- not grep -c tcc.erf {} | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --check-prefix=ERF --input-file=%t/text/model.mlir
// RUN: not ls %t/text/input_0.npy
// RUN: tcc-reduce %s -o %t/values --data=%t/data --match="result 0" -- tcc-run {} --data={data} --compare=interp --rtol=0 --atol=1e-11 --no-cache
// RUN: FileCheck %s --check-prefix=ONE --input-file=%t/values/model.mlir
// RUN: tcc-run %t/values/model.mlir --data=%t/values --check
// RUN: not tcc-run %t/values/model.mlir --data=%t/values --compare=interp --rtol=0 --atol=1e-11
// RUN: not tcc-reduce %s -o %t/none -- grep -c tcc.erf {} 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not tcc-reduce %s -o %t/none --match=nowhere -- not grep -c tcc.erf {} 2>&1 | FileCheck %s --check-prefix=MATCH
// RUN: not tcc-reduce %s -o %t/none -- %t/no-such-command {} 2>&1 | FileCheck %s --check-prefix=COMMAND
// RUN: not tcc-reduce %s -o %t/none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tcc-reduce %t/text/model.mlir -o %t/text -- true 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: its model.mlir is the model itself
// RUN: not tcc-reduce %s -o %t/none grep -c tcc.erf 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: tcc-reduce: one model at a time: '{{.*}}reduce.mlir' and 'grep'; the command stands behind --
// RUN: not tcc-reduce %s -- true 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tcc-reduce %s -o %t/none --data=%t/text -- not true 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not tcc-reduce %t/nowhere.mlir -o %t/none -- not true 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: tcc-reduce %s -o %t/slow --seconds=0.1 -- sleep 1000 | FileCheck %s --check-prefix=SLOW
// SAID: 1 of 6 operations are left in {{.*}}/text/model.mlir, after {{[0-9]+}} tries
// SLOW: 1 of 6 operations are left
// ERF: func.func @main(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32>
// ERF-NEXT: %0 = "tcc.erf"(%arg0)
// ERF-NEXT: return %0
// ONE: func.func @main
// ONE-NEXT: %0 = "tcc.
// ONE-NEXT: return
// RIGHT: tcc-reduce: error: the command does not fail on the whole model: nothing to look for
// MATCH: tcc-reduce: error: the command does not fail on the whole model, its output lacks nowhere: nothing to look for
// COMMAND: no-such-command: there is no such command
// NONE: tcc-reduce: a command is needed, behind --
// FOLDER: tcc-reduce: -o DIR is needed
// DATA: input_0.npy: No such file or directory
// MODEL: nowhere.mlir: No such file or directory
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>) {
  %0 = "tcc.add"(%x, %y) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = "tcc.relu"(%0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = "tcc.erf"(%1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = "tcc.mul"(%2, %0) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %4 = "tcc.exp"(%3) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %5 = "tcc.reduce"(%4) {axes = array<i64: 1>, kind = "sum"} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %3, %5 : tensor<3x4xf32>, tensor<3xf32>
}
