// RUN: tcc-interp %s | FileCheck %s

// Elementwise ops of two operands: broadcasting, division and remainders of both signs, wrap-around, shifts, NaN.
func.func @main() -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<4xi8>, tensor<1xui8>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<3xi1>, tensor<2xi8>, tensor<3xi1>, tensor<2xi8>, tensor<3xi1>, tensor<3xui8>, tensor<3xi8>, tensor<2xui8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2x2xf32>) {
  %c1 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c2 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r3 = "tcc.add"(%c1, %c2) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 0: 2x3xf32 = 3 -2.5 6.5 -2 4.5 3{{$}}
  %c4 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c5 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r6 = "tcc.sub"(%c4, %c5) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 1: 2x3xf32 = -1 -1.5 0.5 -6 5.5 -3{{$}}
  %c7 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c8 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r9 = "tcc.mul"(%c7, %c8) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 2: 2x3xf32 = 2 1 10.5 -8 -2.5 0{{$}}
  %c10 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c11 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r12 = "tcc.div"(%c10, %c11) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 3: 2x3xf32 = 0.5 4 1.16667 -2 -10 0{{$}}
  %c13 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c14 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r15 = "tcc.mod"(%c13, %c14) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 4: 2x3xf32 = 1 -0 0.5 0 -0 0{{$}}
  %c16 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c17 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r18 = "tcc.fmod"(%c16, %c17) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 5: 2x3xf32 = 1 -0 0.5 -0 0 0{{$}}
  %c19 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c20 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r21 = "tcc.min"(%c19, %c20) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 6: 2x3xf32 = 1 -2 3 -4 -0.5 0{{$}}
  %c22 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c23 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r24 = "tcc.max"(%c22, %c23) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 7: 2x3xf32 = 2 -0.5 3.5 2 5 3{{$}}
  %c25 = "tcc.constant"() {value = dense<[[1.0, -2.0, 3.5], [-4.0, 5.0, 0.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %c26 = "tcc.constant"() {value = dense<[2.0, -0.5, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r27 = "tcc.atan2"(%c25, %c26) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: output 8: 2x3xf32 = 0.463648 -1.81578 0.86217 -1.10715 1.67046 0{{$}}
  %c28 = "tcc.constant"() {value = dense<[2.0, 9.0, 0.5]> : tensor<3xf32>} : () -> tensor<3xf32>
  %c29 = "tcc.constant"() {value = dense<[3.0, 0.5, -1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %r30 = "tcc.pow"(%c28, %c29) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: output 9: 3xf32 = 8 3 2{{$}}
  %c31 = "tcc.constant"() {value = dense<[2, -3, 7]> : tensor<3xi32>} : () -> tensor<3xi32>
  %c32 = "tcc.constant"() {value = dense<[10, 3, 0]> : tensor<3xi32>} : () -> tensor<3xi32>
  %r33 = "tcc.pow"(%c31, %c32) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: output 10: 3xi32 = 1024 -27 1{{$}}
  %c34 = "tcc.constant"() {value = dense<[2.0, 3.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c35 = "tcc.constant"() {value = dense<[2, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %r36 = "tcc.pow"(%c34, %c35) : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  // CHECK: output 11: 2xf32 = 4 0.333333{{$}}
  %c37 = "tcc.constant"() {value = dense<[4, 10]> : tensor<2xi32>} : () -> tensor<2xi32>
  %c38 = "tcc.constant"() {value = dense<[0.5, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r39 = "tcc.pow"(%c37, %c38) : (tensor<2xi32>, tensor<2xf32>) -> tensor<2xi32>
  // CHECK: output 12: 2xi32 = 2 100{{$}}
  %c40 = "tcc.constant"() {value = dense<[-7, 7, -7, 7, 5]> : tensor<5xi32>} : () -> tensor<5xi32>
  %c41 = "tcc.constant"() {value = dense<[2, -2, -2, 2, 0]> : tensor<5xi32>} : () -> tensor<5xi32>
  // towards zero; by zero is zero
  %r42 = "tcc.div"(%c40, %c41) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  // CHECK: output 13: 5xi32 = -3 -3 3 3 0{{$}}
  %c43 = "tcc.constant"() {value = dense<[-7, 7, -7, 7, 5]> : tensor<5xi32>} : () -> tensor<5xi32>
  %c44 = "tcc.constant"() {value = dense<[2, -2, -2, 2, 0]> : tensor<5xi32>} : () -> tensor<5xi32>
  %r45 = "tcc.mod"(%c43, %c44) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  // CHECK: output 14: 5xi32 = 1 -1 -1 1 0{{$}}
  %c46 = "tcc.constant"() {value = dense<[-7, 7, -7, 7, 5]> : tensor<5xi32>} : () -> tensor<5xi32>
  %c47 = "tcc.constant"() {value = dense<[2, -2, -2, 2, 0]> : tensor<5xi32>} : () -> tensor<5xi32>
  %r48 = "tcc.fmod"(%c46, %c47) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  // CHECK: output 15: 5xi32 = -1 1 -1 1 0{{$}}
  %c49 = "tcc.constant"() {value = dense<[-128, -3, 0, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  %c50 = "tcc.constant"() {value = dense<[-1, 1, 2, 127]> : tensor<4xi8>} : () -> tensor<4xi8>
  %r51 = "tcc.add"(%c49, %c50) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  // CHECK: output 16: 4xi8 = 127 -2 2 -2{{$}}
  %c52 = "tcc.constant"() {value = dense<[200]> : tensor<1xui8>} : () -> tensor<1xui8>
  %c53 = "tcc.constant"() {value = dense<[2]> : tensor<1xui8>} : () -> tensor<1xui8>
  %r54 = "tcc.mul"(%c52, %c53) : (tensor<1xui8>, tensor<1xui8>) -> tensor<1xui8>
  // CHECK: output 17: 1xui8 = 144{{$}}
  %c55 = "tcc.constant"() {value = dense<[18446744073709551615, 9223372036854775808]> : tensor<2xui64>} : () -> tensor<2xui64>
  %c56 = "tcc.constant"() {value = dense<[10, 3]> : tensor<2xui64>} : () -> tensor<2xui64>
  %r57 = "tcc.div"(%c55, %c56) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  // CHECK: output 18: 2xui64 = 1844674407370955161 3074457345618258602{{$}}
  %c58 = "tcc.constant"() {value = dense<[18446744073709551615, 9223372036854775808]> : tensor<2xui64>} : () -> tensor<2xui64>
  %c59 = "tcc.constant"() {value = dense<[10, 3]> : tensor<2xui64>} : () -> tensor<2xui64>
  %r60 = "tcc.mod"(%c58, %c59) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  // CHECK: output 19: 2xui64 = 5 2{{$}}
  %c61 = "tcc.constant"() {value = dense<[18446744073709551615, 9223372036854775808]> : tensor<2xui64>} : () -> tensor<2xui64>
  %c62 = "tcc.constant"() {value = dense<[10, 3]> : tensor<2xui64>} : () -> tensor<2xui64>
  %r63 = "tcc.max"(%c61, %c62) : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xui64>
  // CHECK: output 20: 2xui64 = 18446744073709551615 9223372036854775808{{$}}
  %c64 = "tcc.constant"() {value = dense<[18446744073709551615, 9223372036854775808]> : tensor<2xui64>} : () -> tensor<2xui64>
  %c65 = "tcc.constant"() {value = dense<[10, 3]> : tensor<2xui64>} : () -> tensor<2xui64>
  %r66 = "tcc.compare"(%c64, %c65) {predicate = "gt"} : (tensor<2xui64>, tensor<2xui64>) -> tensor<2xi1>
  // CHECK: output 21: 2xi1 = 1 1{{$}}
  %c67 = "tcc.constant"() {value = dense<[0x7FC00000, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c68 = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r69 = "tcc.min"(%c67, %c68) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: output 22: 2xf32 = nan 1{{$}}
  %c70 = "tcc.constant"() {value = dense<[1.0, 0x7FC00000]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c71 = "tcc.constant"() {value = dense<[0x7FC00000, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %r72 = "tcc.max"(%c70, %c71) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  // CHECK: output 23: 2xf32 = nan nan{{$}}
  %c73 = "tcc.constant"() {value = dense<[12, -1]> : tensor<2xi8>} : () -> tensor<2xi8>
  %c74 = "tcc.constant"() {value = dense<[10, 7]> : tensor<2xi8>} : () -> tensor<2xi8>
  %r75 = "tcc.and"(%c73, %c74) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  // CHECK: output 24: 2xi8 = 8 7{{$}}
  %c76 = "tcc.constant"() {value = dense<[true, true, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %c77 = "tcc.constant"() {value = dense<[true, false, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %r78 = "tcc.and"(%c76, %c77) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  // CHECK: output 25: 3xi1 = 1 0 0{{$}}
  %c79 = "tcc.constant"() {value = dense<[12, -1]> : tensor<2xi8>} : () -> tensor<2xi8>
  %c80 = "tcc.constant"() {value = dense<[10, 7]> : tensor<2xi8>} : () -> tensor<2xi8>
  %r81 = "tcc.or"(%c79, %c80) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  // CHECK: output 26: 2xi8 = 14 -1{{$}}
  %c82 = "tcc.constant"() {value = dense<[true, true, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %c83 = "tcc.constant"() {value = dense<[true, false, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %r84 = "tcc.or"(%c82, %c83) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  // CHECK: output 27: 3xi1 = 1 1 0{{$}}
  %c85 = "tcc.constant"() {value = dense<[12, -1]> : tensor<2xi8>} : () -> tensor<2xi8>
  %c86 = "tcc.constant"() {value = dense<[10, 7]> : tensor<2xi8>} : () -> tensor<2xi8>
  %r87 = "tcc.xor"(%c85, %c86) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  // CHECK: output 28: 2xi8 = 6 -8{{$}}
  %c88 = "tcc.constant"() {value = dense<[true, true, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %c89 = "tcc.constant"() {value = dense<[true, false, false]> : tensor<3xi1>} : () -> tensor<3xi1>
  %r90 = "tcc.xor"(%c88, %c89) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  // CHECK: output 29: 3xi1 = 0 1 0{{$}}
  %c91 = "tcc.constant"() {value = dense<[1, 3, 255]> : tensor<3xui8>} : () -> tensor<3xui8>
  %c92 = "tcc.constant"() {value = dense<[3, 7, 8]> : tensor<3xui8>} : () -> tensor<3xui8>
  %r93 = "tcc.shift_left"(%c91, %c92) : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  // CHECK: output 30: 3xui8 = 8 128 0{{$}}
  %c94 = "tcc.constant"() {value = dense<[-128, -1, 64]> : tensor<3xi8>} : () -> tensor<3xi8>
  %c95 = "tcc.constant"() {value = dense<[3, 8, 2]> : tensor<3xi8>} : () -> tensor<3xi8>
  %r96 = "tcc.shift_right"(%c94, %c95) : (tensor<3xi8>, tensor<3xi8>) -> tensor<3xi8>
  // CHECK: output 31: 3xi8 = -16 -1 16{{$}}
  %c97 = "tcc.constant"() {value = dense<[128, 255]> : tensor<2xui8>} : () -> tensor<2xui8>
  %c98 = "tcc.constant"() {value = dense<[3, 8]> : tensor<2xui8>} : () -> tensor<2xui8>
  %r99 = "tcc.shift_right"(%c97, %c98) : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  // CHECK: output 32: 2xui8 = 16 0{{$}}
  %c100 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c101 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r102 = "tcc.compare"(%c100, %c101) {predicate = "eq"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 33: 4xi1 = 0 1 0 0{{$}}
  %c103 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c104 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r105 = "tcc.compare"(%c103, %c104) {predicate = "ne"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 34: 4xi1 = 1 0 1 1{{$}}
  %c106 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c107 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r108 = "tcc.compare"(%c106, %c107) {predicate = "lt"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 35: 4xi1 = 1 0 0 0{{$}}
  %c109 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c110 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r111 = "tcc.compare"(%c109, %c110) {predicate = "le"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 36: 4xi1 = 1 1 0 0{{$}}
  %c112 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c113 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r114 = "tcc.compare"(%c112, %c113) {predicate = "gt"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 37: 4xi1 = 0 0 1 0{{$}}
  %c115 = "tcc.constant"() {value = dense<[1.0, 2.0, 3.0, 0x7FC00000]> : tensor<4xf32>} : () -> tensor<4xf32>
  %c116 = "tcc.constant"() {value = dense<[2.0, 2.0, 2.0, 1.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %r117 = "tcc.compare"(%c115, %c116) {predicate = "ge"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK: output 38: 4xi1 = 0 1 1 0{{$}}
  %c118 = "tcc.constant"() {value = dense<[[true], [false]]> : tensor<2x1xi1>} : () -> tensor<2x1xi1>
  %c119 = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %c120 = "tcc.constant"() {value = dense<9.0> : tensor<f32>} : () -> tensor<f32>
  %r121 = "tcc.select"(%c118, %c119, %c120) : (tensor<2x1xi1>, tensor<2xf32>, tensor<f32>) -> tensor<2x2xf32>
  // CHECK: output 39: 2x2xf32 = 1 2 9 9{{$}}
  return %r3, %r6, %r9, %r12, %r15, %r18, %r21, %r24, %r27, %r30, %r33, %r36, %r39, %r42, %r45, %r48, %r51, %r54, %r57, %r60, %r63, %r66, %r69, %r72, %r75, %r78, %r81, %r84, %r87, %r90, %r93, %r96, %r99, %r102, %r105, %r108, %r111, %r114, %r117, %r121 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<4xi8>, tensor<1xui8>, tensor<2xui64>, tensor<2xui64>, tensor<2xui64>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xi8>, tensor<3xi1>, tensor<2xi8>, tensor<3xi1>, tensor<2xi8>, tensor<3xi1>, tensor<3xui8>, tensor<3xi8>, tensor<2xui8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2x2xf32>
}
