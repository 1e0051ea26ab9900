// RUN: tcc-interp %s | FileCheck %s

// The known answers of Philox4x32-10: key and counter of zeros; then words that tcc/random.h gives: an index is 64 bits without a sign.
func.func @main() -> (tensor<4xui32>, tensor<4xui32>, tensor<2x2xui32>) {
  %zero = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %index = "tcc.constant"() {value = dense<[0, 1, 2, 3]> : tensor<4xi64>} : () -> tensor<4xi64>
  %r0 = "tcc.random"(%index, %zero, %zero) : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xui32>
  // CHECK: output 0: 4xui32 = 1713891541 3781805453 3159862348 2600524760{{$}}
  %seed = "tcc.constant"() {value = dense<2999098461131122850> : tensor<i64>} : () -> tensor<i64>
  %far = "tcc.constant"() {value = dense<[-4, -3, -2, -1]> : tensor<4xi64>} : () -> tensor<4xi64>
  %r1 = "tcc.random"(%far, %seed, %zero) : (tensor<4xi64>, tensor<i64>, tensor<i64>) -> tensor<4xui32>
  // CHECK: output 1: 4xui32 = 3170519622 4282331837 3846793217 3676394899{{$}}
  %offsets = "tcc.constant"() {value = dense<[[0], [-1]]> : tensor<2x1xi64>} : () -> tensor<2x1xi64>
  %two = "tcc.constant"() {value = dense<[4, 4611686018427387907]> : tensor<2xi64>} : () -> tensor<2xi64>
  %r2 = "tcc.random"(%two, %seed, %offsets) : (tensor<2xi64>, tensor<i64>, tensor<2x1xi64>) -> tensor<2x2xui32>
  // CHECK: output 2: 2x2xui32 = 264580789 3984191770 892804126 769027031{{$}}
  return %r0, %r1, %r2 : tensor<4xui32>, tensor<4xui32>, tensor<2x2xui32>
}
