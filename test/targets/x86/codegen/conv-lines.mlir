// RUN: tcc-compile %s -o %t.so && tcc-compile %s --target=x86,avx2 -o %t.avx2.so
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=W=1 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=1 --dim=W=1 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=1 --dim=W=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=2 --dim=W=37 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=2 --dim=W=37 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=2 --dim=W=37 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=W=1601 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=1 --dim=W=1601 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=1 --dim=W=1601 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: tcc-run %t.so --random --dim=N=1 --dim=W=200 --profile | FileCheck %s
// REQUIRES: avx2

// Convolutions along one axis and those of an image with one column on blocked channels, those into few channels sixteen results at a
// time; pools, means and values of each channel between them.
// CHECK-COUNT-7: {{x86.conv .*conv_blocked}}
// CHECK-NOT: {{reference|loops}}
func.func @main(%a: tensor<?x1x?xf32, ["N", 1, "W"]>) -> (tensor<?x1x?xf32>, tensor<?x3x?xf32>, tensor<?x64x?xf32>, tensor<?x64x1xf32>, tensor<?x96x?x1xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<28xf32>
  %2 = "tcc.sin"(%1) : (tensor<28xf32>) -> tensor<28xf32>
  %3 = "tcc.constant"() {value = dense<0.2834733547569204> : tensor<f32>} : () -> tensor<f32>
  %4 = "tcc.mul"(%2, %3) : (tensor<28xf32>, tensor<f32>) -> tensor<28xf32>
  %5 = "tcc.reshape"(%4) : (tensor<28xf32>) -> tensor<1x1x28xf32>
  %6 = "tcc.none"() : () -> none
  %7 = "tcc.conv"(%a, %5, %6) {strides = array<i64: 2>, pads = array<i64: 13, 15>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x1x?xf32, ["N", 1, "W"]>, tensor<1x1x28xf32>, none) -> tensor<?x1x?xf32>
  %8 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<27xf32>
  %9 = "tcc.sin"(%8) : (tensor<27xf32>) -> tensor<27xf32>
  %10 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<27xf32>, tensor<f32>) -> tensor<27xf32>
  %12 = "tcc.reshape"(%11) : (tensor<27xf32>) -> tensor<3x1x9xf32>
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3xf32>
  %14 = "tcc.sin"(%13) : (tensor<3xf32>) -> tensor<3xf32>
  %15 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %16 = "tcc.mul"(%14, %15) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %17 = "tcc.reshape"(%16) : (tensor<3xf32>) -> tensor<3xf32>
  %18 = "tcc.conv"(%a, %12, %17) {strides = array<i64: 3>, pads = array<i64: 4, 5>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x1x?xf32, ["N", 1, "W"]>, tensor<3x1x9xf32>, tensor<3xf32>) -> tensor<?x3x?xf32>
  %19 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<900xf32>
  %20 = "tcc.sin"(%19) : (tensor<900xf32>) -> tensor<900xf32>
  %21 = "tcc.constant"() {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %22 = "tcc.mul"(%20, %21) : (tensor<900xf32>, tensor<f32>) -> tensor<900xf32>
  %23 = "tcc.reshape"(%22) : (tensor<900xf32>) -> tensor<36x1x25xf32>
  %24 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36xf32>
  %25 = "tcc.sin"(%24) : (tensor<36xf32>) -> tensor<36xf32>
  %26 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %27 = "tcc.mul"(%25, %26) : (tensor<36xf32>, tensor<f32>) -> tensor<36xf32>
  %28 = "tcc.reshape"(%27) : (tensor<36xf32>) -> tensor<36xf32>
  %29 = "tcc.conv"(%a, %23, %28) {strides = array<i64: 5>, pads = array<i64: 12, 12>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x1x?xf32, ["N", 1, "W"]>, tensor<36x1x25xf32>, tensor<36xf32>) -> tensor<?x36x?xf32>
  %30 = "tcc.relu"(%29) : (tensor<?x36x?xf32>) -> tensor<?x36x?xf32>
  %31 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4320xf32>
  %32 = "tcc.sin"(%31) : (tensor<4320xf32>) -> tensor<4320xf32>
  %33 = "tcc.constant"() {value = dense<0.14433756729740643> : tensor<f32>} : () -> tensor<f32>
  %34 = "tcc.mul"(%32, %33) : (tensor<4320xf32>, tensor<f32>) -> tensor<4320xf32>
  %35 = "tcc.reshape"(%34) : (tensor<4320xf32>) -> tensor<40x36x3xf32>
  %36 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %37 = "tcc.sin"(%36) : (tensor<40xf32>) -> tensor<40xf32>
  %38 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %39 = "tcc.mul"(%37, %38) : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  %40 = "tcc.reshape"(%39) : (tensor<40xf32>) -> tensor<40xf32>
  %41 = "tcc.conv"(%30, %35, %40) {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x36x?xf32>, tensor<40x36x3xf32>, tensor<40xf32>) -> tensor<?x40x?xf32>
  %42 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %43 = "tcc.sin"(%42) : (tensor<40xf32>) -> tensor<40xf32>
  %44 = "tcc.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %45 = "tcc.mul"(%43, %44) : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  %46 = "tcc.reshape"(%45) : (tensor<40xf32>) -> tensor<40x1xf32>
  %47 = "tcc.add"(%41, %46) : (tensor<?x40x?xf32>, tensor<40x1xf32>) -> tensor<?x40x?xf32>
  %48 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<200xf32>
  %49 = "tcc.sin"(%48) : (tensor<200xf32>) -> tensor<200xf32>
  %50 = "tcc.constant"() {value = dense<0.6708203932499369> : tensor<f32>} : () -> tensor<f32>
  %51 = "tcc.mul"(%49, %50) : (tensor<200xf32>, tensor<f32>) -> tensor<200xf32>
  %52 = "tcc.reshape"(%51) : (tensor<200xf32>) -> tensor<40x1x5xf32>
  %53 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %54 = "tcc.sin"(%53) : (tensor<40xf32>) -> tensor<40xf32>
  %55 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %56 = "tcc.mul"(%54, %55) : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  %57 = "tcc.reshape"(%56) : (tensor<40xf32>) -> tensor<40xf32>
  %58 = "tcc.conv"(%47, %52, %57) {strides = array<i64: 1>, pads = array<i64: 2, 2>, dilations = array<i64: 1>, groups = 40 : i64} : (tensor<?x40x?xf32>, tensor<40x1x5xf32>, tensor<40xf32>) -> tensor<?x40x?xf32>
  %59 = "tcc.pool"(%58) {kind = "max", kernel = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<?x40x?xf32>) -> tensor<?x40x?xf32>
  %60 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<7680xf32>
  %61 = "tcc.sin"(%60) : (tensor<7680xf32>) -> tensor<7680xf32>
  %62 = "tcc.constant"() {value = dense<0.13693063937629152> : tensor<f32>} : () -> tensor<f32>
  %63 = "tcc.mul"(%61, %62) : (tensor<7680xf32>, tensor<f32>) -> tensor<7680xf32>
  %64 = "tcc.reshape"(%63) : (tensor<7680xf32>) -> tensor<64x40x3xf32>
  %65 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %66 = "tcc.sin"(%65) : (tensor<64xf32>) -> tensor<64xf32>
  %67 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %68 = "tcc.mul"(%66, %67) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %69 = "tcc.reshape"(%68) : (tensor<64xf32>) -> tensor<64xf32>
  %70 = "tcc.conv"(%59, %64, %69) {strides = array<i64: 2>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x40x?xf32>, tensor<64x40x3xf32>, tensor<64xf32>) -> tensor<?x64x?xf32>
  %71 = "tcc.relu"(%70) : (tensor<?x64x?xf32>) -> tensor<?x64x?xf32>
  %72 = "tcc.mean"(%71) {axes = array<i64: 2>, keepdims = true} : (tensor<?x64x?xf32>) -> tensor<?x64x1xf32>
  %73 = "tcc.reshape"(%47) : (tensor<?x40x?xf32>) -> tensor<?x40x?x1xf32, ["N", 40, "floordiv(W + 4, 5)", 1]>
  %74 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<19200xf32>
  %75 = "tcc.sin"(%74) : (tensor<19200xf32>) -> tensor<19200xf32>
  %76 = "tcc.constant"() {value = dense<0.10606601717798213> : tensor<f32>} : () -> tensor<f32>
  %77 = "tcc.mul"(%75, %76) : (tensor<19200xf32>, tensor<f32>) -> tensor<19200xf32>
  %78 = "tcc.reshape"(%77) : (tensor<19200xf32>) -> tensor<96x40x5x1xf32>
  %79 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xf32>
  %80 = "tcc.sin"(%79) : (tensor<96xf32>) -> tensor<96xf32>
  %81 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %82 = "tcc.mul"(%80, %81) : (tensor<96xf32>, tensor<f32>) -> tensor<96xf32>
  %83 = "tcc.reshape"(%82) : (tensor<96xf32>) -> tensor<96xf32>
  %84 = "tcc.conv"(%73, %78, %83) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 4, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x?x1xf32, ["N", 40, "floordiv(W + 4, 5)", 1]>, tensor<96x40x5x1xf32>, tensor<96xf32>) -> tensor<?x96x?x1xf32>
  func.return %7, %18, %71, %72, %84 : tensor<?x1x?xf32>, tensor<?x3x?xf32>, tensor<?x64x?xf32>, tensor<?x64x1xf32>, tensor<?x96x?x1xf32>
}
