// RUN: rm -rf %t && tcc-run %s --random=3 --save=%t && tcc-run %s --target=reference --random=3 --data=%t --check --rtol=0 --atol=0
// RUN: rm -rf %t && tcc-run %s --random=3 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=3 --data=%t --check --rtol=0 --atol=0
// REQUIRES: avx2

// The first or last of equal values, of NaNs (logarithms of what is below 0) and of infinities, along rows and across them.
func.func @main(%x0f32: tensor<9x100xf32>, %x0i32: tensor<9x100xi32>, %x1f32: tensor<40x3xf32>, %x1i32: tensor<40x3xi32>, %x2f32: tensor<5x16xf32>, %x2i32: tensor<5x16xi32>, %x3f32: tensor<2x1200xf32>, %x3i32: tensor<2x1200xi32>) -> (tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>) {
  %0 = "tcc.floor"(%x0f32) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %1 = "tcc.log"(%0) : (tensor<9x100xf32>) -> tensor<9x100xf32>
  %2 = "tcc.arg_reduce"(%0) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<100xi64>
  %3 = "tcc.arg_reduce"(%0) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<9xi64>
  %4 = "tcc.arg_reduce"(%0) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<100xi64>
  %5 = "tcc.arg_reduce"(%0) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<9xi64>
  %6 = "tcc.arg_reduce"(%0) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<100xi64>
  %7 = "tcc.arg_reduce"(%0) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<9xi64>
  %8 = "tcc.arg_reduce"(%0) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<100xi64>
  %9 = "tcc.arg_reduce"(%0) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<9xi64>
  %10 = "tcc.arg_reduce"(%1) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<100xi64>
  %11 = "tcc.arg_reduce"(%1) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<9xi64>
  %12 = "tcc.arg_reduce"(%1) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<100xi64>
  %13 = "tcc.arg_reduce"(%1) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<9xi64>
  %14 = "tcc.arg_reduce"(%1) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<100xi64>
  %15 = "tcc.arg_reduce"(%1) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xf32>) -> tensor<9xi64>
  %16 = "tcc.arg_reduce"(%1) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<100xi64>
  %17 = "tcc.arg_reduce"(%1) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xf32>) -> tensor<9xi64>
  %18 = "tcc.arg_reduce"(%x0i32) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xi32>) -> tensor<100xi64>
  %19 = "tcc.arg_reduce"(%x0i32) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xi32>) -> tensor<9xi64>
  %20 = "tcc.arg_reduce"(%x0i32) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xi32>) -> tensor<100xi64>
  %21 = "tcc.arg_reduce"(%x0i32) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xi32>) -> tensor<9xi64>
  %22 = "tcc.arg_reduce"(%x0i32) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<9x100xi32>) -> tensor<100xi64>
  %23 = "tcc.arg_reduce"(%x0i32) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<9x100xi32>) -> tensor<9xi64>
  %24 = "tcc.arg_reduce"(%x0i32) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<9x100xi32>) -> tensor<100xi64>
  %25 = "tcc.arg_reduce"(%x0i32) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<9x100xi32>) -> tensor<9xi64>
  %26 = "tcc.floor"(%x1f32) : (tensor<40x3xf32>) -> tensor<40x3xf32>
  %27 = "tcc.log"(%26) : (tensor<40x3xf32>) -> tensor<40x3xf32>
  %28 = "tcc.arg_reduce"(%26) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<3xi64>
  %29 = "tcc.arg_reduce"(%26) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<40xi64>
  %30 = "tcc.arg_reduce"(%26) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<3xi64>
  %31 = "tcc.arg_reduce"(%26) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<40xi64>
  %32 = "tcc.arg_reduce"(%26) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<3xi64>
  %33 = "tcc.arg_reduce"(%26) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<40xi64>
  %34 = "tcc.arg_reduce"(%26) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<3xi64>
  %35 = "tcc.arg_reduce"(%26) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<40xi64>
  %36 = "tcc.arg_reduce"(%27) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<3xi64>
  %37 = "tcc.arg_reduce"(%27) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<40xi64>
  %38 = "tcc.arg_reduce"(%27) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<3xi64>
  %39 = "tcc.arg_reduce"(%27) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<40xi64>
  %40 = "tcc.arg_reduce"(%27) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<3xi64>
  %41 = "tcc.arg_reduce"(%27) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xf32>) -> tensor<40xi64>
  %42 = "tcc.arg_reduce"(%27) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<3xi64>
  %43 = "tcc.arg_reduce"(%27) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xf32>) -> tensor<40xi64>
  %44 = "tcc.arg_reduce"(%x1i32) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xi32>) -> tensor<3xi64>
  %45 = "tcc.arg_reduce"(%x1i32) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xi32>) -> tensor<40xi64>
  %46 = "tcc.arg_reduce"(%x1i32) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xi32>) -> tensor<3xi64>
  %47 = "tcc.arg_reduce"(%x1i32) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xi32>) -> tensor<40xi64>
  %48 = "tcc.arg_reduce"(%x1i32) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<40x3xi32>) -> tensor<3xi64>
  %49 = "tcc.arg_reduce"(%x1i32) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<40x3xi32>) -> tensor<40xi64>
  %50 = "tcc.arg_reduce"(%x1i32) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<40x3xi32>) -> tensor<3xi64>
  %51 = "tcc.arg_reduce"(%x1i32) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<40x3xi32>) -> tensor<40xi64>
  %52 = "tcc.floor"(%x2f32) : (tensor<5x16xf32>) -> tensor<5x16xf32>
  %53 = "tcc.log"(%52) : (tensor<5x16xf32>) -> tensor<5x16xf32>
  %54 = "tcc.arg_reduce"(%52) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<16xi64>
  %55 = "tcc.arg_reduce"(%52) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<5xi64>
  %56 = "tcc.arg_reduce"(%52) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<16xi64>
  %57 = "tcc.arg_reduce"(%52) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<5xi64>
  %58 = "tcc.arg_reduce"(%52) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<16xi64>
  %59 = "tcc.arg_reduce"(%52) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<5xi64>
  %60 = "tcc.arg_reduce"(%52) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<16xi64>
  %61 = "tcc.arg_reduce"(%52) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<5xi64>
  %62 = "tcc.arg_reduce"(%53) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<16xi64>
  %63 = "tcc.arg_reduce"(%53) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<5xi64>
  %64 = "tcc.arg_reduce"(%53) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<16xi64>
  %65 = "tcc.arg_reduce"(%53) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<5xi64>
  %66 = "tcc.arg_reduce"(%53) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<16xi64>
  %67 = "tcc.arg_reduce"(%53) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xf32>) -> tensor<5xi64>
  %68 = "tcc.arg_reduce"(%53) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<16xi64>
  %69 = "tcc.arg_reduce"(%53) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xf32>) -> tensor<5xi64>
  %70 = "tcc.arg_reduce"(%x2i32) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xi32>) -> tensor<16xi64>
  %71 = "tcc.arg_reduce"(%x2i32) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xi32>) -> tensor<5xi64>
  %72 = "tcc.arg_reduce"(%x2i32) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xi32>) -> tensor<16xi64>
  %73 = "tcc.arg_reduce"(%x2i32) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xi32>) -> tensor<5xi64>
  %74 = "tcc.arg_reduce"(%x2i32) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<5x16xi32>) -> tensor<16xi64>
  %75 = "tcc.arg_reduce"(%x2i32) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<5x16xi32>) -> tensor<5xi64>
  %76 = "tcc.arg_reduce"(%x2i32) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<5x16xi32>) -> tensor<16xi64>
  %77 = "tcc.arg_reduce"(%x2i32) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<5x16xi32>) -> tensor<5xi64>
  %78 = "tcc.floor"(%x3f32) : (tensor<2x1200xf32>) -> tensor<2x1200xf32>
  %79 = "tcc.log"(%78) : (tensor<2x1200xf32>) -> tensor<2x1200xf32>
  %80 = "tcc.arg_reduce"(%78) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %81 = "tcc.arg_reduce"(%78) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %82 = "tcc.arg_reduce"(%78) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %83 = "tcc.arg_reduce"(%78) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %84 = "tcc.arg_reduce"(%78) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %85 = "tcc.arg_reduce"(%78) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %86 = "tcc.arg_reduce"(%78) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %87 = "tcc.arg_reduce"(%78) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %88 = "tcc.arg_reduce"(%79) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %89 = "tcc.arg_reduce"(%79) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %90 = "tcc.arg_reduce"(%79) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %91 = "tcc.arg_reduce"(%79) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %92 = "tcc.arg_reduce"(%79) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %93 = "tcc.arg_reduce"(%79) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %94 = "tcc.arg_reduce"(%79) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<1200xi64>
  %95 = "tcc.arg_reduce"(%79) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xf32>) -> tensor<2xi64>
  %96 = "tcc.arg_reduce"(%x3i32) {kind = "max", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xi32>) -> tensor<1200xi64>
  %97 = "tcc.arg_reduce"(%x3i32) {kind = "max", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xi32>) -> tensor<2xi64>
  %98 = "tcc.arg_reduce"(%x3i32) {kind = "max", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xi32>) -> tensor<1200xi64>
  %99 = "tcc.arg_reduce"(%x3i32) {kind = "max", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xi32>) -> tensor<2xi64>
  %100 = "tcc.arg_reduce"(%x3i32) {kind = "min", axis = 0 : i64, keepdims = false, last = true} : (tensor<2x1200xi32>) -> tensor<1200xi64>
  %101 = "tcc.arg_reduce"(%x3i32) {kind = "min", axis = 1 : i64, keepdims = false, last = true} : (tensor<2x1200xi32>) -> tensor<2xi64>
  %102 = "tcc.arg_reduce"(%x3i32) {kind = "min", axis = 0 : i64, keepdims = false, last = false} : (tensor<2x1200xi32>) -> tensor<1200xi64>
  %103 = "tcc.arg_reduce"(%x3i32) {kind = "min", axis = 1 : i64, keepdims = false, last = false} : (tensor<2x1200xi32>) -> tensor<2xi64>
  return %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103 : tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<100xi64>, tensor<9xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<3xi64>, tensor<40xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<16xi64>, tensor<5xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>, tensor<1200xi64>, tensor<2xi64>
}
