// RUN: tcc-compile %s -o %t.so && tcc-compile %s --target=x86,avx2 -o %t.avx2.so
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=H=1 --dim=W=1 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=1 --dim=H=1 --dim=W=1 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=1 --dim=H=1 --dim=W=1 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=2 --dim=H=3 --dim=W=5 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=2 --dim=H=3 --dim=W=5 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=2 --dim=H=3 --dim=W=5 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=H=40 --dim=W=33 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=1 --dim=H=40 --dim=W=33 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=1 --dim=H=40 --dim=W=33 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: rm -rf %t && tcc-run %s --target=reference --random=1 --dim=N=1 --dim=H=17 --dim=W=62 --save=%t
// RUN: tcc-run %t.so --random=1 --dim=N=1 --dim=H=17 --dim=W=62 --data=%t --check --rtol=1e-3 --atol=2e-3 && tcc-run %t.avx2.so --threads=3 --random=1 --dim=N=1 --dim=H=17 --dim=W=62 --data=%t --check --rtol=1e-3 --atol=2e-3
// RUN: tcc-run %t.so --random --dim=N=1 --dim=H=24 --dim=W=25 --profile | FileCheck %s
// REQUIRES: avx2

// Images whose size is known at run time only: one compiled model for sizes from one pixel on, odd ones, rows that are narrower
// than a tile, and for sizes far from those that it was compiled for.
// CHECK-COUNT-16: x86.conv
// CHECK-NOT: {{reference|loops}}
func.func @main(%a: tensor<?x3x?x?xf32, ["N", 3, "H", "W"]>) -> (tensor<?x24x?x?xf32>, tensor<?x64x?x?xf32>, tensor<?x33x?x?xf32>, tensor<?x256x?x?xf32>, tensor<?x32x?x?xf32>, tensor<?x16x?x?xf32>, tensor<?x48x?x?xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<648xf32>
  %2 = "tcc.sin"(%1) : (tensor<648xf32>) -> tensor<648xf32>
  %3 = "tcc.constant"() {value = dense<0.28867513459481287> : tensor<f32>} : () -> tensor<f32>
  %4 = "tcc.mul"(%2, %3) : (tensor<648xf32>, tensor<f32>) -> tensor<648xf32>
  %5 = "tcc.reshape"(%4) : (tensor<648xf32>) -> tensor<24x3x3x3xf32>
  %6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %7 = "tcc.sin"(%6) : (tensor<24xf32>) -> tensor<24xf32>
  %8 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<24xf32>, tensor<f32>) -> tensor<24xf32>
  %10 = "tcc.reshape"(%9) : (tensor<24xf32>) -> tensor<24xf32>
  %11 = "tcc.conv"(%a, %5, %10) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x3x?x?xf32, ["N", 3, "H", "W"]>, tensor<24x3x3x3xf32>, tensor<24xf32>) -> tensor<?x24x?x?xf32>
  %12 = "tcc.hard_swish"(%11) : (tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<216xf32>
  %14 = "tcc.sin"(%13) : (tensor<216xf32>) -> tensor<216xf32>
  %15 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %16 = "tcc.mul"(%14, %15) : (tensor<216xf32>, tensor<f32>) -> tensor<216xf32>
  %17 = "tcc.reshape"(%16) : (tensor<216xf32>) -> tensor<24x1x3x3xf32>
  %18 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %19 = "tcc.sin"(%18) : (tensor<24xf32>) -> tensor<24xf32>
  %20 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %21 = "tcc.mul"(%19, %20) : (tensor<24xf32>, tensor<f32>) -> tensor<24xf32>
  %22 = "tcc.reshape"(%21) : (tensor<24xf32>) -> tensor<24xf32>
  %23 = "tcc.conv"(%12, %17, %22) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<?x24x?x?xf32>, tensor<24x1x3x3xf32>, tensor<24xf32>) -> tensor<?x24x?x?xf32>
  %24 = "tcc.relu"(%23) : (tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  %25 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<960xf32>
  %26 = "tcc.sin"(%25) : (tensor<960xf32>) -> tensor<960xf32>
  %27 = "tcc.constant"() {value = dense<0.3061862178478973> : tensor<f32>} : () -> tensor<f32>
  %28 = "tcc.mul"(%26, %27) : (tensor<960xf32>, tensor<f32>) -> tensor<960xf32>
  %29 = "tcc.reshape"(%28) : (tensor<960xf32>) -> tensor<40x24x1x1xf32>
  %30 = "tcc.none"() : () -> none
  %31 = "tcc.conv"(%24, %29, %30) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xf32>, tensor<40x24x1x1xf32>, none) -> tensor<?x40x?x?xf32>
  %32 = "tcc.mean"(%31) {axes = array<i64: 2, 3>, keepdims = true} : (tensor<?x40x?x?xf32>) -> tensor<?x40x1x1xf32>
  %33 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<320xf32>
  %34 = "tcc.sin"(%33) : (tensor<320xf32>) -> tensor<320xf32>
  %35 = "tcc.constant"() {value = dense<0.23717082451262844> : tensor<f32>} : () -> tensor<f32>
  %36 = "tcc.mul"(%34, %35) : (tensor<320xf32>, tensor<f32>) -> tensor<320xf32>
  %37 = "tcc.reshape"(%36) : (tensor<320xf32>) -> tensor<8x40x1x1xf32>
  %38 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8xf32>
  %39 = "tcc.sin"(%38) : (tensor<8xf32>) -> tensor<8xf32>
  %40 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %41 = "tcc.mul"(%39, %40) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %42 = "tcc.reshape"(%41) : (tensor<8xf32>) -> tensor<8xf32>
  %43 = "tcc.conv"(%32, %37, %42) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x1x1xf32>, tensor<8x40x1x1xf32>, tensor<8xf32>) -> tensor<?x8x1x1xf32>
  %44 = "tcc.relu"(%43) : (tensor<?x8x1x1xf32>) -> tensor<?x8x1x1xf32>
  %45 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<320xf32>
  %46 = "tcc.sin"(%45) : (tensor<320xf32>) -> tensor<320xf32>
  %47 = "tcc.constant"() {value = dense<0.5303300858899106> : tensor<f32>} : () -> tensor<f32>
  %48 = "tcc.mul"(%46, %47) : (tensor<320xf32>, tensor<f32>) -> tensor<320xf32>
  %49 = "tcc.reshape"(%48) : (tensor<320xf32>) -> tensor<40x8x1x1xf32>
  %50 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %51 = "tcc.sin"(%50) : (tensor<40xf32>) -> tensor<40xf32>
  %52 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %53 = "tcc.mul"(%51, %52) : (tensor<40xf32>, tensor<f32>) -> tensor<40xf32>
  %54 = "tcc.reshape"(%53) : (tensor<40xf32>) -> tensor<40xf32>
  %55 = "tcc.conv"(%44, %49, %54) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x8x1x1xf32>, tensor<40x8x1x1xf32>, tensor<40xf32>) -> tensor<?x40x1x1xf32>
  %56 = "tcc.hard_sigmoid"(%55) {alpha = 0.2 : f64, beta = 0.5 : f64} : (tensor<?x40x1x1xf32>) -> tensor<?x40x1x1xf32>
  %57 = "tcc.mul"(%31, %56) : (tensor<?x40x?x?xf32>, tensor<?x40x1x1xf32>) -> tensor<?x40x?x?xf32>
  %58 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<960xf32>
  %59 = "tcc.sin"(%58) : (tensor<960xf32>) -> tensor<960xf32>
  %60 = "tcc.constant"() {value = dense<0.23717082451262844> : tensor<f32>} : () -> tensor<f32>
  %61 = "tcc.mul"(%59, %60) : (tensor<960xf32>, tensor<f32>) -> tensor<960xf32>
  %62 = "tcc.reshape"(%61) : (tensor<960xf32>) -> tensor<24x40x1x1xf32>
  %63 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<24xf32>
  %64 = "tcc.sin"(%63) : (tensor<24xf32>) -> tensor<24xf32>
  %65 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %66 = "tcc.mul"(%64, %65) : (tensor<24xf32>, tensor<f32>) -> tensor<24xf32>
  %67 = "tcc.reshape"(%66) : (tensor<24xf32>) -> tensor<24xf32>
  %68 = "tcc.conv"(%57, %62, %67) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x40x?x?xf32>, tensor<24x40x1x1xf32>, tensor<24xf32>) -> tensor<?x24x?x?xf32>
  %69 = "tcc.add"(%68, %12) : (tensor<?x24x?x?xf32>, tensor<?x24x?x?xf32>) -> tensor<?x24x?x?xf32>
  %70 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13824xf32>
  %71 = "tcc.sin"(%70) : (tensor<13824xf32>) -> tensor<13824xf32>
  %72 = "tcc.constant"() {value = dense<0.10206207261596575> : tensor<f32>} : () -> tensor<f32>
  %73 = "tcc.mul"(%71, %72) : (tensor<13824xf32>, tensor<f32>) -> tensor<13824xf32>
  %74 = "tcc.reshape"(%73) : (tensor<13824xf32>) -> tensor<64x24x3x3xf32>
  %75 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %76 = "tcc.sin"(%75) : (tensor<64xf32>) -> tensor<64xf32>
  %77 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %78 = "tcc.mul"(%76, %77) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %79 = "tcc.reshape"(%78) : (tensor<64xf32>) -> tensor<64xf32>
  %80 = "tcc.conv"(%69, %74, %79) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x24x?x?xf32>, tensor<64x24x3x3xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32>
  %81 = "tcc.relu"(%80) : (tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
  %82 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36864xf32>
  %83 = "tcc.sin"(%82) : (tensor<36864xf32>) -> tensor<36864xf32>
  %84 = "tcc.constant"() {value = dense<0.0625> : tensor<f32>} : () -> tensor<f32>
  %85 = "tcc.mul"(%83, %84) : (tensor<36864xf32>, tensor<f32>) -> tensor<36864xf32>
  %86 = "tcc.reshape"(%85) : (tensor<36864xf32>) -> tensor<64x64x3x3xf32>
  %87 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %88 = "tcc.sin"(%87) : (tensor<64xf32>) -> tensor<64xf32>
  %89 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %90 = "tcc.mul"(%88, %89) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %91 = "tcc.reshape"(%90) : (tensor<64xf32>) -> tensor<64xf32>
  %92 = "tcc.conv"(%81, %86, %91) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x64x?x?xf32>, tensor<64x64x3x3xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32>
  %93 = "tcc.add"(%92, %81) : (tensor<?x64x?x?xf32>, tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
  %94 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<18432xf32>
  %95 = "tcc.sin"(%94) : (tensor<18432xf32>) -> tensor<18432xf32>
  %96 = "tcc.constant"() {value = dense<0.08838834764831845> : tensor<f32>} : () -> tensor<f32>
  %97 = "tcc.mul"(%95, %96) : (tensor<18432xf32>, tensor<f32>) -> tensor<18432xf32>
  %98 = "tcc.reshape"(%97) : (tensor<18432xf32>) -> tensor<64x32x3x3xf32>
  %99 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %100 = "tcc.sin"(%99) : (tensor<64xf32>) -> tensor<64xf32>
  %101 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %102 = "tcc.mul"(%100, %101) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %103 = "tcc.reshape"(%102) : (tensor<64xf32>) -> tensor<64xf32>
  %104 = "tcc.conv"(%93, %98, %103) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<?x64x?x?xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32>
  %105 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1600xf32>
  %106 = "tcc.sin"(%105) : (tensor<1600xf32>) -> tensor<1600xf32>
  %107 = "tcc.constant"() {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %108 = "tcc.mul"(%106, %107) : (tensor<1600xf32>, tensor<f32>) -> tensor<1600xf32>
  %109 = "tcc.reshape"(%108) : (tensor<1600xf32>) -> tensor<64x1x5x5xf32>
  %110 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %111 = "tcc.sin"(%110) : (tensor<64xf32>) -> tensor<64xf32>
  %112 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %113 = "tcc.mul"(%111, %112) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  %114 = "tcc.reshape"(%113) : (tensor<64xf32>) -> tensor<64xf32>
  %115 = "tcc.conv"(%104, %109, %114) {strides = array<i64: 2, 2>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 64 : i64} : (tensor<?x64x?x?xf32>, tensor<64x1x5x5xf32>, tensor<64xf32>) -> tensor<?x64x?x?xf32>
  %116 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<19008xf32>
  %117 = "tcc.sin"(%116) : (tensor<19008xf32>) -> tensor<19008xf32>
  %118 = "tcc.constant"() {value = dense<0.0625> : tensor<f32>} : () -> tensor<f32>
  %119 = "tcc.mul"(%117, %118) : (tensor<19008xf32>, tensor<f32>) -> tensor<19008xf32>
  %120 = "tcc.reshape"(%119) : (tensor<19008xf32>) -> tensor<33x64x3x3xf32>
  %121 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<33xf32>
  %122 = "tcc.sin"(%121) : (tensor<33xf32>) -> tensor<33xf32>
  %123 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %124 = "tcc.mul"(%122, %123) : (tensor<33xf32>, tensor<f32>) -> tensor<33xf32>
  %125 = "tcc.reshape"(%124) : (tensor<33xf32>) -> tensor<33xf32>
  %126 = "tcc.conv"(%93, %120, %125) {strides = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>, dilations = array<i64: 2, 2>, groups = 1 : i64} : (tensor<?x64x?x?xf32>, tensor<33x64x3x3xf32>, tensor<33xf32>) -> tensor<?x33x?x?xf32>
  %127 = "tcc.pool"(%93) {kind = "max", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, ceil_mode = false, count_include_pad = false} : (tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
  %128 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<147456xf32>
  %129 = "tcc.sin"(%128) : (tensor<147456xf32>) -> tensor<147456xf32>
  %130 = "tcc.constant"() {value = dense<0.0625> : tensor<f32>} : () -> tensor<f32>
  %131 = "tcc.mul"(%129, %130) : (tensor<147456xf32>, tensor<f32>) -> tensor<147456xf32>
  %132 = "tcc.reshape"(%131) : (tensor<147456xf32>) -> tensor<256x64x3x3xf32>
  %133 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256xf32>
  %134 = "tcc.sin"(%133) : (tensor<256xf32>) -> tensor<256xf32>
  %135 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %136 = "tcc.mul"(%134, %135) : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
  %137 = "tcc.reshape"(%136) : (tensor<256xf32>) -> tensor<256xf32>
  %138 = "tcc.conv"(%127, %132, %137) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x64x?x?xf32>, tensor<256x64x3x3xf32>, tensor<256xf32>) -> tensor<?x256x?x?xf32>
  %139 = "tcc.relu"(%138) : (tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
  %140 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<589824xf32>
  %141 = "tcc.sin"(%140) : (tensor<589824xf32>) -> tensor<589824xf32>
  %142 = "tcc.constant"() {value = dense<0.03125> : tensor<f32>} : () -> tensor<f32>
  %143 = "tcc.mul"(%141, %142) : (tensor<589824xf32>, tensor<f32>) -> tensor<589824xf32>
  %144 = "tcc.reshape"(%143) : (tensor<589824xf32>) -> tensor<256x256x3x3xf32>
  %145 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<256xf32>
  %146 = "tcc.sin"(%145) : (tensor<256xf32>) -> tensor<256xf32>
  %147 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %148 = "tcc.mul"(%146, %147) : (tensor<256xf32>, tensor<f32>) -> tensor<256xf32>
  %149 = "tcc.reshape"(%148) : (tensor<256xf32>) -> tensor<256xf32>
  %150 = "tcc.conv"(%139, %144, %149) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x256x?x?xf32>, tensor<256x256x3x3xf32>, tensor<256xf32>) -> tensor<?x256x?x?xf32>
  %151 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32768xf32>
  %152 = "tcc.sin"(%151) : (tensor<32768xf32>) -> tensor<32768xf32>
  %153 = "tcc.constant"() {value = dense<0.046875> : tensor<f32>} : () -> tensor<f32>
  %154 = "tcc.mul"(%152, %153) : (tensor<32768xf32>, tensor<f32>) -> tensor<32768xf32>
  %155 = "tcc.reshape"(%154) : (tensor<32768xf32>) -> tensor<256x32x2x2xf32>
  %156 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<32xf32>
  %157 = "tcc.sin"(%156) : (tensor<32xf32>) -> tensor<32xf32>
  %158 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %159 = "tcc.mul"(%157, %158) : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
  %160 = "tcc.reshape"(%159) : (tensor<32xf32>) -> tensor<32xf32>
  %161 = "tcc.conv_transpose"(%150, %155, %160) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<?x256x?x?xf32>, tensor<256x32x2x2xf32>, tensor<32xf32>) -> tensor<?x32x?x?xf32>
  %162 = "tcc.relu"(%161) : (tensor<?x32x?x?xf32>) -> tensor<?x32x?x?xf32>
  %163 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<65536xf32>
  %164 = "tcc.sin"(%163) : (tensor<65536xf32>) -> tensor<65536xf32>
  %165 = "tcc.constant"() {value = dense<0.0234375> : tensor<f32>} : () -> tensor<f32>
  %166 = "tcc.mul"(%164, %165) : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %167 = "tcc.reshape"(%166) : (tensor<65536xf32>) -> tensor<256x16x4x4xf32>
  %168 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16xf32>
  %169 = "tcc.sin"(%168) : (tensor<16xf32>) -> tensor<16xf32>
  %170 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %171 = "tcc.mul"(%169, %170) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  %172 = "tcc.reshape"(%171) : (tensor<16xf32>) -> tensor<16xf32>
  %173 = "tcc.conv_transpose"(%150, %167, %172) {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, output_padding = array<i64: 0, 0>} : (tensor<?x256x?x?xf32>, tensor<256x16x4x4xf32>, tensor<16xf32>) -> tensor<?x16x?x?xf32>
  %174 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3072xf32>
  %175 = "tcc.sin"(%174) : (tensor<3072xf32>) -> tensor<3072xf32>
  %176 = "tcc.constant"() {value = dense<0.1875> : tensor<f32>} : () -> tensor<f32>
  %177 = "tcc.mul"(%175, %176) : (tensor<3072xf32>, tensor<f32>) -> tensor<3072xf32>
  %178 = "tcc.reshape"(%177) : (tensor<3072xf32>) -> tensor<48x64x1x1xf32>
  %179 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
  %180 = "tcc.sin"(%179) : (tensor<48xf32>) -> tensor<48xf32>
  %181 = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %182 = "tcc.mul"(%180, %181) : (tensor<48xf32>, tensor<f32>) -> tensor<48xf32>
  %183 = "tcc.reshape"(%182) : (tensor<48xf32>) -> tensor<48xf32>
  %184 = "tcc.conv"(%93, %178, %183) {strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<?x64x?x?xf32>, tensor<48x64x1x1xf32>, tensor<48xf32>) -> tensor<?x48x?x?xf32>
  func.return %69, %115, %126, %150, %162, %173, %184 : tensor<?x24x?x?xf32>, tensor<?x64x?x?xf32>, tensor<?x33x?x?xf32>, tensor<?x256x?x?xf32>, tensor<?x32x?x?xf32>, tensor<?x16x?x?xf32>, tensor<?x48x?x?xf32>
}
