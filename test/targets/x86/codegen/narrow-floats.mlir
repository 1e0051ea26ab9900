// Every value of the floats of 8 and 4 bits, and floats of all sizes to them: ties, subnormal numbers, infinities and NaN; saturating and not.
// From f64, too, where a rounding on the way would make ties of what is none.
// RUN: split-file %s %t
// REQUIRES: avx2
// RUN: tcc-run %t/f8e4m3fn.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e4m3fn.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e4m3fnuz.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e4m3fnuz.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e5m2.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e5m2.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e5m2fnuz.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e5m2fnuz.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e8m0fnu.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f8e8m0fnu.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f4e2m1fn.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/f4e2m1fn.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: not tcc-run %t/sum.mlir --no-cache 2>&1 | FileCheck %s --check-prefix=SUM
// What a sum of two is, beyond their largest number, is nowhere written down.
// SUM: error: {{.*}}'tcc.add' on f8E5M2
// RUN: not tcc-run %t/reduced.mlir --no-cache 2>&1 | FileCheck %s --check-prefix=REDUCED
// REDUCED: error: {{.*}}element type f8E5M2 does not compute

//--- f8e4m3fn.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FN>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FN>
  %20 = "tcc.reshape"(%19) : (tensor<8191xf8E4M3FN>) -> tensor<8191x1xf8E4M3FN>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<8191x1xf8E4M3FN>) -> tensor<8191x1xf32>
  %22 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FN>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi8>
  %24 = "tcc.convert"(%11) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FN>
  %25 = "tcc.reshape"(%24) : (tensor<8191xf8E4M3FN>) -> tensor<8191x1xf8E4M3FN>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191x1xf8E4M3FN>) -> tensor<8191x1xf32>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf8E4M3FN>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi8>
  %29 = "tcc.convert"(%14) {saturate = false} : (tensor<8191xf64>) -> tensor<8191xf8E4M3FN>
  %30 = "tcc.reshape"(%29) : (tensor<8191xf8E4M3FN>) -> tensor<8191x1xf8E4M3FN>
  %31 = "tcc.convert"(%30) {saturate = true} : (tensor<8191x1xf8E4M3FN>) -> tensor<8191x1xf32>
  %32 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf8E4M3FN>
  %33 = "tcc.convert"(%32) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi8>
  %34 = "tcc.convert"(%15) {saturate = false} : (tensor<8191xf16>) -> tensor<8191xf8E4M3FN>
  %35 = "tcc.reshape"(%34) : (tensor<8191xf8E4M3FN>) -> tensor<8191x1xf8E4M3FN>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191x1xf8E4M3FN>) -> tensor<8191x1xf32>
  %37 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf8E4M3FN>
  %38 = "tcc.convert"(%37) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi8>
  %39 = "tcc.convert"(%16) {saturate = false} : (tensor<8191xi32>) -> tensor<8191xf8E4M3FN>
  %40 = "tcc.reshape"(%39) : (tensor<8191xf8E4M3FN>) -> tensor<8191x1xf8E4M3FN>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<8191x1xf8E4M3FN>) -> tensor<8191x1xf32>
  %42 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi8>
  %43 = "tcc.bitcast"(%42) : (tensor<8191xi8>) -> tensor<8191xf8E4M3FN>
  %44 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xf32>
  %45 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xf16>
  %46 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xbf16>
  %47 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xf64>
  %48 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi32>
  %49 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FN>) -> tensor<8191xi1>
  return %18, %21, %23, %26, %28, %31, %33, %36, %38, %41, %44, %45, %46, %47, %48, %49 : tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>
}

