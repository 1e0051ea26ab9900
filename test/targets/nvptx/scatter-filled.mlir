// RUN: rm -rf %t && tcc-run %S/../x86/codegen/scatter-filled.mlir --no-cache --random=1 --save=%t
// RUN: tcc-run %S/../x86/codegen/scatter-filled.mlir --no-cache --target=nvptx,sm_90a --emulate --random=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// REQUIRES: avx2
