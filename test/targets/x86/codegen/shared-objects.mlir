// More than a dozen small kernels share objects, whoever compiles them; each is found in the artifact, and results are the reference's.
// REQUIRES: avx2
// RUN: tcc-compile %s --no-cache --threads=1 -o %t.1.so && tcc-compile %s --no-cache --threads=2 -o %t.2.so && cmp %t.1.so %t.2.so
// RUN: llvm-nm -D %t.1.so | grep -c " k_" | FileCheck %s --check-prefix=COUNT
// COUNT: 13
// A second compilation finds all objects, which are fewer than kernels.
// RUN: rm -rf %t.cache %t.data && env TCC_CACHE_DIR=%t.cache tcc-compile %s -o %t.3.so && cmp %t.1.so %t.3.so
// RUN: find %t.cache -type f -path "*object*" | wc -l | FileCheck %s --check-prefix=OBJECTS
// OBJECTS: {{^ *[2-8]$}}
// RUN: tcc-run %s --random=1 --save=%t.data && tcc-run %s --target=reference --random=1 --data=%t.data --check --rtol=1e-4 --atol=1e-5
func.func @main(%a0: tensor<3x7xf32>, %a1: tensor<4x7xf32>, %a2: tensor<5x7xf32>, %a3: tensor<6x7xf32>, %a4: tensor<7x7xf32>, %a5: tensor<8x7xf32>, %a6: tensor<9x7xf32>, %a7: tensor<10x7xf32>, %a8: tensor<11x7xf32>, %a9: tensor<12x7xf32>, %a10: tensor<13x7xf32>, %a11: tensor<14x7xf32>, %a12: tensor<15x7xf32>) -> (tensor<3x7xf32>, tensor<4x7xf32>, tensor<5x7xf32>, tensor<6x7xf32>, tensor<7x7xf32>, tensor<8x7xf32>, tensor<9x7xf32>, tensor<10x7xf32>, tensor<11x7xf32>, tensor<12x7xf32>, tensor<13x7xf32>, tensor<14x7xf32>, tensor<15x7xf32>) {
  %0 = "tcc.exp"(%a0) : (tensor<3x7xf32>) -> tensor<3x7xf32>
  %1 = "tcc.tanh"(%a1) : (tensor<4x7xf32>) -> tensor<4x7xf32>
  %2 = "tcc.sin"(%a2) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = "tcc.cos"(%a3) : (tensor<6x7xf32>) -> tensor<6x7xf32>
  %4 = "tcc.abs"(%a4) : (tensor<7x7xf32>) -> tensor<7x7xf32>
  %5 = "tcc.neg"(%a5) : (tensor<8x7xf32>) -> tensor<8x7xf32>
  %6 = "tcc.erf"(%a6) : (tensor<9x7xf32>) -> tensor<9x7xf32>
  %7 = "tcc.floor"(%a7) : (tensor<10x7xf32>) -> tensor<10x7xf32>
  %8 = "tcc.ceil"(%a8) : (tensor<11x7xf32>) -> tensor<11x7xf32>
  %9 = "tcc.sqrt"(%a9) : (tensor<12x7xf32>) -> tensor<12x7xf32>
  %10 = "tcc.round"(%a10) : (tensor<13x7xf32>) -> tensor<13x7xf32>
  %11 = "tcc.log"(%a11) : (tensor<14x7xf32>) -> tensor<14x7xf32>
  %12 = "tcc.sign"(%a12) : (tensor<15x7xf32>) -> tensor<15x7xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<3x7xf32>, tensor<4x7xf32>, tensor<5x7xf32>, tensor<6x7xf32>, tensor<7x7xf32>, tensor<8x7xf32>, tensor<9x7xf32>, tensor<10x7xf32>, tensor<11x7xf32>, tensor<12x7xf32>, tensor<13x7xf32>, tensor<14x7xf32>, tensor<15x7xf32>
}
