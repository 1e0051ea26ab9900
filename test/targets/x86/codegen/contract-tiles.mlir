// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=3 --target=x86,avx2 --save=%t
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=3 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=3 --target=x86,cooperlake --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: %if amx %{ tcc-run %s --random=1 --dim=M=3 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 %}
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=37 --target=x86,avx2 --save=%t
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=37 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=37 --target=x86,cooperlake --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: %if amx %{ tcc-run %s --random=1 --dim=M=37 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 %}
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=M=34 --target=x86,avx2 --save=%t
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --random=1 --dim=M=34 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2
// RUN: %if amx %{ tcc-run %s --random=1 --dim=M=34 --target=x86,sapphirerapids --data=%t --check --rtol=1e-2 --atol=1e-2 %}
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-translate --to-asm --target=x86,sapphirerapids - | FileCheck %s --check-prefix=TILES
// RUN: tcc-opt --pipeline=default --target=x86,cooperlake %s | tcc-translate --to-asm --target=x86,cooperlake - | FileCheck %s --check-prefix=PAIRS
// RUN: tcc-opt --pipeline=default --target=x86,sapphirerapids %s | tcc-opt --target=x86,sapphirerapids --tcc-variants - | FileCheck %s --check-prefix=VARIANTS
// REQUIRES: avx512, optimised

// bf16 and bytes in AMX tiles, bf16 in pairs by vdpbf16ps: weights packed ahead and operands packed in the call (rows of
// keys are read as words and transposed), blocks of k that accumulate, batches, rows that fill no tile. Tiles
// run in software (test/emulate) on every machine, and where the CPU has them, there too. One or two rows behind the tiles of an unknown number
// (34 rows) are multiplied by dot products of vectors.
// VARIANTS: tcc.variants = [{{.*}}rows = {{16|32}} : i64
// TILES-DAG: tdpbf16ps
// TILES-DAG: tdpbssd
// TILES-DAG: tdpbusd
// TILES-DAG: vdpbf16ps
// TILES: tilerelease
// PAIRS: vdpbf16ps
func.func @main(%x0: tensor<?x800xbf16, ["M", 800]>, %w: tensor<800x200xbf16>, %q: tensor<3x40x96xbf16>, %k: tensor<3x50x96xbf16>, %u: tensor<70x640xi8>, %v: tensor<90x640xi8>, %b: tensor<17x70xui8>, %c: tensor<70x33xi8>) -> (tensor<?x200xbf16, ["M", 200]>, tensor<?x200xbf16, ["M", 200]>, tensor<3x40x50xbf16>, tensor<70x90xi32>, tensor<17x33xi32>) {
  %i = "tcc.iota"() {axis = 1 : i64} : () -> tensor<800x200xi64>
  %c13 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %r = "tcc.mod"(%i, %c13) : (tensor<800x200xi64>, tensor<i64>) -> tensor<800x200xi64>
  %s = "tcc.convert"(%r) {saturate = true} : (tensor<800x200xi64>) -> tensor<800x200xbf16>
  %0 = "tcc.dot_general"(%x0, %s) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x800xbf16, ["M", 800]>, tensor<800x200xbf16>) -> tensor<?x200xbf16, ["M", 200]>
  %1 = "tcc.dot_general"(%x0, %w) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<?x800xbf16, ["M", 800]>, tensor<800x200xbf16>) -> tensor<?x200xbf16, ["M", 200]>
  %2 = "tcc.dot_general"(%q, %k) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x40x96xbf16>, tensor<3x50x96xbf16>) -> tensor<3x40x50xbf16>
  %3 = "tcc.dot_general"(%u, %v) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<70x640xi8>, tensor<90x640xi8>) -> tensor<70x90xi32>
  %4 = "tcc.dot_general"(%b, %c) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<17x70xui8>, tensor<70x33xi8>) -> tensor<17x33xi32>
  return %0, %1, %2, %3, %4 : tensor<?x200xbf16, ["M", 200]>, tensor<?x200xbf16, ["M", 200]>, tensor<3x40x50xbf16>, tensor<70x90xi32>, tensor<17x33xi32>
}
