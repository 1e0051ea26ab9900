// RUN: tcc-interp %s | FileCheck %s

// convert rounds floats to nearest even, truncates towards zero into integers, wraps between integers; bitcast keeps bits.
func.func @main() -> (tensor<4xf16>, tensor<4xi32>, tensor<4xi1>, tensor<3xui8>, tensor<2xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xui8>) {
  %c1 = "tcc.constant"() {value = dense<[1.00048828125, 65519.0, 65520.0, -0.10000000149011612]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r2 = "tcc.convert"(%c1) : (tensor<4xf32>) -> tensor<4xf16>
  // CHECK: output 0: 4xf16 = 1 65504 inf -0.0999756{{$}}
  %c3 = "tcc.constant"() {value = dense<[-1.899999976158142, -0.5, 0.5, 2.9000000953674316]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r4 = "tcc.convert"(%c3) : (tensor<4xf32>) -> tensor<4xi32>
  // CHECK: output 1: 4xi32 = -1 0 0 2{{$}}
  %c5 = "tcc.constant"() {value = dense<[-1.0, 0.0, 0x7FC00000, 0.10000000149011612]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r6 = "tcc.convert"(%c5) : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 2: 4xi1 = 1 0 1 1{{$}}
  %c7 = "tcc.constant"() {value = dense<[-1, 256, 300]> : tensor<3xi32>} : () -> tensor<3xi32>
  %r8 = "tcc.convert"(%c7) : (tensor<3xi32>) -> tensor<3xui8>
  // CHECK: output 3: 3xui8 = 255 0 44{{$}}
  %c9 = "tcc.constant"() {value = dense<[9223372036854775808, 5]> : tensor<2xui64>} : () -> tensor<2xui64>
  %r10 = "tcc.convert"(%c9) : (tensor<2xui64>) -> tensor<2xf32>
  // CHECK: output 4: 2xf32 = 9.22337e+18 5{{$}}
  %c11 = "tcc.constant"() {value = dense<[16777217]> : tensor<1xi32>} : () -> tensor<1xi32>
  %r12 = "tcc.convert"(%c11) : (tensor<1xi32>) -> tensor<1xf32>
  // CHECK: output 5: 1xf32 = 1.67772e+07{{$}}
  %c13 = "tcc.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
  %r14 = "tcc.convert"(%c13) : (tensor<2xi1>) -> tensor<2xf32>
  // CHECK: output 6: 2xf32 = 1 0{{$}}
  %c15 = "tcc.constant"() {value = dense<[1.0, -2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r16 = "tcc.bitcast"(%c15) : (tensor<2xf32>) -> tensor<2xi32>
  // CHECK: output 7: 2xi32 = 1065353216 -1073741824{{$}}
  %c17 = "tcc.constant"() {value = dense<[-1, 5]> : tensor<2xi8>} : () -> tensor<2xi8>
  %r18 = "tcc.bitcast"(%c17) : (tensor<2xi8>) -> tensor<2xui8>
  // CHECK: output 8: 2xui8 = 255 5{{$}}
  return %r2, %r4, %r6, %r8, %r10, %r12, %r14, %r16, %r18 : tensor<4xf16>, tensor<4xi32>, tensor<4xi1>, tensor<3xui8>, tensor<2xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xui8>
}
