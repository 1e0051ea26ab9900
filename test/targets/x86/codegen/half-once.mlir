// RUN: rm -rf %t && mkdir %t && tcc-interp %s --digits=9 --save=%t | FileCheck %s --check-prefix=ONCE
// RUN: tcc-run %s --target=x86,avx2 --save=%t/x86 && cmp %t/output_0.npy %t/x86/output_0.npy && cmp %t/output_1.npy %t/x86/output_1.npy
// RUN: tcc-run %s --target=reference --save=%t/reference && cmp %t/output_0.npy %t/reference/output_0.npy && cmp %t/output_1.npy %t/reference/output_1.npy
// RUN: tcc-run %s --target=x86,avx2 --numerics=eager --save=%t/eager && not cmp %t/output_0.npy %t/eager/output_0.npy
// RUN: tcc-opt %s --tcc-fuse --tcc-kernels-to-linalg | FileCheck %s --check-prefix=LINALG --implicit-check-not='f64 to f16' --implicit-check-not='f64 to bf16'
// REQUIRES: avx2
// f64 is rounded to 16 bits once, by instructions that every machine has: through f32, rounded to odd. To nearest, f32 would make ties of
// what lies beside one, which eager numerics does, as PyTorch. No kernel asks for a conversion that is a library's where AVX512-FP16 is not.
// ONCE: 7x8xf16 = 1 1 1 1 1 1.00097656 1.00097656
// ONCE: 7x8xbf16 = 1 1 1 1 1 1.0078125 1.0078125
// LINALG: arith.truncf {{.*}} f32 to f16
func.func @main() -> (tensor<7x8xf16>, tensor<7x8xbf16>) {
  %i = "tcc.iota"() {axis = 1 : i64} : () -> tensor<7x8xi64>
  %four = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %c = "tcc.sub"(%i, %four) : (tensor<7x8xi64>, tensor<i64>) -> tensor<7x8xi64>
  %f = "tcc.convert"(%c) : (tensor<7x8xi64>) -> tensor<7x8xf64>
  %h0 = "tcc.constant"() {value = dense<[[0x3FF0020000000000], [0xBFF0060000000000], [0x40EFFE0000000000], [0x3E60000000000000], [0x3FB999999999999A], [0x7FF0000000000000], [0x7E37E43C8800759C]]> : tensor<7x1xf64>} : () -> tensor<7x1xf64>
  %h1 = "tcc.constant"() {value = dense<[[0x3D70000000000000], [0x3D70000000000000], [0x3EB0000000000000], [0x3B90000000000000], [0x3F847AE147AE147B], [0x3FF0000000000000], [0x7E031CFD3999F7B0]]> : tensor<7x1xf64>} : () -> tensor<7x1xf64>
  %h2 = "tcc.mul"(%f, %h1) : (tensor<7x8xf64>, tensor<7x1xf64>) -> tensor<7x8xf64>
  %h3 = "tcc.add"(%h2, %h0) : (tensor<7x8xf64>, tensor<7x1xf64>) -> tensor<7x8xf64>
  %h = "tcc.convert"(%h3) : (tensor<7x8xf64>) -> tensor<7x8xf16>
  %b0 = "tcc.constant"() {value = dense<[[0x3FF0100000000000], [0xBFF0300000000000], [0x47EFF00000000000], [0x3790000000000000], [0x3FB999999999999A], [0x7FF8000000000000], [0x01A56E1FC2F8F359]]> : tensor<7x1xf64>} : () -> tensor<7x1xf64>
  %b1 = "tcc.constant"() {value = dense<[[0x3D70000000000000], [0x3D70000000000000], [0x44F0000000000000], [0x34B0000000000000], [0x3F847AE147AE147B], [0x3FF0000000000000], [0x017124E63593F5E1]]> : tensor<7x1xf64>} : () -> tensor<7x1xf64>
  %b2 = "tcc.mul"(%f, %b1) : (tensor<7x8xf64>, tensor<7x1xf64>) -> tensor<7x8xf64>
  %b3 = "tcc.add"(%b2, %b0) : (tensor<7x8xf64>, tensor<7x1xf64>) -> tensor<7x8xf64>
  %b = "tcc.convert"(%b3) : (tensor<7x8xf64>) -> tensor<7x8xbf16>
  return %h, %b : tensor<7x8xf16>, tensor<7x8xbf16>
}
