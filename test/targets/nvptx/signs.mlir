// RUN: rm -rf %t && mkdir %t && %python -c "import numpy as np; x = np.arange(-4, 4); y = np.concatenate([x + 0, x * 9]); np.save('%t/input_0.npy', y.astype(np.int8)); np.save('%t/input_1.npy', y.astype(np.int16)); z = np.concatenate([y, [-128]]); np.save('%t/input_2.npy', z.astype(np.int8)); [np.save(f'%t/output_{i}.npy', v.astype(np.int64)) for i, v in enumerate([y, y, z])]"
// RUN: tcc-run %s --target=nvptx,sm_90a --emulate --data=%t --check | FileCheck %s
// RUN: tcc-run %s --target=nvptx,sm_90a --emulate --data=%t --check --numerics=direct | FileCheck %s
// REQUIRES: python, avx2

// Signed bytes and halves are loaded into registers of 64 bits, or converted within them.
// CHECK: ok: 3 outputs match
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi16>, %z: tensor<17xi8>) -> (tensor<16xi64>, tensor<16xi64>, tensor<17xi64>) {
  %0 = "tcc.convert"(%x) : (tensor<16xi8>) -> tensor<16xi64>
  %1 = "tcc.convert"(%y) : (tensor<16xi16>) -> tensor<16xi64>
  %2 = "tcc.convert"(%z) : (tensor<17xi8>) -> tensor<17xi64>
  return %0, %1, %2 : tensor<16xi64>, tensor<16xi64>, tensor<17xi64>
}
