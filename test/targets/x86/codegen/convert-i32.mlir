// Vectors of f32 become 32-bit integers by one instruction; numbers that do not fit, which wrap, and NaN go by way of 64 bits, all lanes with them.
// RUN: tcc-opt --pipeline=default --target=x86,avx2 %s | tcc-translate --to-llvm --target=x86,avx2 | FileCheck %s
// RUN: rm -rf %t && mkdir -p %t && %python -c "import numpy as np; np.save('%t/input_0.npy', np.array([0.5, -1.5, 2147483520, -2147483648, 2147483648, 3e9, -3e9, 1e12, 7.9, -7.9, 4294967040, 1, 2, 3, 4, 5, -6, 9e18, np.nan, 11, -0.0, 12, 13, -14], 'f')); np.save('%t/input_1.npy', np.arange(-21, 22, dtype='f') * 1e8 / 3)"
// RUN: tcc-interp %s --data=%t --save=%t && tcc-run %s --data=%t --check && tcc-run %s --target=x86,avx2 --data=%t --check
// REQUIRES: avx2, python
// CHECK: llvm.fptosi {{.*}} : vector<8xf32> to vector<8xi32>
// CHECK: llvm.cond_br
// CHECK: llvm.fptosi {{.*}} : vector<8xf32> to vector<8xi64>
func.func @main(%x: tensor<24xf32>, %y: tensor<43xf32>) -> (tensor<24xi32>, tensor<24xui32>, tensor<43xi32>) {
  %0 = "tcc.convert"(%x) : (tensor<24xf32>) -> tensor<24xi32>
  %1 = "tcc.convert"(%x) : (tensor<24xf32>) -> tensor<24xui32>
  %2 = "tcc.convert"(%y) : (tensor<43xf32>) -> tensor<43xi32>
  return %0, %1, %2 : tensor<24xi32>, tensor<24xui32>, tensor<43xi32>
}
