// RUN: rm -rf %t && tcc-run %s --no-cache --save=%t && tcc-interp %s --data=%t --check
// RUN: rm -rf %t && tcc-run %s --no-cache --target=x86,avx2 --save=%t && tcc-interp %s --data=%t --check
// RUN: tcc-explain %s --no-cache | FileCheck %s
// REQUIRES: avx2

// Right operands of 16 and 8 bits are read as they are, widened and dequantised on the way: a scale a column, a zero point,
// scales of blocks, columns or depth contiguous. Against the interpreter; all sums are exact.
// CHECK-COUNT-4: fused: dot_general
// CHECK: fused: convert convert sub mul dot_general
// CHECK: fused: reshape convert convert sub mul dot_general
// CHECK: fused: reshape broadcast reshape convert mul dot_general
// CHECK-NOT: x86.contract
func.func @main() -> (tensor<2x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<2x31xf16>, tensor<192x141xi8>, tensor<141xf32>, tensor<141xi8>, tensor<2x141xf32>, tensor<29x192xi8>, tensor<29xf32>, tensor<29xi8>, tensor<2x29xf32>, tensor<192x53xi8>, tensor<6x53xf32>, tensor<2x53xf32>, tensor<29x192xi8>, tensor<29x6xf32>, tensor<2x29xf32>) {
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
  %13 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %14 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %15 = "tcc.mul"(%13, %14) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %16 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %17 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %18 = "tcc.mul"(%16, %17) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %19 = "tcc.add"(%15, %18) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %20 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %21 = "tcc.mod"(%19, %20) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %22 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %23 = "tcc.sub"(%21, %22) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %24 = "tcc.convert"(%23) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xbf16>
  %25 = "tcc.dot_general"(%12, %24) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xbf16>, tensor<165x129xbf16>) -> tensor<2x129xbf16>
  %26 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %27 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %28 = "tcc.mul"(%26, %27) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %29 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %30 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %31 = "tcc.mul"(%29, %30) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %32 = "tcc.add"(%28, %31) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %33 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %34 = "tcc.mod"(%32, %33) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %35 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %36 = "tcc.sub"(%34, %35) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %37 = "tcc.convert"(%36) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xbf16>
  %38 = "tcc.dot_general"(%12, %37) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xbf16>, tensor<31x165xbf16>) -> tensor<2x31xbf16>
  %39 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x165xi64>
  %40 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %41 = "tcc.mul"(%39, %40) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %42 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x165xi64>
  %43 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %44 = "tcc.mul"(%42, %43) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %45 = "tcc.add"(%41, %44) : (tensor<2x165xi64>, tensor<2x165xi64>) -> tensor<2x165xi64>
  %46 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %47 = "tcc.mod"(%45, %46) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %48 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %49 = "tcc.sub"(%47, %48) : (tensor<2x165xi64>, tensor<i64>) -> tensor<2x165xi64>
  %50 = "tcc.convert"(%49) {saturate = true} : (tensor<2x165xi64>) -> tensor<2x165xf16>
  %51 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<165x129xi64>
  %52 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %53 = "tcc.mul"(%51, %52) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %54 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<165x129xi64>
  %55 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %56 = "tcc.mul"(%54, %55) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %57 = "tcc.add"(%53, %56) : (tensor<165x129xi64>, tensor<165x129xi64>) -> tensor<165x129xi64>
  %58 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %59 = "tcc.mod"(%57, %58) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %60 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %61 = "tcc.sub"(%59, %60) : (tensor<165x129xi64>, tensor<i64>) -> tensor<165x129xi64>
  %62 = "tcc.convert"(%61) {saturate = true} : (tensor<165x129xi64>) -> tensor<165x129xf16>
  %63 = "tcc.dot_general"(%50, %62) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x165xf16>, tensor<165x129xf16>) -> tensor<2x129xf16>
  %64 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<31x165xi64>
  %65 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %66 = "tcc.mul"(%64, %65) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %67 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<31x165xi64>
  %68 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %69 = "tcc.mul"(%67, %68) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %70 = "tcc.add"(%66, %69) : (tensor<31x165xi64>, tensor<31x165xi64>) -> tensor<31x165xi64>
  %71 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %72 = "tcc.mod"(%70, %71) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %73 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %74 = "tcc.sub"(%72, %73) : (tensor<31x165xi64>, tensor<i64>) -> tensor<31x165xi64>
  %75 = "tcc.convert"(%74) {saturate = true} : (tensor<31x165xi64>) -> tensor<31x165xf16>
  %76 = "tcc.dot_general"(%50, %75) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x165xf16>, tensor<31x165xf16>) -> tensor<2x31xf16>
  %77 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<2x192xi64>
  %78 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %79 = "tcc.mul"(%77, %78) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %80 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<2x192xi64>
  %81 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %82 = "tcc.mul"(%80, %81) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %83 = "tcc.add"(%79, %82) : (tensor<2x192xi64>, tensor<2x192xi64>) -> tensor<2x192xi64>
  %84 = "tcc.constant"() {value = dense<13> : tensor<i64>} : () -> tensor<i64>
  %85 = "tcc.mod"(%83, %84) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %86 = "tcc.constant"() {value = dense<6> : tensor<i64>} : () -> tensor<i64>
  %87 = "tcc.sub"(%85, %86) : (tensor<2x192xi64>, tensor<i64>) -> tensor<2x192xi64>
  %88 = "tcc.convert"(%87) {saturate = true} : (tensor<2x192xi64>) -> tensor<2x192xf32>
  %89 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<192x141xi64>
  %90 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %91 = "tcc.mul"(%89, %90) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %92 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<192x141xi64>
  %93 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %94 = "tcc.mul"(%92, %93) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %95 = "tcc.add"(%91, %94) : (tensor<192x141xi64>, tensor<192x141xi64>) -> tensor<192x141xi64>
  %96 = "tcc.constant"() {value = dense<15> : tensor<i64>} : () -> tensor<i64>
  %97 = "tcc.mod"(%95, %96) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %98 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %99 = "tcc.sub"(%97, %98) : (tensor<192x141xi64>, tensor<i64>) -> tensor<192x141xi64>
  %100 = "tcc.convert"(%99) {saturate = true} : (tensor<192x141xi64>) -> tensor<192x141xi8>
  %101 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<141xi64>
  %102 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %103 = "tcc.mul"(%101, %102) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %104 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %105 = "tcc.mod"(%103, %104) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %106 = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %107 = "tcc.sub"(%105, %106) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %108 = "tcc.convert"(%107) {saturate = true} : (tensor<141xi64>) -> tensor<141xf32>
  %109 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<141xi64>
  %110 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %111 = "tcc.mul"(%109, %110) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %112 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %113 = "tcc.mod"(%111, %112) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %114 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %115 = "tcc.sub"(%113, %114) : (tensor<141xi64>, tensor<i64>) -> tensor<141xi64>
  %116 = "tcc.convert"(%115) {saturate = true} : (tensor<141xi64>) -> tensor<141xi8>
  %117 = "tcc.convert"(%100) : (tensor<192x141xi8>) -> tensor<192x141xf32>
  %118 = "tcc.convert"(%116) : (tensor<141xi8>) -> tensor<141xf32>
  %119 = "tcc.sub"(%117, %118) : (tensor<192x141xf32>, tensor<141xf32>) -> tensor<192x141xf32>
  %120 = "tcc.mul"(%119, %108) : (tensor<192x141xf32>, tensor<141xf32>) -> tensor<192x141xf32>
  %121 = "tcc.dot_general"(%88, %120) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x192xf32>, tensor<192x141xf32>) -> tensor<2x141xf32>
  %122 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x192xi64>
  %123 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %124 = "tcc.mul"(%122, %123) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %125 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x192xi64>
  %126 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %127 = "tcc.mul"(%125, %126) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %128 = "tcc.add"(%124, %127) : (tensor<29x192xi64>, tensor<29x192xi64>) -> tensor<29x192xi64>
  %129 = "tcc.constant"() {value = dense<15> : tensor<i64>} : () -> tensor<i64>
  %130 = "tcc.mod"(%128, %129) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %131 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %132 = "tcc.sub"(%130, %131) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %133 = "tcc.convert"(%132) {saturate = true} : (tensor<29x192xi64>) -> tensor<29x192xi8>
  %134 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29xi64>
  %135 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %136 = "tcc.mul"(%134, %135) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %137 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %138 = "tcc.mod"(%136, %137) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %139 = "tcc.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %140 = "tcc.sub"(%138, %139) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %141 = "tcc.convert"(%140) {saturate = true} : (tensor<29xi64>) -> tensor<29xf32>
  %142 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29xi64>
  %143 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %144 = "tcc.mul"(%142, %143) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %145 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %146 = "tcc.mod"(%144, %145) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %147 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %148 = "tcc.sub"(%146, %147) : (tensor<29xi64>, tensor<i64>) -> tensor<29xi64>
  %149 = "tcc.convert"(%148) {saturate = true} : (tensor<29xi64>) -> tensor<29xi8>
  %150 = "tcc.reshape"(%141) : (tensor<29xf32>) -> tensor<29x1xf32>
  %151 = "tcc.reshape"(%149) : (tensor<29xi8>) -> tensor<29x1xi8>
  %152 = "tcc.convert"(%133) : (tensor<29x192xi8>) -> tensor<29x192xf32>
  %153 = "tcc.convert"(%151) : (tensor<29x1xi8>) -> tensor<29x1xf32>
  %154 = "tcc.sub"(%152, %153) : (tensor<29x192xf32>, tensor<29x1xf32>) -> tensor<29x192xf32>
  %155 = "tcc.mul"(%154, %150) : (tensor<29x192xf32>, tensor<29x1xf32>) -> tensor<29x192xf32>
  %156 = "tcc.dot_general"(%88, %155) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x192xf32>, tensor<29x192xf32>) -> tensor<2x29xf32>
  %157 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<192x53xi64>
  %158 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %159 = "tcc.mul"(%157, %158) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %160 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<192x53xi64>
  %161 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %162 = "tcc.mul"(%160, %161) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %163 = "tcc.add"(%159, %162) : (tensor<192x53xi64>, tensor<192x53xi64>) -> tensor<192x53xi64>
  %164 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %165 = "tcc.mod"(%163, %164) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %166 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %167 = "tcc.sub"(%165, %166) : (tensor<192x53xi64>, tensor<i64>) -> tensor<192x53xi64>
  %168 = "tcc.convert"(%167) {saturate = true} : (tensor<192x53xi64>) -> tensor<192x53xi8>
  %169 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<6x53xi64>
  %170 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %171 = "tcc.mul"(%169, %170) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %172 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<6x53xi64>
  %173 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %174 = "tcc.mul"(%172, %173) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %175 = "tcc.add"(%171, %174) : (tensor<6x53xi64>, tensor<6x53xi64>) -> tensor<6x53xi64>
  %176 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %177 = "tcc.mod"(%175, %176) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %178 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %179 = "tcc.sub"(%177, %178) : (tensor<6x53xi64>, tensor<i64>) -> tensor<6x53xi64>
  %180 = "tcc.convert"(%179) {saturate = true} : (tensor<6x53xi64>) -> tensor<6x53xf32>
  %181 = "tcc.reshape"(%180) : (tensor<6x53xf32>) -> tensor<6x1x53xf32>
  %182 = "tcc.broadcast"(%181) : (tensor<6x1x53xf32>) -> tensor<6x32x53xf32>
  %183 = "tcc.reshape"(%182) : (tensor<6x32x53xf32>) -> tensor<192x53xf32>
  %184 = "tcc.convert"(%168) : (tensor<192x53xi8>) -> tensor<192x53xf32>
  %185 = "tcc.mul"(%184, %183) : (tensor<192x53xf32>, tensor<192x53xf32>) -> tensor<192x53xf32>
  %186 = "tcc.dot_general"(%88, %185) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x192xf32>, tensor<192x53xf32>) -> tensor<2x53xf32>
  %187 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x192xi64>
  %188 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %189 = "tcc.mul"(%187, %188) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %190 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x192xi64>
  %191 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %192 = "tcc.mul"(%190, %191) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %193 = "tcc.add"(%189, %192) : (tensor<29x192xi64>, tensor<29x192xi64>) -> tensor<29x192xi64>
  %194 = "tcc.constant"() {value = dense<11> : tensor<i64>} : () -> tensor<i64>
  %195 = "tcc.mod"(%193, %194) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %196 = "tcc.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %197 = "tcc.sub"(%195, %196) : (tensor<29x192xi64>, tensor<i64>) -> tensor<29x192xi64>
  %198 = "tcc.convert"(%197) {saturate = true} : (tensor<29x192xi64>) -> tensor<29x192xi8>
  %199 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<29x6xi64>
  %200 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %201 = "tcc.mul"(%199, %200) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %202 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<29x6xi64>
  %203 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %204 = "tcc.mul"(%202, %203) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %205 = "tcc.add"(%201, %204) : (tensor<29x6xi64>, tensor<29x6xi64>) -> tensor<29x6xi64>
  %206 = "tcc.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %207 = "tcc.mod"(%205, %206) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %208 = "tcc.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %209 = "tcc.sub"(%207, %208) : (tensor<29x6xi64>, tensor<i64>) -> tensor<29x6xi64>
  %210 = "tcc.convert"(%209) {saturate = true} : (tensor<29x6xi64>) -> tensor<29x6xf32>
  %211 = "tcc.reshape"(%210) : (tensor<29x6xf32>) -> tensor<29x6x1xf32>
  %212 = "tcc.broadcast"(%211) : (tensor<29x6x1xf32>) -> tensor<29x6x32xf32>
  %213 = "tcc.reshape"(%212) : (tensor<29x6x32xf32>) -> tensor<29x192xf32>
  %214 = "tcc.convert"(%198) : (tensor<29x192xi8>) -> tensor<29x192xf32>
  %215 = "tcc.mul"(%214, %213) : (tensor<29x192xf32>, tensor<29x192xf32>) -> tensor<29x192xf32>
  %216 = "tcc.dot_general"(%88, %215) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x192xf32>, tensor<29x192xf32>) -> tensor<2x29xf32>
  return %25, %38, %63, %76, %100, %108, %116, %121, %133, %141, %149, %156, %168, %180, %186, %198, %210, %216 : tensor<2x129xbf16>, tensor<2x31xbf16>, tensor<2x129xf16>, tensor<2x31xf16>, tensor<192x141xi8>, tensor<141xf32>, tensor<141xi8>, tensor<2x141xf32>, tensor<29x192xi8>, tensor<29xf32>, tensor<29xi8>, tensor<2x29xf32>, tensor<192x53xi8>, tensor<6x53xf32>, tensor<2x53xf32>, tensor<29x192xi8>, tensor<29x6xf32>, tensor<2x29xf32>
}
