// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --threads=1 --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-explain %s --no-cache --target=x86,cascadelake | FileCheck %s
// REQUIRES: avx512

// Bytes times few rows in integers, columns contiguous: whole lines or not, a depth in tiles with steps left over or not, one
// row to eight, signed and unsigned, a zero point, scales. Sums are exact. The last one has a NaN, an infinity, a number near
// the end of the range and denormals: it is computed in f32.
// CHECK-COUNT-5: schedule: x86.gemv/{{[0-9]+}} along=columns in integers
func.func @main() -> (tensor<203x141xi8>, tensor<1x203xf32>, tensor<141xf32>, tensor<1x141xf32>, tensor<1101x200xui8>, tensor<3x1101xf32>, tensor<200xf32>, tensor<3x200xf32>, tensor<1024x128xi8>, tensor<8x1024xf32>, tensor<8x128xf32>, tensor<1100x192xi8>, tensor<2x1100xf32>, tensor<192xf32>, tensor<2x192xf32>, tensor<900x96xi8>, tensor<4x900xf32>, tensor<96xf32>, tensor<4x96xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<203x141xi64>
  %2 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %3 = "tcc.mul"(%1, %2) : (tensor<203x141xi64>, tensor<i64>) -> tensor<203x141xi64>
  %4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<203x141xi64>
  %5 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.mul"(%4, %5) : (tensor<203x141xi64>, tensor<i64>) -> tensor<203x141xi64>
  %7 = "tcc.add"(%3, %6) : (tensor<203x141xi64>, tensor<203x141xi64>) -> tensor<203x141xi64>
  %8 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %9 = "tcc.mod"(%7, %8) : (tensor<203x141xi64>, tensor<i64>) -> tensor<203x141xi64>
  %10 = "tcc.constant"() {value = dense<128> : tensor<i64>} : () -> tensor<i64>
  %11 = "tcc.sub"(%9, %10) : (tensor<203x141xi64>, tensor<i64>) -> tensor<203x141xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<203x141xi64>) -> tensor<203x141xi8>
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1x203xi64>
  %14 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %15 = "tcc.mul"(%13, %14) : (tensor<1x203xi64>, tensor<i64>) -> tensor<1x203xi64>
  %16 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1x203xi64>
  %17 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %18 = "tcc.mul"(%16, %17) : (tensor<1x203xi64>, tensor<i64>) -> tensor<1x203xi64>
  %19 = "tcc.add"(%15, %18) : (tensor<1x203xi64>, tensor<1x203xi64>) -> tensor<1x203xi64>
  %20 = "tcc.constant"() {value = dense<27> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.mod"(%19, %20) : (tensor<1x203xi64>, tensor<i64>) -> tensor<1x203xi64>
  %22 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %23 = "tcc.sub"(%21, %22) : (tensor<1x203xi64>, tensor<i64>) -> tensor<1x203xi64>
  %24 = "tcc.convert"(%23) {saturate = true} : (tensor<1x203xi64>) -> tensor<1x203xf32>
  %25 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<141xi64>
  %26 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %27 = "tcc.mul"(%25, %26) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %28 = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %29 = "tcc.mod"(%27, %28) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %30 = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %31 = "tcc.sub"(%29, %30) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %32 = "tcc.convert"(%31) {saturate = true} : (tensor<141xi64>) -> tensor<141xf32>
  %33 = "tcc.convert"(%12) : (tensor<203x141xi8>) -> tensor<203x141xf32>
  %34 = "tcc.mul"(%33, %32) : (tensor<203x141xf32>, tensor<141xf32>) -> tensor<203x141xf32>
  %35 = "tcc.dot_general"(%24, %34) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x203xf32>, tensor<203x141xf32>) -> tensor<1x141xf32>
  %36 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1101x200xi64>
  %37 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %38 = "tcc.mul"(%36, %37) : (tensor<1101x200xi64>, tensor<i64>) -> tensor<1101x200xi64>
  %39 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1101x200xi64>
  %40 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %41 = "tcc.mul"(%39, %40) : (tensor<1101x200xi64>, tensor<i64>) -> tensor<1101x200xi64>
  %42 = "tcc.add"(%38, %41) : (tensor<1101x200xi64>, tensor<1101x200xi64>) -> tensor<1101x200xi64>
  %43 = "tcc.constant"() {value = dense<256> : tensor<i64>} : () -> tensor<i64>
  %44 = "tcc.mod"(%42, %43) : (tensor<1101x200xi64>, tensor<i64>) -> tensor<1101x200xi64>
  %45 = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %46 = "tcc.sub"(%44, %45) : (tensor<1101x200xi64>, tensor<i64>) -> tensor<1101x200xi64>
  %47 = "tcc.convert"(%46) {saturate = true} : (tensor<1101x200xi64>) -> tensor<1101x200xui8>
  %48 = "tcc.constant"() {value = dense<131> : tensor<ui8>} : () -> tensor<ui8>
  %49 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3x1101xi64>
  %50 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %51 = "tcc.mul"(%49, %50) : (tensor<3x1101xi64>, tensor<i64>) -> tensor<3x1101xi64>
  %52 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<3x1101xi64>
  %53 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %54 = "tcc.mul"(%52, %53) : (tensor<3x1101xi64>, tensor<i64>) -> tensor<3x1101xi64>
  %55 = "tcc.add"(%51, %54) : (tensor<3x1101xi64>, tensor<3x1101xi64>) -> tensor<3x1101xi64>
  %56 = "tcc.constant"() {value = dense<27> : tensor<i64>} : () -> tensor<i64>
  %57 = "tcc.mod"(%55, %56) : (tensor<3x1101xi64>, tensor<i64>) -> tensor<3x1101xi64>
  %58 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %59 = "tcc.sub"(%57, %58) : (tensor<3x1101xi64>, tensor<i64>) -> tensor<3x1101xi64>
  %60 = "tcc.convert"(%59) {saturate = true} : (tensor<3x1101xi64>) -> tensor<3x1101xf32>
  %61 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<200xi64>
  %62 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %63 = "tcc.mul"(%61, %62) : (tensor<200xi64>, tensor<i64>) -> tensor<200xi64>
  %64 = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %65 = "tcc.mod"(%63, %64) : (tensor<200xi64>, tensor<i64>) -> tensor<200xi64>
  %66 = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %67 = "tcc.sub"(%65, %66) : (tensor<200xi64>, tensor<i64>) -> tensor<200xi64>
  %68 = "tcc.convert"(%67) {saturate = true} : (tensor<200xi64>) -> tensor<200xf32>
  %69 = "tcc.convert"(%47) : (tensor<1101x200xui8>) -> tensor<1101x200xf32>
  %70 = "tcc.convert"(%48) : (tensor<ui8>) -> tensor<f32>
  %71 = "tcc.sub"(%69, %70) : (tensor<1101x200xf32>, tensor<f32>) -> tensor<1101x200xf32>
  %72 = "tcc.mul"(%71, %68) : (tensor<1101x200xf32>, tensor<200xf32>) -> tensor<1101x200xf32>
  %73 = "tcc.dot_general"(%60, %72) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<3x1101xf32>, tensor<1101x200xf32>) -> tensor<3x200xf32>
  %74 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1024x128xi64>
  %75 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %76 = "tcc.mul"(%74, %75) : (tensor<1024x128xi64>, tensor<i64>) -> tensor<1024x128xi64>
  %77 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1024x128xi64>
  %78 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %79 = "tcc.mul"(%77, %78) : (tensor<1024x128xi64>, tensor<i64>) -> tensor<1024x128xi64>
  %80 = "tcc.add"(%76, %79) : (tensor<1024x128xi64>, tensor<1024x128xi64>) -> tensor<1024x128xi64>
  %81 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %82 = "tcc.mod"(%80, %81) : (tensor<1024x128xi64>, tensor<i64>) -> tensor<1024x128xi64>
  %83 = "tcc.constant"() {value = dense<128> : tensor<i64>} : () -> tensor<i64>
  %84 = "tcc.sub"(%82, %83) : (tensor<1024x128xi64>, tensor<i64>) -> tensor<1024x128xi64>
  %85 = "tcc.convert"(%84) {saturate = true} : (tensor<1024x128xi64>) -> tensor<1024x128xi8>
  %86 = "tcc.constant"() {value = dense<-3> : tensor<i8>} : () -> tensor<i8>
  %87 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<8x1024xi64>
  %88 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %89 = "tcc.mul"(%87, %88) : (tensor<8x1024xi64>, tensor<i64>) -> tensor<8x1024xi64>
  %90 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<8x1024xi64>
  %91 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %92 = "tcc.mul"(%90, %91) : (tensor<8x1024xi64>, tensor<i64>) -> tensor<8x1024xi64>
  %93 = "tcc.add"(%89, %92) : (tensor<8x1024xi64>, tensor<8x1024xi64>) -> tensor<8x1024xi64>
  %94 = "tcc.constant"() {value = dense<27> : tensor<i64>} : () -> tensor<i64>
  %95 = "tcc.mod"(%93, %94) : (tensor<8x1024xi64>, tensor<i64>) -> tensor<8x1024xi64>
  %96 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %97 = "tcc.sub"(%95, %96) : (tensor<8x1024xi64>, tensor<i64>) -> tensor<8x1024xi64>
  %98 = "tcc.convert"(%97) {saturate = true} : (tensor<8x1024xi64>) -> tensor<8x1024xf32>
  %99 = "tcc.convert"(%85) : (tensor<1024x128xi8>) -> tensor<1024x128xf32>
  %100 = "tcc.convert"(%86) : (tensor<i8>) -> tensor<f32>
  %101 = "tcc.sub"(%99, %100) : (tensor<1024x128xf32>, tensor<f32>) -> tensor<1024x128xf32>
  %102 = "tcc.dot_general"(%98, %101) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x1024xf32>, tensor<1024x128xf32>) -> tensor<8x128xf32>
  %103 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<1100x192xi64>
  %104 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %105 = "tcc.mul"(%103, %104) : (tensor<1100x192xi64>, tensor<i64>) -> tensor<1100x192xi64>
  %106 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<1100x192xi64>
  %107 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %108 = "tcc.mul"(%106, %107) : (tensor<1100x192xi64>, tensor<i64>) -> tensor<1100x192xi64>
  %109 = "tcc.add"(%105, %108) : (tensor<1100x192xi64>, tensor<1100x192xi64>) -> tensor<1100x192xi64>
  %110 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %111 = "tcc.mod"(%109, %110) : (tensor<1100x192xi64>, tensor<i64>) -> tensor<1100x192xi64>
  %112 = "tcc.constant"() {value = dense<128> : tensor<i64>} : () -> tensor<i64>
  %113 = "tcc.sub"(%111, %112) : (tensor<1100x192xi64>, tensor<i64>) -> tensor<1100x192xi64>
  %114 = "tcc.convert"(%113) {saturate = true} : (tensor<1100x192xi64>) -> tensor<1100x192xi8>
  %115 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x1100xi64>
  %116 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %117 = "tcc.mul"(%115, %116) : (tensor<2x1100xi64>, tensor<i64>) -> tensor<2x1100xi64>
  %118 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x1100xi64>
  %119 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %120 = "tcc.mul"(%118, %119) : (tensor<2x1100xi64>, tensor<i64>) -> tensor<2x1100xi64>
  %121 = "tcc.add"(%117, %120) : (tensor<2x1100xi64>, tensor<2x1100xi64>) -> tensor<2x1100xi64>
  %122 = "tcc.constant"() {value = dense<27> : tensor<i64>} : () -> tensor<i64>
  %123 = "tcc.mod"(%121, %122) : (tensor<2x1100xi64>, tensor<i64>) -> tensor<2x1100xi64>
  %124 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %125 = "tcc.sub"(%123, %124) : (tensor<2x1100xi64>, tensor<i64>) -> tensor<2x1100xi64>
  %126 = "tcc.convert"(%125) {saturate = true} : (tensor<2x1100xi64>) -> tensor<2x1100xf32>
  %127 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<192xi64>
  %128 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %129 = "tcc.mul"(%127, %128) : (tensor<192xi64>, tensor<i64>) -> tensor<192xi64>
  %130 = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %131 = "tcc.mod"(%129, %130) : (tensor<192xi64>, tensor<i64>) -> tensor<192xi64>
  %132 = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %133 = "tcc.sub"(%131, %132) : (tensor<192xi64>, tensor<i64>) -> tensor<192xi64>
  %134 = "tcc.convert"(%133) {saturate = true} : (tensor<192xi64>) -> tensor<192xf32>
  %135 = "tcc.convert"(%114) : (tensor<1100x192xi8>) -> tensor<1100x192xf32>
  %136 = "tcc.mul"(%135, %134) : (tensor<1100x192xf32>, tensor<192xf32>) -> tensor<1100x192xf32>
  %137 = "tcc.dot_general"(%126, %136) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x1100xf32>, tensor<1100x192xf32>) -> tensor<2x192xf32>
  %138 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x900xi64>
  %139 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %140 = "tcc.mul"(%138, %139) : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi64>
  %141 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<4x900xi64>
  %142 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %143 = "tcc.mul"(%141, %142) : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi64>
  %144 = "tcc.add"(%140, %143) : (tensor<4x900xi64>, tensor<4x900xi64>) -> tensor<4x900xi64>
  %145 = "tcc.constant"() {value = dense<27> : tensor<i64>} : () -> tensor<i64>
  %146 = "tcc.mod"(%144, %145) : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi64>
  %147 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %148 = "tcc.sub"(%146, %147) : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi64>
  %149 = "tcc.convert"(%148) {saturate = true} : (tensor<4x900xi64>) -> tensor<4x900xf32>
  %150 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<4x900xi64>
  %151 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<4x900xi64>
  %152 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %153 = "tcc.compare"(%150, %152) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %154 = "tcc.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %155 = "tcc.compare"(%151, %154) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %156 = "tcc.and"(%153, %155) : (tensor<4x900xi1>, tensor<4x900xi1>) -> tensor<4x900xi1>
  %157 = "tcc.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %158 = "tcc.select"(%156, %157, %149) : (tensor<4x900xi1>, tensor<f32>, tensor<4x900xf32>) -> tensor<4x900xf32>
  %159 = "tcc.constant"() {value = dense<899> : tensor<i64>} : () -> tensor<i64>
  %160 = "tcc.compare"(%150, %159) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %161 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %162 = "tcc.compare"(%151, %161) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %163 = "tcc.and"(%160, %162) : (tensor<4x900xi1>, tensor<4x900xi1>) -> tensor<4x900xi1>
  %164 = "tcc.constant"() {value = dense<0x7F800000> : tensor<f32>} : () -> tensor<f32>
  %165 = "tcc.select"(%163, %164, %158) : (tensor<4x900xi1>, tensor<f32>, tensor<4x900xf32>) -> tensor<4x900xf32>
  %166 = "tcc.constant"() {value = dense<700> : tensor<i64>} : () -> tensor<i64>
  %167 = "tcc.compare"(%150, %166) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %168 = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %169 = "tcc.compare"(%151, %168) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %170 = "tcc.and"(%167, %169) : (tensor<4x900xi1>, tensor<4x900xi1>) -> tensor<4x900xi1>
  %171 = "tcc.constant"() {value = dense<3.0e+38> : tensor<f32>} : () -> tensor<f32>
  %172 = "tcc.select"(%170, %171, %165) : (tensor<4x900xi1>, tensor<f32>, tensor<4x900xf32>) -> tensor<4x900xf32>
  %173 = "tcc.constant"() {value = dense<1.0e-44> : tensor<f32>} : () -> tensor<f32>
  %174 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %175 = "tcc.compare"(%151, %174) {predicate = "eq"} : (tensor<4x900xi64>, tensor<i64>) -> tensor<4x900xi1>
  %176 = "tcc.select"(%175, %173, %172) : (tensor<4x900xi1>, tensor<f32>, tensor<4x900xf32>) -> tensor<4x900xf32>
  %177 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<900x96xi64>
  %178 = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %179 = "tcc.mul"(%177, %178) : (tensor<900x96xi64>, tensor<i64>) -> tensor<900x96xi64>
  %180 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<900x96xi64>
  %181 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %182 = "tcc.mul"(%180, %181) : (tensor<900x96xi64>, tensor<i64>) -> tensor<900x96xi64>
  %183 = "tcc.add"(%179, %182) : (tensor<900x96xi64>, tensor<900x96xi64>) -> tensor<900x96xi64>
  %184 = "tcc.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %185 = "tcc.mod"(%183, %184) : (tensor<900x96xi64>, tensor<i64>) -> tensor<900x96xi64>
  %186 = "tcc.constant"() {value = dense<128> : tensor<i64>} : () -> tensor<i64>
  %187 = "tcc.sub"(%185, %186) : (tensor<900x96xi64>, tensor<i64>) -> tensor<900x96xi64>
  %188 = "tcc.convert"(%187) {saturate = true} : (tensor<900x96xi64>) -> tensor<900x96xi8>
  %189 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xi64>
  %190 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %191 = "tcc.mul"(%189, %190) : (tensor<96xi64>, tensor<i64>) -> tensor<96xi64>
  %192 = "tcc.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %193 = "tcc.mod"(%191, %192) : (tensor<96xi64>, tensor<i64>) -> tensor<96xi64>
  %194 = "tcc.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %195 = "tcc.sub"(%193, %194) : (tensor<96xi64>, tensor<i64>) -> tensor<96xi64>
  %196 = "tcc.convert"(%195) {saturate = true} : (tensor<96xi64>) -> tensor<96xf32>
  %197 = "tcc.convert"(%188) : (tensor<900x96xi8>) -> tensor<900x96xf32>
  %198 = "tcc.mul"(%197, %196) : (tensor<900x96xf32>, tensor<96xf32>) -> tensor<900x96xf32>
  %199 = "tcc.dot_general"(%176, %198) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x900xf32>, tensor<900x96xf32>) -> tensor<4x96xf32>
  return %12, %24, %32, %35, %47, %60, %68, %73, %85, %98, %102, %114, %126, %134, %137, %188, %176, %196, %199 : tensor<203x141xi8>, tensor<1x203xf32>, tensor<141xf32>, tensor<1x141xf32>, tensor<1101x200xui8>, tensor<3x1101xf32>, tensor<200xf32>, tensor<3x200xf32>, tensor<1024x128xi8>, tensor<8x1024xf32>, tensor<8x128xf32>, tensor<1100x192xi8>, tensor<2x1100xf32>, tensor<192xf32>, tensor<2x192xf32>, tensor<900x96xi8>, tensor<4x900xf32>, tensor<96xf32>, tensor<4x96xf32>
}
