// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s
// RUN: rm -rf %t && tcc-run %s --no-cache --save=%t && tcc-interp %s --data %t --check
// REQUIRES: avx2

// What a cubic filter overshoots is the nearest number of the type, ties to even; linear interpolation truncates.
func.func @main() -> (tensor<10xi8>, tensor<10xui8>, tensor<6xi8>, tensor<2xi16>) {
  %b = "tcc.constant"() {value = dense<[127, 127, -128, -128, 3]> : tensor<5xi8>} : () -> tensor<5xi8>
  %0 = "tcc.resize"(%b) {mode = "cubic", coordinates = "half_pixel", scales = dense<2.0> : tensor<1xf32>, roi = dense<> : tensor<0xf32>} : (tensor<5xi8>) -> tensor<10xi8>
  // CHECK: output 0: 10xi8 = 127 127 127 69 -70 -128 -128 -98 -27 17{{$}}
  %u = "tcc.constant"() {value = dense<[255, 255, 0, 0, 9]> : tensor<5xui8>} : () -> tensor<5xui8>
  %1 = "tcc.resize"(%u) {mode = "cubic", coordinates = "half_pixel", scales = dense<2.0> : tensor<1xf32>, roi = dense<> : tensor<0xf32>} : (tensor<5xui8>) -> tensor<10xui8>
  // CHECK: output 1: 10xui8 = 255 255 255 197 58 0 0 2 7 10{{$}}
  %c = "tcc.constant"() {value = dense<[1, 2, 4]> : tensor<3xi8>} : () -> tensor<3xi8>
  %2 = "tcc.resize"(%c) {mode = "linear", coordinates = "half_pixel", scales = dense<2.0> : tensor<1xf32>, roi = dense<> : tensor<0xf32>} : (tensor<3xi8>) -> tensor<6xi8>
  // CHECK: output 2: 6xi8 = 1 1 1 2 3 4{{$}}
  %s = "tcc.constant"() {value = dense<[1, 2, 3, 5]> : tensor<4xi16>} : () -> tensor<4xi16>
  %3 = "tcc.resize"(%s) {mode = "linear", coordinates = "half_pixel", antialias = true, scales = dense<0.5> : tensor<1xf32>, roi = dense<> : tensor<0xf32>} : (tensor<4xi16>) -> tensor<2xi16>
  // CHECK: output 3: 2xi16 = 2 4{{$}}
  return %0, %1, %2, %3 : tensor<10xi8>, tensor<10xui8>, tensor<6xi8>, tensor<2xi16>
}
