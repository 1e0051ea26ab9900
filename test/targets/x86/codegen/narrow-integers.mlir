// Arithmetic of integers of 4 and 2 bits, all pairs: computed in 8 bits, wrapped once.
// RUN: split-file %s %t
// REQUIRES: avx2
// RUN: tcc-run %t/i4.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/i4.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui4.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui4.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/i2.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/i2.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui2.mlir --no-cache --target=x86 --compare=interp --rtol=0 --atol=0
// RUN: tcc-run %t/ui2.mlir --no-cache --target=x86,avx2 --compare=interp --rtol=0 --atol=0
// RUN: not tcc-run %t/scan.mlir --no-cache 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN: error: {{.*}}element type i4 does not compute

//--- i4.mlir
func.func @main() -> (tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x16xi64>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xi4>
  %3 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x16xi64>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %5 = "tcc.convert"(%4) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xi4>
  %6 = "tcc.add"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %7 = "tcc.sub"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %8 = "tcc.mul"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %9 = "tcc.max"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %10 = "tcc.min"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %11 = "tcc.and"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %12 = "tcc.or"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %13 = "tcc.xor"(%2, %5) : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  %14 = "tcc.compare"(%2, %5) {predicate = "eq"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %15 = "tcc.compare"(%2, %5) {predicate = "ne"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %16 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %17 = "tcc.compare"(%2, %5) {predicate = "le"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %18 = "tcc.compare"(%2, %5) {predicate = "gt"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %19 = "tcc.compare"(%2, %5) {predicate = "ge"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %20 = "tcc.neg"(%2) : (tensor<16x16xi4>) -> tensor<16x16xi4>
  %21 = "tcc.abs"(%2) : (tensor<16x16xi4>) -> tensor<16x16xi4>
  %22 = "tcc.not"(%2) : (tensor<16x16xi4>) -> tensor<16x16xi4>
  %23 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %24 = "tcc.select"(%23, %2, %5) : (tensor<16x16xi1>, tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi4>
  return %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %24 : tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>, tensor<16x16xi4>
}

//--- ui4.mlir
func.func @main() -> (tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x16xi64>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xui4>
  %3 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x16xi64>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %5 = "tcc.convert"(%4) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xui4>
  %6 = "tcc.add"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %7 = "tcc.sub"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %8 = "tcc.mul"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %9 = "tcc.max"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %10 = "tcc.min"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %11 = "tcc.and"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %12 = "tcc.or"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %13 = "tcc.xor"(%2, %5) : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  %14 = "tcc.compare"(%2, %5) {predicate = "eq"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %15 = "tcc.compare"(%2, %5) {predicate = "ne"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %16 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %17 = "tcc.compare"(%2, %5) {predicate = "le"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %18 = "tcc.compare"(%2, %5) {predicate = "gt"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %19 = "tcc.compare"(%2, %5) {predicate = "ge"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %20 = "tcc.neg"(%2) : (tensor<16x16xui4>) -> tensor<16x16xui4>
  %21 = "tcc.abs"(%2) : (tensor<16x16xui4>) -> tensor<16x16xui4>
  %22 = "tcc.not"(%2) : (tensor<16x16xui4>) -> tensor<16x16xui4>
  %23 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xi1>
  %24 = "tcc.select"(%23, %2, %5) : (tensor<16x16xi1>, tensor<16x16xui4>, tensor<16x16xui4>) -> tensor<16x16xui4>
  return %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %24 : tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>, tensor<16x16xui4>
}

//--- i2.mlir
func.func @main() -> (tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x16xi64>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xi2>
  %3 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x16xi64>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %5 = "tcc.convert"(%4) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xi2>
  %6 = "tcc.add"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %7 = "tcc.sub"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %8 = "tcc.mul"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %9 = "tcc.max"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %10 = "tcc.min"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %11 = "tcc.and"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %12 = "tcc.or"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %13 = "tcc.xor"(%2, %5) : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  %14 = "tcc.compare"(%2, %5) {predicate = "eq"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %15 = "tcc.compare"(%2, %5) {predicate = "ne"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %16 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %17 = "tcc.compare"(%2, %5) {predicate = "le"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %18 = "tcc.compare"(%2, %5) {predicate = "gt"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %19 = "tcc.compare"(%2, %5) {predicate = "ge"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %20 = "tcc.neg"(%2) : (tensor<16x16xi2>) -> tensor<16x16xi2>
  %21 = "tcc.abs"(%2) : (tensor<16x16xi2>) -> tensor<16x16xi2>
  %22 = "tcc.not"(%2) : (tensor<16x16xi2>) -> tensor<16x16xi2>
  %23 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi1>
  %24 = "tcc.select"(%23, %2, %5) : (tensor<16x16xi1>, tensor<16x16xi2>, tensor<16x16xi2>) -> tensor<16x16xi2>
  return %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %24 : tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>, tensor<16x16xi2>
}

//--- ui2.mlir
func.func @main() -> (tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>) {
  %0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<16x16xi64>
  %1 = "tcc.convert"(%0) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %2 = "tcc.convert"(%1) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xui2>
  %3 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<16x16xi64>
  %4 = "tcc.convert"(%3) {saturate = true} : (tensor<16x16xi64>) -> tensor<16x16xi8>
  %5 = "tcc.convert"(%4) {saturate = true} : (tensor<16x16xi8>) -> tensor<16x16xui2>
  %6 = "tcc.add"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %7 = "tcc.sub"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %8 = "tcc.mul"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %9 = "tcc.max"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %10 = "tcc.min"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %11 = "tcc.and"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %12 = "tcc.or"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %13 = "tcc.xor"(%2, %5) : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  %14 = "tcc.compare"(%2, %5) {predicate = "eq"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %15 = "tcc.compare"(%2, %5) {predicate = "ne"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %16 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %17 = "tcc.compare"(%2, %5) {predicate = "le"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %18 = "tcc.compare"(%2, %5) {predicate = "gt"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %19 = "tcc.compare"(%2, %5) {predicate = "ge"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %20 = "tcc.neg"(%2) : (tensor<16x16xui2>) -> tensor<16x16xui2>
  %21 = "tcc.abs"(%2) : (tensor<16x16xui2>) -> tensor<16x16xui2>
  %22 = "tcc.not"(%2) : (tensor<16x16xui2>) -> tensor<16x16xui2>
  %23 = "tcc.compare"(%2, %5) {predicate = "lt"} : (tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xi1>
  %24 = "tcc.select"(%23, %2, %5) : (tensor<16x16xi1>, tensor<16x16xui2>, tensor<16x16xui2>) -> tensor<16x16xui2>
  return %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %24 : tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xi1>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>, tensor<16x16xui2>
}

//--- scan.mlir
func.func @main(%x: tensor<4x9xi4>) -> tensor<4x9xi4> {
  %0 = "tcc.cumulative"(%x) {axis = 1 : i64, exclusive = false, kind = "sum", reverse = false} : (tensor<4x9xi4>) -> tensor<4x9xi4>
  return %0 : tensor<4x9xi4>
}
