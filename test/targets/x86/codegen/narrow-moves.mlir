// Elements of less than a byte, written: in blocks where rows begin with a byte, one at a time by one thread where two rows share one. As results
// of products and reductions they are kernels of their own.
// RUN: split-file %s %t
// REQUIRES: avx2
// RUN: tcc-run %t/i4.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/i4.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui2.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui2.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f4e2m1fn.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f4e2m1fn.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/after.mlir --no-cache --target=x86 --compare=interp --rtol=1e-6 --atol=1e-6
// RUN: tcc-run %t/after.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=1e-6 --atol=1e-6

//--- i4.mlir
func.func @main() -> (tensor<5x7x3xi4>, tensor<3x5x7xi4>, tensor<5x14x3xi4>, tensor<2x3x2xi4>, tensor<15x7xi32>, tensor<6x8xi4>, tensor<8x6xi4>, tensor<4x9xi4>, tensor<70001xi4>, tensor<3x7x3xi4>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<105xi64>
  %1 = "tcc.reshape"(%0) : (tensor<105xi64>) -> tensor<5x7x3xi64>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<5x7x3xi64>) -> tensor<5x7x3xi4>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 2, 0, 1>} : (tensor<5x7x3xi4>) -> tensor<3x5x7xi4>
  %4 = "tcc.concat"(%2, %2) {axis = 1 : i64} : (tensor<5x7x3xi4>, tensor<5x7x3xi4>) -> tensor<5x14x3xi4>
  %5 = "tcc.slice"(%2) {starts = ["1", "2", "1"], steps = array<i64: 2, 2, 1>} : (tensor<5x7x3xi4>) -> tensor<2x3x2xi4>
  %6 = "tcc.reshape"(%1) : (tensor<5x7x3xi64>) -> tensor<15x7xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<15x7xi64>) -> tensor<15x7xi4>
  %8 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xi4>) -> tensor<15x7xi32>
  %9 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xi4>) -> tensor<15x7xi32>
  %10 = "tcc.add"(%8, %9) : (tensor<15x7xi32>, tensor<15x7xi32>) -> tensor<15x7xi32>
  %11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6x8xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<6x8xi64>) -> tensor<6x8xi4>
  %13 = "tcc.transpose"(%12) {perm = array<i64: 1, 0>} : (tensor<6x8xi4>) -> tensor<8x6xi4>
  %14 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x1xi64>
  %15 = "tcc.convert"(%14) {saturate = true} : (tensor<4x1xi64>) -> tensor<4x1xi4>
  %16 = "tcc.broadcast"(%15) : (tensor<4x1xi4>) -> tensor<4x9xi4>
  %17 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<70001xi64>
  %18 = "tcc.reshape"(%17) : (tensor<70001xi64>) -> tensor<70001xi64>
  %19 = "tcc.convert"(%18) {saturate = true} : (tensor<70001xi64>) -> tensor<70001xi4>
  %20 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.constant"() {value = dense<[0, 4, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %22 = "tcc.gather"(%2, %21) {axis = 0 : i64} : (tensor<5x7x3xi4>, tensor<3xi64>) -> tensor<3x7x3xi4>
  return %2, %3, %4, %5, %10, %12, %13, %16, %19, %22 : tensor<5x7x3xi4>, tensor<3x5x7xi4>, tensor<5x14x3xi4>, tensor<2x3x2xi4>, tensor<15x7xi32>, tensor<6x8xi4>, tensor<8x6xi4>, tensor<4x9xi4>, tensor<70001xi4>, tensor<3x7x3xi4>
}

