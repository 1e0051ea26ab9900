// RUN: rm -rf %t && tcc-run %s --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-explain %s --no-cache --target=x86,avx512 | FileCheck %s
// REQUIRES: avx2

// Right operands of 16 and 8 bits are read as they are, widened and dequantised on the way: a scale a column, a zero point,
// scales of blocks, columns or depth contiguous. With more rows 16 bits are packed and widened by panels. Against the
// interpreter; all sums are exact.
// CHECK-COUNT-4: fused: dot_general
// CHECK: fused: convert convert sub mul dot_general
// CHECK: fused: reshape convert sub mul dot_general
// CHECK: fused: reshape broadcast reshape convert mul dot_general

func.func @main() -> (tensor<2x129xbf16>, tensor<19x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<19x129xf16>, tensor<2x31xf16>, tensor<192x141xi8>, tensor<141xf32>, tensor<141xi8>, tensor<2x141xf32>, tensor<29x192xi8>, tensor<29xf32>, tensor<29xi8>, tensor<2x29xf32>, tensor<192x53xi8>, tensor<6x53xf32>, tensor<2x53xf32>, tensor<29x192xi8>, tensor<29x6xf32>, tensor<2x29xf32>) {
  %1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x165xi64>
  %2 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %3 = "tcc.mul"(%1, %2) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %4 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x165xi64>
  %5 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %6 = "tcc.mul"(%4, %5) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %7 = "tcc.add"(%3, %6) : (tensor<2x165xi64>, tensor<2x165xi64>) -> tensor<2x165xi64>
  %8 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %9 = "tcc.mod"(%7, %8) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %10 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %11 = "tcc.sub"(%9, %10) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %12 = "tcc.convert"(%11) {saturate = true} : (tensor<2x165xi64>) -> tensor<2x165xbf16>
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<19x165xi64>
  %14 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %15 = "tcc.mul"(%13, %14) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %16 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<19x165xi64>
  %17 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %18 = "tcc.mul"(%16, %17) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %19 = "tcc.add"(%15, %18) : (tensor<19x165xi64>, tensor<19x165xi64>) -> tensor<19x165xi64>
  %20 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.mod"(%19, %20) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %22 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %23 = "tcc.sub"(%21, %22) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %24 = "tcc.convert"(%23) {saturate = true} : (tensor<19x165xi64>) -> tensor<19x165xbf16>
  %25 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %26 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %27 = "tcc.mul"(%25, %26) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %28 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %29 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %30 = "tcc.mul"(%28, %29) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %31 = "tcc.add"(%27, %30) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %32 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %33 = "tcc.mod"(%31, %32) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %34 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %35 = "tcc.sub"(%33, %34) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %36 = "tcc.convert"(%35) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xbf16>
  %37 = "tcc.dot_general"(%12, %36) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xbf16>, tensor<165x129xbf16>) -> tensor<2x129xbf16>
  %38 = "tcc.dot_general"(%24, %36) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x165xbf16>, tensor<165x129xbf16>) -> tensor<19x129xbf16>
  %39 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %40 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %41 = "tcc.mul"(%39, %40) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %42 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %43 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %44 = "tcc.mul"(%42, %43) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %45 = "tcc.add"(%41, %44) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %46 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %47 = "tcc.mod"(%45, %46) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %48 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %49 = "tcc.sub"(%47, %48) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %50 = "tcc.convert"(%49) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xbf16>
  %51 = "tcc.dot_general"(%12, %50) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xbf16>, tensor<31x165xbf16>) -> tensor<2x31xbf16>
  %52 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x165xi64>
  %53 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %54 = "tcc.mul"(%52, %53) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %55 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x165xi64>
  %56 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %57 = "tcc.mul"(%55, %56) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %58 = "tcc.add"(%54, %57) : (tensor<2x165xi64>, tensor<2x165xi64>) -> tensor<2x165xi64>
  %59 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %60 = "tcc.mod"(%58, %59) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %61 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %62 = "tcc.sub"(%60, %61) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %63 = "tcc.convert"(%62) {saturate = true} : (tensor<2x165xi64>) -> tensor<2x165xf16>
  %64 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<19x165xi64>
  %65 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %66 = "tcc.mul"(%64, %65) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %67 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<19x165xi64>
  %68 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %69 = "tcc.mul"(%67, %68) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %70 = "tcc.add"(%66, %69) : (tensor<19x165xi64>, tensor<19x165xi64>) -> tensor<19x165xi64>
  %71 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %72 = "tcc.mod"(%70, %71) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %73 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %74 = "tcc.sub"(%72, %73) : (tensor<19x165xi64>, tensor<i64>) -> tensor<19x165xi64>
  %75 = "tcc.convert"(%74) {saturate = true} : (tensor<19x165xi64>) -> tensor<19x165xf16>
  %76 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %77 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %78 = "tcc.mul"(%76, %77) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %79 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %80 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %81 = "tcc.mul"(%79, %80) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %82 = "tcc.add"(%78, %81) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %83 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %84 = "tcc.mod"(%82, %83) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %85 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %86 = "tcc.sub"(%84, %85) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %87 = "tcc.convert"(%86) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xf16>
  %88 = "tcc.dot_general"(%63, %87) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xf16>, tensor<165x129xf16>) -> tensor<2x129xf16>
  %89 = "tcc.dot_general"(%75, %87) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<19x165xf16>, tensor<165x129xf16>) -> tensor<19x129xf16>
  %90 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %91 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %92 = "tcc.mul"(%90, %91) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %93 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %94 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %95 = "tcc.mul"(%93, %94) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %96 = "tcc.add"(%92, %95) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %97 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %98 = "tcc.mod"(%96, %97) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %99 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %100 = "tcc.sub"(%98, %99) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %101 = "tcc.convert"(%100) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xf16>
  %102 = "tcc.dot_general"(%63, %101) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xf16>, tensor<31x165xf16>) -> tensor<2x31xf16>
  %103 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x192xi64>
  %104 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %105 = "tcc.mul"(%103, %104) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %106 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x192xi64>
  %107 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %108 = "tcc.mul"(%106, %107) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %109 = "tcc.add"(%105, %108) : (tensor<2x192xi64>, tensor<2x192xi64>) -> tensor<2x192xi64>
  %110 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %111 = "tcc.mod"(%109, %110) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %112 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %113 = "tcc.sub"(%111, %112) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %114 = "tcc.convert"(%113) {saturate = true} : (tensor<2x192xi64>) -> tensor<2x192xf32>
  %115 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<192x141xi64>
  %116 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %117 = "tcc.mul"(%115, %116) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %118 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<192x141xi64>
  %119 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %120 = "tcc.mul"(%118, %119) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %121 = "tcc.add"(%117, %120) : (tensor<192x141xi64>, tensor<192x141xi64>) -> tensor<192x141xi64>
  %122 = "tcc.constant"() {value = dense<15> : tensor<i64>} : () -> tensor<i64>
  %123 = "tcc.mod"(%121, %122) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %124 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %125 = "tcc.sub"(%123, %124) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %126 = "tcc.convert"(%125) {saturate = true} : (tensor<192x141xi64>) -> tensor<192x141xi8>
  %127 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<141xi64>
  %128 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %129 = "tcc.mul"(%127, %128) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %130 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %131 = "tcc.mod"(%129, %130) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %132 = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %133 = "tcc.sub"(%131, %132) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %134 = "tcc.convert"(%133) {saturate = true} : (tensor<141xi64>) -> tensor<141xf32>
  %135 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<141xi64>
  %136 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %137 = "tcc.mul"(%135, %136) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %138 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %139 = "tcc.mod"(%137, %138) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %140 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %141 = "tcc.sub"(%139, %140) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %142 = "tcc.convert"(%141) {saturate = true} : (tensor<141xi64>) -> tensor<141xi8>
  %143 = "tcc.convert"(%126) : (tensor<192x141xi8>) -> tensor<192x141xf32>
  %144 = "tcc.convert"(%142) : (tensor<141xi8>) -> tensor<141xf32>
  %145 = "tcc.sub"(%143, %144) : (tensor<192x141xf32>, tensor<141xf32>) -> tensor<192x141xf32>
  %146 = "tcc.mul"(%145, %134) : (tensor<192x141xf32>, tensor<141xf32>) -> tensor<192x141xf32>
  %147 = "tcc.dot_general"(%114, %146) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x192xf32>, tensor<192x141xf32>) -> tensor<2x141xf32>
  %148 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x192xi64>
  %149 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %150 = "tcc.mul"(%148, %149) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %151 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x192xi64>
  %152 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %153 = "tcc.mul"(%151, %152) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %154 = "tcc.add"(%150, %153) : (tensor<29x192xi64>, tensor<29x192xi64>) -> tensor<29x192xi64>
  %155 = "tcc.constant"() {value = dense<15> : tensor<i64>} : () -> tensor<i64>
  %156 = "tcc.mod"(%154, %155) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %157 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %158 = "tcc.sub"(%156, %157) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %159 = "tcc.convert"(%158) {saturate = true} : (tensor<29x192xi64>) -> tensor<29x192xi8>
  %160 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29xi64>
  %161 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %162 = "tcc.mul"(%160, %161) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %163 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %164 = "tcc.mod"(%162, %163) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %165 = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %166 = "tcc.sub"(%164, %165) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %167 = "tcc.convert"(%166) {saturate = true} : (tensor<29xi64>) -> tensor<29xf32>
  %168 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29xi64>
  %169 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %170 = "tcc.mul"(%168, %169) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %171 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %172 = "tcc.mod"(%170, %171) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %173 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %174 = "tcc.sub"(%172, %173) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %175 = "tcc.convert"(%174) {saturate = true} : (tensor<29xi64>) -> tensor<29xi8>
  %176 = "tcc.reshape"(%167) : (tensor<29xf32>) -> tensor<29x1xf32>
  %177 = "tcc.reshape"(%175) : (tensor<29xi8>) -> tensor<29x1xi8>
  %178 = "tcc.convert"(%159) : (tensor<29x192xi8>) -> tensor<29x192xf32>
  %179 = "tcc.convert"(%177) : (tensor<29x1xi8>) -> tensor<29x1xf32>
  %180 = "tcc.sub"(%178, %179) : (tensor<29x192xf32>, tensor<29x1xf32>) -> tensor<29x192xf32>
  %181 = "tcc.mul"(%180, %176) : (tensor<29x192xf32>, tensor<29x1xf32>) -> tensor<29x192xf32>
  %182 = "tcc.dot_general"(%114, %181) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x192xf32>, tensor<29x192xf32>) -> tensor<2x29xf32>
  %183 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<192x53xi64>
  %184 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %185 = "tcc.mul"(%183, %184) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %186 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<192x53xi64>
  %187 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %188 = "tcc.mul"(%186, %187) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %189 = "tcc.add"(%185, %188) : (tensor<192x53xi64>, tensor<192x53xi64>) -> tensor<192x53xi64>
  %190 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %191 = "tcc.mod"(%189, %190) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %192 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %193 = "tcc.sub"(%191, %192) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %194 = "tcc.convert"(%193) {saturate = true} : (tensor<192x53xi64>) -> tensor<192x53xi8>
  %195 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6x53xi64>
  %196 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %197 = "tcc.mul"(%195, %196) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %198 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<6x53xi64>
  %199 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %200 = "tcc.mul"(%198, %199) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %201 = "tcc.add"(%197, %200) : (tensor<6x53xi64>, tensor<6x53xi64>) -> tensor<6x53xi64>
  %202 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %203 = "tcc.mod"(%201, %202) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %204 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %205 = "tcc.sub"(%203, %204) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %206 = "tcc.convert"(%205) {saturate = true} : (tensor<6x53xi64>) -> tensor<6x53xf32>
  %207 = "tcc.reshape"(%206) : (tensor<6x53xf32>) -> tensor<6x1x53xf32>
  %208 = "tcc.broadcast"(%207) : (tensor<6x1x53xf32>) -> tensor<6x32x53xf32>
  %209 = "tcc.reshape"(%208) : (tensor<6x32x53xf32>) -> tensor<192x53xf32>
  %210 = "tcc.convert"(%194) : (tensor<192x53xi8>) -> tensor<192x53xf32>
  %211 = "tcc.mul"(%210, %209) : (tensor<192x53xf32>, tensor<192x53xf32>) -> tensor<192x53xf32>
  %212 = "tcc.dot_general"(%114, %211) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x192xf32>, tensor<192x53xf32>) -> tensor<2x53xf32>
  %213 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x192xi64>
  %214 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %215 = "tcc.mul"(%213, %214) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %216 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x192xi64>
  %217 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %218 = "tcc.mul"(%216, %217) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %219 = "tcc.add"(%215, %218) : (tensor<29x192xi64>, tensor<29x192xi64>) -> tensor<29x192xi64>
  %220 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %221 = "tcc.mod"(%219, %220) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %222 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %223 = "tcc.sub"(%221, %222) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %224 = "tcc.convert"(%223) {saturate = true} : (tensor<29x192xi64>) -> tensor<29x192xi8>
  %225 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x6xi64>
  %226 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %227 = "tcc.mul"(%225, %226) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %228 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x6xi64>
  %229 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %230 = "tcc.mul"(%228, %229) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %231 = "tcc.add"(%227, %230) : (tensor<29x6xi64>, tensor<29x6xi64>) -> tensor<29x6xi64>
  %232 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %233 = "tcc.mod"(%231, %232) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %234 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %235 = "tcc.sub"(%233, %234) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %236 = "tcc.convert"(%235) {saturate = true} : (tensor<29x6xi64>) -> tensor<29x6xf32>
  %237 = "tcc.reshape"(%236) : (tensor<29x6xf32>) -> tensor<29x6x1xf32>
  %238 = "tcc.broadcast"(%237) : (tensor<29x6x1xf32>) -> tensor<29x6x32xf32>
  %239 = "tcc.reshape"(%238) : (tensor<29x6x32xf32>) -> tensor<29x192xf32>
  %240 = "tcc.convert"(%224) : (tensor<29x192xi8>) -> tensor<29x192xf32>
  %241 = "tcc.mul"(%240, %239) : (tensor<29x192xf32>, tensor<29x192xf32>) -> tensor<29x192xf32>
  %242 = "tcc.dot_general"(%114, %241) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x192xf32>, tensor<29x192xf32>) -> tensor<2x29xf32>
  return %37, %38, %51, %88, %89, %102, %126, %134, %142, %147, %159, %167, %175, %182, %194, %206, %212, %224, %236, %242 : tensor<2x129xbf16>, tensor<19x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<19x129xf16>, tensor<2x31xf16>, tensor<192x141xi8>, tensor<141xf32>, tensor<141xi8>, tensor<2x141xf32>, tensor<29x192xi8>, tensor<29xf32>, tensor<29xi8>, tensor<2x29xf32>, tensor<192x53xi8>, tensor<6x53xf32>, tensor<2x53xf32>, tensor<29x192xi8>, tensor<29x6xf32>, tensor<2x29xf32>
}
