// A conversion to f32 behind a product of bf16 reads its sum, 257, and not what bf16 makes of it, 256; in eager numerics each op rounds.
// RUN: rm -rf %t && mkdir -p %t/fast %t/eager && %python -c "import numpy as np; f = np.float32; [np.save('%t/%%s/output_0.npy' %% n, np.full((9, 40), v, f)) for n, v in (('fast', 257), ('eager', 256))]; [np.save('%t/%%s/input_%%d.npy' %% (n, i), np.ones(s, f)) for n in ('fast', 'eager') for i, s in enumerate(((9, 257), (257, 40)))]"
// RUN: tcc-run %s --target=x86,avx2 --data=%t/fast --check --rtol=0 --atol=0
// RUN: tcc-run %s --target=x86,avx512 --data=%t/fast --check --rtol=0 --atol=0
// RUN: tcc-run %s --target=x86,avx2 --numerics=eager --data=%t/eager --check --rtol=0 --atol=0
// REQUIRES: python, avx512
func.func @main(%x: tensor<9x257xf32>, %y: tensor<257x40xf32>) -> tensor<9x40xf32> {
  %a = "tcc.convert"(%x) : (tensor<9x257xf32>) -> tensor<9x257xbf16>
  %b = "tcc.convert"(%y) : (tensor<257x40xf32>) -> tensor<257x40xbf16>
  %0 = "tcc.dot_general"(%a, %b) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<9x257xbf16>, tensor<257x40xbf16>) -> tensor<9x40xbf16>
  %1 = "tcc.convert"(%0) : (tensor<9x40xbf16>) -> tensor<9x40xf32>
  return %1 : tensor<9x40xf32>
}
