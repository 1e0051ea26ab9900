// REQUIRES: python, avx2
// The gradient of an embedding: 64 threads share a column, each has every 64th row and takes the updates of its rows in their order. The same bits as on
// the host, and the last of several updates of a row where they are no sum; a tensor of few rows has fewer. An index outside is reported once.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python %S/Inputs/scatter.py %t
// RUN: tcc-explain --target=nvptx,sm_90a %s | FileCheck %s
// CHECK: k0_scatter_nd (scatter)
// CHECK: launch: grid [20, 1, 1] block [128, 1, 1]
// CHECK: k1_scatter_nd (scatter)
// CHECK: launch: grid [2, 1, 1] block [128, 1, 1]
// RUN: tcc-run %s --target=x86,avx2 --data=inside --save=host && tcc-run %s --target=nvptx,sm_90a --emulate --data=inside --save=device
// RUN: cmp host/output_0.npy device/output_0.npy && cmp host/output_1.npy device/output_1.npy
// RUN: env TCC_EMULATE_SEED=7 tcc-run %s --target=nvptx,sm_80 --emulate --data=inside --save=other && cmp host/output_0.npy other/output_0.npy
// RUN: not tcc-run %s --target=nvptx,sm_90a --emulate --data=outside 2>&1 | FileCheck --check-prefix=OUTSIDE %s
// OUTSIDE: kernel "k0_scatter_nd": index 300 is outside [-300, 300), axis 0
func.func @main(%x: tensor<300x40xf32>, %i: tensor<200x1xi64>, %u: tensor<200x40xf32>, %few: tensor<3x100xf32>, %j: tensor<4x1xi64>,
                %v: tensor<4x100xf32>) -> (tensor<300x40xf32>, tensor<3x100xf32>) {
  %0 = "tcc.scatter_nd"(%x, %i, %u) {reduction = "add", valid = "signed"} : (tensor<300x40xf32>, tensor<200x1xi64>, tensor<200x40xf32>) -> tensor<300x40xf32>
  %1 = "tcc.scatter_nd"(%few, %j, %v) {reduction = "none", valid = "signed"} : (tensor<3x100xf32>, tensor<4x1xi64>, tensor<4x100xf32>) -> tensor<3x100xf32>
  return %0, %1 : tensor<300x40xf32>, tensor<3x100xf32>
}
