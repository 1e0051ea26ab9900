// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --target=x86,avx2 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --threads=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: tcc-run %s --random --dim=N=1 --profile | FileCheck %s
// REQUIRES: avx2

// Convolutions on blocked channels against the reference target, which has plain ones: a first layer, channels that fill no
// block, strides, dilations, uneven padding, one channel a group and wide groups, weights beyond the second cache, images of
// one pixel, residuals, pools, concatenation, rows that three threads share unevenly, and values that are read both blocked and plain.
// CHECK-COUNT-14: x86.conv
// CHECK-NOT: {{reference|loops}}
func.func @main(%a: tensor<?x3x19x21xf32, ["N", 3, 19, 21]>, %b: tensor<2x40x13x9xf32>, %c: tensor<1x72x7x7xf32>) -> (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>, tensor<2x33x12x4xf32>, tensor<2x33x6x1xf32>, tensor<2x96x4x3xf32>, tensor<2x4x3x192xf32>, tensor<1x272x7x7xf32>, tensor<1x1x7x7xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<648xf32>
  %2 = "tcc.sin"(%1) : (tensor<648xf32>) -> tensor<648xf32>
  %3 = "tcc.reshape"(%2) : (tensor<648xf32>) -> tensor<24x3x3x3xf32>
  %4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %5 = "tcc.sin"(%4) : (tensor<24xf32>) -> tensor<24xf32>
  %6 = "tcc.reshape"(%5) : (tensor<24xf32>) -> tensor<24xf32>
  %7 = "tcc.conv"(%a, %3, %6) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x19x21xf32, ["N", 3, 19, 21]>, tensor<24x3x3x3xf32>, tensor<24xf32>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %8 = "tcc.hard_swish"(%7) : (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %9 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<216xf32>
  %10 = "tcc.sin"(%9) : (tensor<216xf32>) -> tensor<216xf32>
  %11 = "tcc.reshape"(%10) : (tensor<216xf32>) -> tensor<24x1x3x3xf32>
  %12 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %13 = "tcc.sin"(%12) : (tensor<24xf32>) -> tensor<24xf32>
  %14 = "tcc.reshape"(%13) : (tensor<24xf32>) -> tensor<24xf32>
  %15 = "tcc.conv"(%8, %11, %14) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>, tensor<24x1x3x3xf32>, tensor<24xf32>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %16 = "tcc.relu"(%15) : (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %17 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<960xf32>
  %18 = "tcc.sin"(%17) : (tensor<960xf32>) -> tensor<960xf32>
  %19 = "tcc.reshape"(%18) : (tensor<960xf32>) -> tensor<40x24x1x1xf32>
  %20 = "tcc.none"() : () -> none
  %21 = "tcc.conv"(%16, %19, %20) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>, tensor<40x24x1x1xf32>, none) -> tensor<?x40x9x11xf32, ["N", 40, 9, 11]>
  %22 = "tcc.mean"(%21) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<?x40x9x11xf32, ["N", 40, 9, 11]>) -> tensor<?x40x1x1xf32, ["N", 40, 1, 1]>
  %23 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<320xf32>
  %24 = "tcc.sin"(%23) : (tensor<320xf32>) -> tensor<320xf32>
  %25 = "tcc.reshape"(%24) : (tensor<320xf32>) -> tensor<8x40x1x1xf32>
  %26 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8xf32>
  %27 = "tcc.sin"(%26) : (tensor<8xf32>) -> tensor<8xf32>
  %28 = "tcc.reshape"(%27) : (tensor<8xf32>) -> tensor<8xf32>
  %29 = "tcc.conv"(%22, %25, %28) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x1x1xf32, ["N", 40, 1, 1]>, tensor<8x40x1x1xf32>, tensor<8xf32>) -> tensor<?x8x1x1xf32, ["N", 8, 1, 1]>
  %30 = "tcc.relu"(%29) : (tensor<?x8x1x1xf32, ["N", 8, 1, 1]>) -> tensor<?x8x1x1xf32, ["N", 8, 1, 1]>
  %31 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<320xf32>
  %32 = "tcc.sin"(%31) : (tensor<320xf32>) -> tensor<320xf32>
  %33 = "tcc.reshape"(%32) : (tensor<320xf32>) -> tensor<40x8x1x1xf32>
  %34 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %35 = "tcc.sin"(%34) : (tensor<40xf32>) -> tensor<40xf32>
  %36 = "tcc.reshape"(%35) : (tensor<40xf32>) -> tensor<40xf32>
  %37 = "tcc.conv"(%30, %33, %36) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x8x1x1xf32, ["N", 8, 1, 1]>, tensor<40x8x1x1xf32>, tensor<40xf32>) -> tensor<?x40x1x1xf32, ["N", 40, 1, 1]>
  %38 = "tcc.hard_sigmoid"(%37) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<?x40x1x1xf32, ["N", 40, 1, 1]>) -> tensor<?x40x1x1xf32, ["N", 40, 1, 1]>
  %39 = "tcc.mul"(%21, %38) : (tensor<?x40x9x11xf32, ["N", 40, 9, 11]>, tensor<?x40x1x1xf32, ["N", 40, 1, 1]>) -> tensor<?x40x9x11xf32, ["N", 40, 9, 11]>
  %40 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<960xf32>
  %41 = "tcc.sin"(%40) : (tensor<960xf32>) -> tensor<960xf32>
  %42 = "tcc.reshape"(%41) : (tensor<960xf32>) -> tensor<24x40x1x1xf32>
  %43 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %44 = "tcc.sin"(%43) : (tensor<24xf32>) -> tensor<24xf32>
  %45 = "tcc.reshape"(%44) : (tensor<24xf32>) -> tensor<24xf32>
  %46 = "tcc.conv"(%39, %42, %45) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x9x11xf32, ["N", 40, 9, 11]>, tensor<24x40x1x1xf32>, tensor<24xf32>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %47 = "tcc.add"(%46, %16) : (tensor<?x24x9x11xf32, ["N", 24, 9, 11]>, tensor<?x24x9x11xf32, ["N", 24, 9, 11]>) -> tensor<?x24x9x11xf32, ["N", 24, 9, 11]>
  %48 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<19800xf32>
  %49 = "tcc.sin"(%48) : (tensor<19800xf32>) -> tensor<19800xf32>
  %50 = "tcc.reshape"(%49) : (tensor<19800xf32>) -> tensor<33x40x3x5xf32>
  %51 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33xf32>
  %52 = "tcc.sin"(%51) : (tensor<33xf32>) -> tensor<33xf32>
  %53 = "tcc.reshape"(%52) : (tensor<33xf32>) -> tensor<33xf32>
  %54 = "tcc.conv"(%b, %50, %53) {strides = array<i64: 1, 2>, pads = array<i64: 2, 0, 1, 3>, dilations = array<i64: 2, 1>, groups = 1 : i64} : (tensor<2x40x13x9xf32>, tensor<33x40x3x5xf32>, tensor<33xf32>) -> tensor<2x33x12x4xf32>
  %55 = "tcc.abs"(%54) : (tensor<2x33x12x4xf32>) -> tensor<2x33x12x4xf32>
  %56 = "tcc.neg"(%55) : (tensor<2x33x12x4xf32>) -> tensor<2x33x12x4xf32>
  %57 = "tcc.exp"(%56) : (tensor<2x33x12x4xf32>) -> tensor<2x33x12x4xf32>
  %58 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<825xf32>
  %59 = "tcc.sin"(%58) : (tensor<825xf32>) -> tensor<825xf32>
  %60 = "tcc.reshape"(%59) : (tensor<825xf32>) -> tensor<33x1x5x5xf32>
  %61 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33xf32>
  %62 = "tcc.sin"(%61) : (tensor<33xf32>) -> tensor<33xf32>
  %63 = "tcc.reshape"(%62) : (tensor<33xf32>) -> tensor<33xf32>
  %64 = "tcc.conv"(%57, %60, %63) {strides = array<i64: 2, 1>, pads = array<i64: 2, 3, 2, 2>, dilations = array<i64: 1, 2>, groups = 33 : i64} : (tensor<2x33x12x4xf32>, tensor<33x1x5x5xf32>, tensor<33xf32>) -> tensor<2x33x6x1xf32>
  %65 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2560xf32>
  %66 = "tcc.sin"(%65) : (tensor<2560xf32>) -> tensor<2560xf32>
  %67 = "tcc.reshape"(%66) : (tensor<2560xf32>) -> tensor<64x40x1x1xf32>
  %68 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %69 = "tcc.sin"(%68) : (tensor<64xf32>) -> tensor<64xf32>
  %70 = "tcc.reshape"(%69) : (tensor<64xf32>) -> tensor<64xf32>
  %71 = "tcc.conv"(%b, %67, %70) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x40x13x9xf32>, tensor<64x40x1x1xf32>, tensor<64xf32>) -> tensor<2x64x7x5xf32>
  %72 = "tcc.pool"(%71) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x64x7x5xf32>) -> tensor<2x64x4x3xf32>
  %73 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xf32>
  %74 = "tcc.sin"(%73) : (tensor<36864xf32>) -> tensor<36864xf32>
  %75 = "tcc.reshape"(%74) : (tensor<36864xf32>) -> tensor<128x32x3x3xf32>
  %76 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %77 = "tcc.sin"(%76) : (tensor<128xf32>) -> tensor<128xf32>
  %78 = "tcc.reshape"(%77) : (tensor<128xf32>) -> tensor<128xf32>
  %79 = "tcc.conv"(%72, %75, %78) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<2x64x4x3xf32>, tensor<128x32x3x3xf32>, tensor<128xf32>) -> tensor<2x128x4x3xf32>
  %80 = "tcc.concat"(%72, %79) {axis = 1 : i64} : (tensor<2x64x4x3xf32>, tensor<2x128x4x3xf32>) -> tensor<2x192x4x3xf32>
  %81 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<73728xf32>
  %82 = "tcc.sin"(%81) : (tensor<73728xf32>) -> tensor<73728xf32>
  %83 = "tcc.reshape"(%82) : (tensor<73728xf32>) -> tensor<96x192x2x2xf32>
  %84 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xf32>
  %85 = "tcc.sin"(%84) : (tensor<96xf32>) -> tensor<96xf32>
  %86 = "tcc.reshape"(%85) : (tensor<96xf32>) -> tensor<96xf32>
  %87 = "tcc.conv"(%80, %83, %86) {strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 0, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x192x4x3xf32>, tensor<96x192x2x2xf32>, tensor<96xf32>) -> tensor<2x96x4x3xf32>
  %88 = "tcc.transpose"(%80) {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x192x4x3xf32>) -> tensor<2x4x3x192xf32>
  %89 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<171072xf32>
  %90 = "tcc.sin"(%89) : (tensor<171072xf32>) -> tensor<171072xf32>
  %91 = "tcc.reshape"(%90) : (tensor<171072xf32>) -> tensor<264x72x3x3xf32>
  %92 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<264xf32>
  %93 = "tcc.sin"(%92) : (tensor<264xf32>) -> tensor<264xf32>
  %94 = "tcc.reshape"(%93) : (tensor<264xf32>) -> tensor<264xf32>
  %95 = "tcc.conv"(%c, %91, %94) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x72x7x7xf32>, tensor<264x72x3x3xf32>, tensor<264xf32>) -> tensor<1x264x7x7xf32>
  %96 = "tcc.relu"(%95) : (tensor<1x264x7x7xf32>) -> tensor<1x264x7x7xf32>
  %97 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<646272xf32>
  %98 = "tcc.sin"(%97) : (tensor<646272xf32>) -> tensor<646272xf32>
  %99 = "tcc.reshape"(%98) : (tensor<646272xf32>) -> tensor<272x264x3x3xf32>
  %100 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<272xf32>
  %101 = "tcc.sin"(%100) : (tensor<272xf32>) -> tensor<272xf32>
  %102 = "tcc.reshape"(%101) : (tensor<272xf32>) -> tensor<272xf32>
  %103 = "tcc.conv"(%96, %99, %102) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x264x7x7xf32>, tensor<272x264x3x3xf32>, tensor<272xf32>) -> tensor<1x272x7x7xf32>
  %104 = "tcc.add"(%103, %103) : (tensor<1x272x7x7xf32>, tensor<1x272x7x7xf32>) -> tensor<1x272x7x7xf32>
  %105 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<72xf32>
  %106 = "tcc.sin"(%105) : (tensor<72xf32>) -> tensor<72xf32>
  %107 = "tcc.reshape"(%106) : (tensor<72xf32>) -> tensor<1x72x1x1xf32>
  %108 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1xf32>
  %109 = "tcc.sin"(%108) : (tensor<1xf32>) -> tensor<1xf32>
  %110 = "tcc.reshape"(%109) : (tensor<1xf32>) -> tensor<1xf32>
  %111 = "tcc.conv"(%c, %107, %110) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x72x7x7xf32>, tensor<1x72x1x1xf32>, tensor<1xf32>) -> tensor<1x1x7x7xf32>
  return %47, %57, %64, %87, %88, %104, %111 : tensor<?x24x9x11xf32, ["N", 24, 9, 11]>, tensor<2x33x12x4xf32>, tensor<2x33x6x1xf32>, tensor<2x96x4x3xf32>, tensor<2x4x3x192xf32>, tensor<1x272x7x7xf32>, tensor<1x1x7x7xf32>
}