//--- ui2.mlir
func.func @main() -> (tensor<5x7x3xui2>, tensor<3x5x7xui2>, tensor<5x14x3xui2>, tensor<2x3x2xui2>, tensor<15x7xi32>, tensor<6x8xui2>, tensor<8x6xui2>, tensor<4x9xui2>, tensor<70001xui2>, tensor<3x7x3xui2>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<105xi64>
  %1 = "tcc.reshape"(%0) : (tensor<105xi64>) -> tensor<5x7x3xi64>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<5x7x3xi64>) -> tensor<5x7x3xui2>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 2, 0, 1>} : (tensor<5x7x3xui2>) -> tensor<3x5x7xui2>
  %4 = "tcc.concat"(%2, %2) {axis = 1 : i64} : (tensor<5x7x3xui2>, tensor<5x7x3xui2>) -> tensor<5x14x3xui2>
  %5 = "tcc.slice"(%2) {starts = ["1", "2", "1"], steps = array<i64: 2, 2, 1>} : (tensor<5x7x3xui2>) -> tensor<2x3x2xui2>
  %6 = "tcc.reshape"(%1) : (tensor<5x7x3xi64>) -> tensor<15x7xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<15x7xi64>) -> tensor<15x7xui2>
  %8 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xui2>) -> tensor<15x7xi32>
  %9 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xui2>) -> tensor<15x7xi32>
  %10 = "tcc.add"(%8, %9) : (tensor<15x7xi32>, tensor<15x7xi32>) -> tensor<15x7xi32>
  %11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6x8xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<6x8xi64>) -> tensor<6x8xui2>
  %13 = "tcc.transpose"(%12) {perm = array<i64: 1, 0>} : (tensor<6x8xui2>) -> tensor<8x6xui2>
  %14 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x1xi64>
  %15 = "tcc.convert"(%14) {saturate = true} : (tensor<4x1xi64>) -> tensor<4x1xui2>
  %16 = "tcc.broadcast"(%15) : (tensor<4x1xui2>) -> tensor<4x9xui2>
  %17 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<70001xi64>
  %18 = "tcc.reshape"(%17) : (tensor<70001xi64>) -> tensor<70001xi64>
  %19 = "tcc.convert"(%18) {saturate = true} : (tensor<70001xi64>) -> tensor<70001xui2>
  %20 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.constant"() {value = dense<[0, 4, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %22 = "tcc.gather"(%2, %21) {axis = 0 : i64} : (tensor<5x7x3xui2>, tensor<3xi64>) -> tensor<3x7x3xui2>
  return %2, %3, %4, %5, %10, %12, %13, %16, %19, %22 : tensor<5x7x3xui2>, tensor<3x5x7xui2>, tensor<5x14x3xui2>, tensor<2x3x2xui2>, tensor<15x7xi32>, tensor<6x8xui2>, tensor<8x6xui2>, tensor<4x9xui2>, tensor<70001xui2>, tensor<3x7x3xui2>
}

//--- f4e2m1fn.mlir
func.func @main() -> (tensor<5x7x3xf4E2M1FN>, tensor<3x5x7xf4E2M1FN>, tensor<5x14x3xf4E2M1FN>, tensor<2x3x2xf4E2M1FN>, tensor<15x7xi32>, tensor<6x8xf4E2M1FN>, tensor<8x6xf4E2M1FN>, tensor<4x9xf4E2M1FN>, tensor<70001xf4E2M1FN>, tensor<3x7x3xf4E2M1FN>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<105xi64>
  %1 = "tcc.reshape"(%0) : (tensor<105xi64>) -> tensor<5x7x3xi64>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<5x7x3xi64>) -> tensor<5x7x3xf4E2M1FN>
  %3 = "tcc.transpose"(%2) {perm = array<i64: 2, 0, 1>} : (tensor<5x7x3xf4E2M1FN>) -> tensor<3x5x7xf4E2M1FN>
  %4 = "tcc.concat"(%2, %2) {axis = 1 : i64} : (tensor<5x7x3xf4E2M1FN>, tensor<5x7x3xf4E2M1FN>) -> tensor<5x14x3xf4E2M1FN>
  %5 = "tcc.slice"(%2) {starts = ["1", "2", "1"], steps = array<i64: 2, 2, 1>} : (tensor<5x7x3xf4E2M1FN>) -> tensor<2x3x2xf4E2M1FN>
  %6 = "tcc.reshape"(%1) : (tensor<5x7x3xi64>) -> tensor<15x7xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<15x7xi64>) -> tensor<15x7xf4E2M1FN>
  %8 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xf4E2M1FN>) -> tensor<15x7xi32>
  %9 = "tcc.convert"(%7) {saturate = true} : (tensor<15x7xf4E2M1FN>) -> tensor<15x7xi32>
  %10 = "tcc.add"(%8, %9) : (tensor<15x7xi32>, tensor<15x7xi32>) -> tensor<15x7xi32>
  %11 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6x8xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<6x8xi64>) -> tensor<6x8xf4E2M1FN>
  %13 = "tcc.transpose"(%12) {perm = array<i64: 1, 0>} : (tensor<6x8xf4E2M1FN>) -> tensor<8x6xf4E2M1FN>
  %14 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x1xi64>
  %15 = "tcc.convert"(%14) {saturate = true} : (tensor<4x1xi64>) -> tensor<4x1xf4E2M1FN>
  %16 = "tcc.broadcast"(%15) : (tensor<4x1xf4E2M1FN>) -> tensor<4x9xf4E2M1FN>
  %17 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<70001xi64>
  %18 = "tcc.reshape"(%17) : (tensor<70001xi64>) -> tensor<70001xi64>
  %19 = "tcc.convert"(%18) {saturate = true} : (tensor<70001xi64>) -> tensor<70001xf4E2M1FN>
  %20 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.constant"() {value = dense<[0, 4, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %22 = "tcc.gather"(%2, %21) {axis = 0 : i64} : (tensor<5x7x3xf4E2M1FN>, tensor<3xi64>) -> tensor<3x7x3xf4E2M1FN>
  return %2, %3, %4, %5, %10, %12, %13, %16, %19, %22 : tensor<5x7x3xf4E2M1FN>, tensor<3x5x7xf4E2M1FN>, tensor<5x14x3xf4E2M1FN>, tensor<2x3x2xf4E2M1FN>, tensor<15x7xi32>, tensor<6x8xf4E2M1FN>, tensor<8x6xf4E2M1FN>, tensor<4x9xf4E2M1FN>, tensor<70001xf4E2M1FN>, tensor<3x7x3xf4E2M1FN>
}

