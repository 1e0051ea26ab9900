// RUN: mkdir -p %t
// RUN: printf '\001\002\000\000\200\077\000\000\000\300' > %t/weights.bin
// RUN: cp %s %t/weight.mlir
// RUN: tcc-interp %t/weight.mlir | FileCheck %s
// RUN: not tcc-interp %t/weight.mlir --function outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tcc-interp %s 2>&1 | FileCheck %s --check-prefix=MISSING

// Weights are bytes of a file beside the module, at any offset, in little endian.
// CHECK: output 0: 2xf32 = 1 -2
// CHECK: output 1: 2xi8 = 1 2
// OUTSIDE: 'tcc.weight': bytes [8, +4) are outside the file
// MISSING: 'tcc.weight': {{.*}}weights.bin
module attributes {tcc.sources = ["weights.bin"]} {
  func.func @main() -> (tensor<2xf32>, tensor<2xi8>) {
    %0 = "tcc.weight"() {name = "w", source = 0 : i64, offset = 2 : i64, length = 8 : i64} : () -> tensor<2xf32>
    %1 = "tcc.weight"() {name = "b", source = 0 : i64, offset = 0 : i64, length = 2 : i64} : () -> tensor<2xi8>
    return %0, %1 : tensor<2xf32>, tensor<2xi8>
  }
  func.func @outside() -> tensor<1xf32> {
    %0 = "tcc.weight"() {name = "w", source = 0 : i64, offset = 8 : i64, length = 4 : i64} : () -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}
