// Lanes of integers are divided as floats that hold them exactly: up to 16 bits as f32, 32 as f64, 64 where all lanes are within 2^51, others one by one. By a
// number of the program LLVM multiplies, but of 64 bits, whose upper halves of products no vector has.
// RUN: tcc-opt --pipeline=default --target=x86,haswell %s | tcc-translate --to-llvm --target=x86,haswell | FileCheck %s
// RUN: rm -rf %t && mkdir -p %t && %python %S/Inputs/divide-lanes.py %t && tcc-interp %s --data=%t --save=%t && tcc-run %s --data=%t --check && tcc-run %s --target=x86,haswell --data=%t --check
// REQUIRES: avx2, python
// CHECK-DAG: llvm.fdiv {{.*}} : vector<8xf32>
// CHECK-DAG: llvm.fdiv {{.*}} : vector<8xf64>
// CHECK-DAG: llvm.sdiv {{.*}} : vector<8xi64>
// CHECK-DAG: llvm.sdiv {{.*}} : vector<8xi32>
// CHECK-NOT: llvm.{{s|u}}div {{.*}} : vector<{{[0-9]+}}xi{{8|16}}>
func.func @main(%a8: tensor<256xi8>, %b8: tensor<256xi8>, %a16: tensor<256xui16>, %b16: tensor<256xui16>, %a: tensor<256xi32>, %b: tensor<256xi32>, %u: tensor<256xui32>, %v: tensor<256xui32>,
                %x: tensor<256xi64>, %y: tensor<256xi64>, %z: tensor<256xui64>, %w: tensor<256xui64>)
    -> (tensor<256xi8>, tensor<256xui16>, tensor<256xi32>, tensor<256xui32>, tensor<256xi64>, tensor<256xui64>, tensor<256xi8>, tensor<256xui16>, tensor<256xi32>, tensor<256xui32>, tensor<256xi64>, tensor<256xui64>,
        tensor<256xi64>, tensor<256xi32>) {
  %0 = "tcc.div"(%a8, %b8) : (tensor<256xi8>, tensor<256xi8>) -> tensor<256xi8>
  %1 = "tcc.div"(%a16, %b16) : (tensor<256xui16>, tensor<256xui16>) -> tensor<256xui16>
  %2 = "tcc.div"(%a, %b) : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %3 = "tcc.div"(%u, %v) : (tensor<256xui32>, tensor<256xui32>) -> tensor<256xui32>
  %4 = "tcc.div"(%x, %y) : (tensor<256xi64>, tensor<256xi64>) -> tensor<256xi64>
  %5 = "tcc.div"(%z, %w) : (tensor<256xui64>, tensor<256xui64>) -> tensor<256xui64>
  %6 = "tcc.mod"(%a8, %b8) : (tensor<256xi8>, tensor<256xi8>) -> tensor<256xi8>
  %7 = "tcc.mod"(%a16, %b16) : (tensor<256xui16>, tensor<256xui16>) -> tensor<256xui16>
  %8 = "tcc.fmod"(%a, %b) : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi32>
  %9 = "tcc.mod"(%u, %v) : (tensor<256xui32>, tensor<256xui32>) -> tensor<256xui32>
  %10 = "tcc.mod"(%x, %y) : (tensor<256xi64>, tensor<256xi64>) -> tensor<256xi64>
  %11 = "tcc.mod"(%z, %w) : (tensor<256xui64>, tensor<256xui64>) -> tensor<256xui64>
  %c = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %12 = "tcc.div"(%x, %c) : (tensor<256xi64>, tensor<i64>) -> tensor<256xi64>
  %d = "tcc.constant"() {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %13 = "tcc.div"(%a, %d) : (tensor<256xi32>, tensor<i32>) -> tensor<256xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<256xi8>, tensor<256xui16>, tensor<256xi32>, tensor<256xui32>, tensor<256xi64>, tensor<256xui64>, tensor<256xi8>, tensor<256xui16>, tensor<256xi32>, tensor<256xui32>, tensor<256xi64>, tensor<256xui64>, tensor<256xi64>, tensor<256xi32>
}