//--- f8e4m3fnuz.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FNUZ>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FNUZ>
  %20 = "tcc.reshape"(%19) : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191x1xf8E4M3FNUZ>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<8191x1xf8E4M3FNUZ>) -> tensor<8191x1xf32>
  %22 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FNUZ>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi8>
  %24 = "tcc.convert"(%11) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E4M3FNUZ>
  %25 = "tcc.reshape"(%24) : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191x1xf8E4M3FNUZ>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191x1xf8E4M3FNUZ>) -> tensor<8191x1xf32>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf8E4M3FNUZ>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi8>
  %29 = "tcc.convert"(%14) {saturate = false} : (tensor<8191xf64>) -> tensor<8191xf8E4M3FNUZ>
  %30 = "tcc.reshape"(%29) : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191x1xf8E4M3FNUZ>
  %31 = "tcc.convert"(%30) {saturate = true} : (tensor<8191x1xf8E4M3FNUZ>) -> tensor<8191x1xf32>
  %32 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf8E4M3FNUZ>
  %33 = "tcc.convert"(%32) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi8>
  %34 = "tcc.convert"(%15) {saturate = false} : (tensor<8191xf16>) -> tensor<8191xf8E4M3FNUZ>
  %35 = "tcc.reshape"(%34) : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191x1xf8E4M3FNUZ>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191x1xf8E4M3FNUZ>) -> tensor<8191x1xf32>
  %37 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf8E4M3FNUZ>
  %38 = "tcc.convert"(%37) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi8>
  %39 = "tcc.convert"(%16) {saturate = false} : (tensor<8191xi32>) -> tensor<8191xf8E4M3FNUZ>
  %40 = "tcc.reshape"(%39) : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191x1xf8E4M3FNUZ>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<8191x1xf8E4M3FNUZ>) -> tensor<8191x1xf32>
  %42 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi8>
  %43 = "tcc.bitcast"(%42) : (tensor<8191xi8>) -> tensor<8191xf8E4M3FNUZ>
  %44 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xf32>
  %45 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xf16>
  %46 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xbf16>
  %47 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xf64>
  %48 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi32>
  %49 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E4M3FNUZ>) -> tensor<8191xi1>
  return %18, %21, %23, %26, %28, %31, %33, %36, %38, %41, %44, %45, %46, %47, %48, %49 : tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>
}

//--- f8e5m2.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E5M2>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E5M2>
  %20 = "tcc.reshape"(%19) : (tensor<8191xf8E5M2>) -> tensor<8191x1xf8E5M2>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<8191x1xf8E5M2>) -> tensor<8191x1xf32>
  %22 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E5M2>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi8>
  %24 = "tcc.convert"(%11) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E5M2>
  %25 = "tcc.reshape"(%24) : (tensor<8191xf8E5M2>) -> tensor<8191x1xf8E5M2>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191x1xf8E5M2>) -> tensor<8191x1xf32>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf8E5M2>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi8>
  %29 = "tcc.convert"(%14) {saturate = false} : (tensor<8191xf64>) -> tensor<8191xf8E5M2>
  %30 = "tcc.reshape"(%29) : (tensor<8191xf8E5M2>) -> tensor<8191x1xf8E5M2>
  %31 = "tcc.convert"(%30) {saturate = true} : (tensor<8191x1xf8E5M2>) -> tensor<8191x1xf32>
  %32 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf8E5M2>
  %33 = "tcc.convert"(%32) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi8>
  %34 = "tcc.convert"(%15) {saturate = false} : (tensor<8191xf16>) -> tensor<8191xf8E5M2>
  %35 = "tcc.reshape"(%34) : (tensor<8191xf8E5M2>) -> tensor<8191x1xf8E5M2>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191x1xf8E5M2>) -> tensor<8191x1xf32>
  %37 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf8E5M2>
  %38 = "tcc.convert"(%37) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi8>
  %39 = "tcc.convert"(%16) {saturate = false} : (tensor<8191xi32>) -> tensor<8191xf8E5M2>
  %40 = "tcc.reshape"(%39) : (tensor<8191xf8E5M2>) -> tensor<8191x1xf8E5M2>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<8191x1xf8E5M2>) -> tensor<8191x1xf32>
  %42 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi8>
  %43 = "tcc.bitcast"(%42) : (tensor<8191xi8>) -> tensor<8191xf8E5M2>
  %44 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xf32>
  %45 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xf16>
  %46 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xbf16>
  %47 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xf64>
  %48 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi32>
  %49 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2>) -> tensor<8191xi1>
  return %18, %21, %23, %26, %28, %31, %33, %36, %38, %41, %44, %45, %46, %47, %48, %49 : tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>
}