//--- after.mlir
func.func @main() -> (tensor<33x50xi4>, tensor<40x50xi4>, tensor<33x50xf32>, tensor<1x50xf32>, tensor<33x40xi4>, tensor<33x40xf32>, tensor<33xi4>, tensor<50xi4>) {
  %0 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<33x40xi64>
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33x40xi64>
  %2 = "tcc.sub"(%0, %1) : (tensor<33x40xi64>, tensor<33x40xi64>) -> tensor<33x40xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<33x40xi64>) -> tensor<33x40xf32>
  %4 = "tcc.constant"() {value = dense<0.0625> : tensor<f32>} : () -> tensor<f32>
  %5 = "tcc.mul"(%3, %4) : (tensor<33x40xf32>, tensor<f32>) -> tensor<33x40xf32>
  %6 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<40x50xi64>
  %7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40x50xi64>
  %8 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %9 = "tcc.mul"(%7, %8) : (tensor<40x50xi64>, tensor<i64>) -> tensor<40x50xi64>
  %10 = "tcc.sub"(%6, %9) : (tensor<40x50xi64>, tensor<40x50xi64>) -> tensor<40x50xi64>
  %11 = "tcc.convert"(%10) {saturate = true} : (tensor<40x50xi64>) -> tensor<40x50xf32>
  %12 = "tcc.constant"() {value = dense<0.0625> : tensor<f32>} : () -> tensor<f32>
  %13 = "tcc.mul"(%11, %12) : (tensor<40x50xf32>, tensor<f32>) -> tensor<40x50xf32>
  %14 = "tcc.matmul"(%5, %13) : (tensor<33x40xf32>, tensor<40x50xf32>) -> tensor<33x50xf32>
  %15 = "tcc.convert"(%14) {saturate = true} : (tensor<33x50xf32>) -> tensor<33x50xi4>
  %16 = "tcc.convert"(%13) {saturate = true} : (tensor<40x50xf32>) -> tensor<40x50xi4>
  %17 = "tcc.convert"(%16) {saturate = true} : (tensor<40x50xi4>) -> tensor<40x50xf32>
  %18 = "tcc.matmul"(%5, %17) : (tensor<33x40xf32>, tensor<40x50xf32>) -> tensor<33x50xf32>
  %19 = "tcc.slice"(%5) {starts = ["0", "0"], steps = array<i64: 1, 1>} : (tensor<33x40xf32>) -> tensor<1x40xf32>
  %20 = "tcc.convert"(%16) {saturate = true} : (tensor<40x50xi4>) -> tensor<40x50xf32>
  %21 = "tcc.matmul"(%19, %20) : (tensor<1x40xf32>, tensor<40x50xf32>) -> tensor<1x50xf32>
  %22 = "tcc.softmax"(%5) {axis = 1 : i64} : (tensor<33x40xf32>) -> tensor<33x40xf32>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<33x40xf32>) -> tensor<33x40xi4>
  %24 = "tcc.reduce"(%5) {axes = array<i64: 1>, keepdims = false, kind = "sum"} : (tensor<33x40xf32>) -> tensor<33xf32>
  %25 = "tcc.convert"(%24) {saturate = true} : (tensor<33xf32>) -> tensor<33xi4>
  %26 = "tcc.convert"(%16) {saturate = true} : (tensor<40x50xi4>) -> tensor<40x50xf32>
  %27 = "tcc.reduce"(%26) {axes = array<i64: 0>, keepdims = false, kind = "sum"} : (tensor<40x50xf32>) -> tensor<50xf32>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<50xf32>) -> tensor<50xi4>
  return %15, %16, %18, %21, %23, %22, %25, %28 : tensor<33x50xi4>, tensor<40x50xi4>, tensor<33x50xf32>, tensor<1x50xf32>, tensor<33x40xi4>, tensor<33x40xf32>, tensor<33xi4>, tensor<50xi4>
}
