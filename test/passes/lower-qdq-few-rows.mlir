// One row of bytes times bytes of the model: in integers where the machine has dot products of bytes, in f32 where it has not, and where the right operand
// would have to be packed in each call. All agree; where weights are packed for tile registers, too.
// RUN: tcc-opt %s --target=x86,cascadelake --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: tcc-opt %s --target=x86,avx2 --tcc-simplify --tcc-lower-qdq --verify-each | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: mkdir -p %t.weights && %python -c "open(r'%t.weights/weights.bin', 'wb').write(bytes(range(0, 256)) * 8)"
// RUN: rm -rf %t && tcc-run %s --weights=%t.weights --random=1 --target=x86,avx2 --save=%t
// RUN: env LD_PRELOAD=%build/test/emulate.so tcc-run %s --weights=%t.weights --random=1 --target=x86,sapphirerapids --data=%t --check
// RUN: %if amx %{ tcc-run %s --weights=%t.weights --random=1 --target=x86,sapphirerapids --data=%t --check %}
// REQUIRES: avx512, python, optimised
// CHECK-LABEL: @main
// DOTS: "tcc.matmul"{{.*}} -> tensor<1x32xi32>
// PLAIN-NOT: xi32>
// CHECK: "tcc.matmul"{{.*}} -> tensor<1x32xf32>
module attributes {tcc.sources = ["weights.bin"]} {
func.func @main(%p: tensor<1x64xui8>, %r: tensor<64x32xi8>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %s = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %t = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %q = "tcc.weight"() {name = "q", source = 0 : i64, offset = 0 : i64, length = 2048 : i64} : () -> tensor<64x32xi8>
  %0 = "tcc.convert"(%p) : (tensor<1x64xui8>) -> tensor<1x64xf32>
  %1 = "tcc.mul"(%0, %s) : (tensor<1x64xf32>, tensor<f32>) -> tensor<1x64xf32>
  %2 = "tcc.convert"(%q) : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %3 = "tcc.mul"(%2, %t) : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %4 = "tcc.matmul"(%1, %3) : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  %5 = "tcc.convert"(%r) : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %6 = "tcc.mul"(%5, %t) : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %7 = "tcc.matmul"(%1, %6) : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %4, %7 : tensor<1x32xf32>, tensor<1x32xf32>
}
}