//--- f8e5m2fnuz.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E5M2FNUZ>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E5M2FNUZ>
  %20 = "tcc.reshape"(%19) : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191x1xf8E5M2FNUZ>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<8191x1xf8E5M2FNUZ>) -> tensor<8191x1xf32>
  %22 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E5M2FNUZ>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi8>
  %24 = "tcc.convert"(%11) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E5M2FNUZ>
  %25 = "tcc.reshape"(%24) : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191x1xf8E5M2FNUZ>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191x1xf8E5M2FNUZ>) -> tensor<8191x1xf32>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf8E5M2FNUZ>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi8>
  %29 = "tcc.convert"(%14) {saturate = false} : (tensor<8191xf64>) -> tensor<8191xf8E5M2FNUZ>
  %30 = "tcc.reshape"(%29) : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191x1xf8E5M2FNUZ>
  %31 = "tcc.convert"(%30) {saturate = true} : (tensor<8191x1xf8E5M2FNUZ>) -> tensor<8191x1xf32>
  %32 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf8E5M2FNUZ>
  %33 = "tcc.convert"(%32) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi8>
  %34 = "tcc.convert"(%15) {saturate = false} : (tensor<8191xf16>) -> tensor<8191xf8E5M2FNUZ>
  %35 = "tcc.reshape"(%34) : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191x1xf8E5M2FNUZ>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191x1xf8E5M2FNUZ>) -> tensor<8191x1xf32>
  %37 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf8E5M2FNUZ>
  %38 = "tcc.convert"(%37) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi8>
  %39 = "tcc.convert"(%16) {saturate = false} : (tensor<8191xi32>) -> tensor<8191xf8E5M2FNUZ>
  %40 = "tcc.reshape"(%39) : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191x1xf8E5M2FNUZ>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<8191x1xf8E5M2FNUZ>) -> tensor<8191x1xf32>
  %42 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi8>
  %43 = "tcc.bitcast"(%42) : (tensor<8191xi8>) -> tensor<8191xf8E5M2FNUZ>
  %44 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xf32>
  %45 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xf16>
  %46 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xbf16>
  %47 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xf64>
  %48 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi32>
  %49 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E5M2FNUZ>) -> tensor<8191xi1>
  return %18, %21, %23, %26, %28, %31, %33, %36, %38, %41, %44, %45, %46, %47, %48, %49 : tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>
}

//--- f8e8m0fnu.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E8M0FNU>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E8M0FNU>
  %20 = "tcc.reshape"(%19) : (tensor<8191xf8E8M0FNU>) -> tensor<8191x1xf8E8M0FNU>
  %21 = "tcc.convert"(%20) {saturate = true} : (tensor<8191x1xf8E8M0FNU>) -> tensor<8191x1xf32>
  %22 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf8E8M0FNU>
  %23 = "tcc.convert"(%22) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi8>
  %24 = "tcc.convert"(%11) {saturate = false} : (tensor<8191xf32>) -> tensor<8191xf8E8M0FNU>
  %25 = "tcc.reshape"(%24) : (tensor<8191xf8E8M0FNU>) -> tensor<8191x1xf8E8M0FNU>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191x1xf8E8M0FNU>) -> tensor<8191x1xf32>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf8E8M0FNU>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi8>
  %29 = "tcc.convert"(%14) {saturate = false} : (tensor<8191xf64>) -> tensor<8191xf8E8M0FNU>
  %30 = "tcc.reshape"(%29) : (tensor<8191xf8E8M0FNU>) -> tensor<8191x1xf8E8M0FNU>
  %31 = "tcc.convert"(%30) {saturate = true} : (tensor<8191x1xf8E8M0FNU>) -> tensor<8191x1xf32>
  %32 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf8E8M0FNU>
  %33 = "tcc.convert"(%32) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi8>
  %34 = "tcc.convert"(%15) {saturate = false} : (tensor<8191xf16>) -> tensor<8191xf8E8M0FNU>
  %35 = "tcc.reshape"(%34) : (tensor<8191xf8E8M0FNU>) -> tensor<8191x1xf8E8M0FNU>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191x1xf8E8M0FNU>) -> tensor<8191x1xf32>
  %37 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf8E8M0FNU>
  %38 = "tcc.convert"(%37) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi8>
  %39 = "tcc.convert"(%16) {saturate = false} : (tensor<8191xi32>) -> tensor<8191xf8E8M0FNU>
  %40 = "tcc.reshape"(%39) : (tensor<8191xf8E8M0FNU>) -> tensor<8191x1xf8E8M0FNU>
  %41 = "tcc.convert"(%40) {saturate = true} : (tensor<8191x1xf8E8M0FNU>) -> tensor<8191x1xf32>
  %42 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi8>
  %43 = "tcc.bitcast"(%42) : (tensor<8191xi8>) -> tensor<8191xf8E8M0FNU>
  %44 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xf32>
  %45 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xf16>
  %46 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xbf16>
  %47 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xf64>
  %48 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi32>
  %49 = "tcc.convert"(%43) {saturate = true} : (tensor<8191xf8E8M0FNU>) -> tensor<8191xi1>
  return %18, %21, %23, %26, %28, %31, %33, %36, %38, %41, %44, %45, %46, %47, %48, %49 : tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xi8>, tensor<8191x1xf32>, tensor<8191xf32>, tensor<8191xf16>, tensor<8191xbf16>, tensor<8191xf64>, tensor<8191xi32>, tensor<8191xi1>
}

//--- f4e2m1fn.mlir
func.func @main() -> (tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8191xi64>
  %1 = "tcc.constant"() {value = dense<524309> : tensor<i64>} : () -> tensor<i64>
  %2 = "tcc.mul"(%0, %1) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %3 = "tcc.convert"(%2) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %4 = "tcc.bitcast"(%3) : (tensor<8191xi32>) -> tensor<8191xf32>
  %5 = "tcc.constant"() {value = dense<4095> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.sub"(%0, %5) : (tensor<8191xi64>, tensor<i64>) -> tensor<8191xi64>
  %7 = "tcc.convert"(%6) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xf32>
  %8 = "tcc.constant"() {value = dense<0.00390625> : tensor<f32>} : () -> tensor<f32>
  %9 = "tcc.mul"(%7, %8) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %10 = "tcc.constant"() {value = dense<4096.0> : tensor<f32>} : () -> tensor<f32>
  %11 = "tcc.mul"(%9, %10) : (tensor<8191xf32>, tensor<f32>) -> tensor<8191xf32>
  %12 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf64>
  %13 = "tcc.constant"() {value = dense<1.00000000000001> : tensor<f64>} : () -> tensor<f64>
  %14 = "tcc.mul"(%12, %13) : (tensor<8191xf64>, tensor<f64>) -> tensor<8191xf64>
  %15 = "tcc.convert"(%9) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf16>
  %16 = "tcc.convert"(%0) {saturate = true} : (tensor<8191xi64>) -> tensor<8191xi32>
  %17 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf4E2M1FN>
  %18 = "tcc.convert"(%17) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xi8>
  %19 = "tcc.convert"(%4) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf4E2M1FN>
  %20 = "tcc.convert"(%19) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xf64>
  %21 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf4E2M1FN>
  %22 = "tcc.convert"(%21) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xi8>
  %23 = "tcc.convert"(%11) {saturate = true} : (tensor<8191xf32>) -> tensor<8191xf4E2M1FN>
  %24 = "tcc.convert"(%23) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xf64>
  %25 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf4E2M1FN>
  %26 = "tcc.convert"(%25) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xi8>
  %27 = "tcc.convert"(%14) {saturate = true} : (tensor<8191xf64>) -> tensor<8191xf4E2M1FN>
  %28 = "tcc.convert"(%27) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xf64>
  %29 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf4E2M1FN>
  %30 = "tcc.convert"(%29) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xi8>
  %31 = "tcc.convert"(%15) {saturate = true} : (tensor<8191xf16>) -> tensor<8191xf4E2M1FN>
  %32 = "tcc.convert"(%31) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xf64>
  %33 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf4E2M1FN>
  %34 = "tcc.convert"(%33) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xi8>
  %35 = "tcc.convert"(%16) {saturate = true} : (tensor<8191xi32>) -> tensor<8191xf4E2M1FN>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<8191xf4E2M1FN>) -> tensor<8191xf64>
  return %18, %20, %22, %24, %26, %28, %30, %32, %34, %36 : tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>, tensor<8191xi8>, tensor<8191xf64>
}

//--- sum.mlir
func.func @main(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  %0 = "tcc.add"(%x, %x) : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<4xf8E5M2>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- reduced.mlir
func.func @main(%x: tensor<4x9xf8E5M2>) -> tensor<4xi64> {
  %0 = "tcc.arg_reduce"(%x) {axis = 1 : i64, keepdims = false, kind = "max", last = false} : (tensor<4x9xf8E5M2>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
