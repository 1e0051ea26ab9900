// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=1 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=1 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=65 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=65 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=3 --save=%t --target=x86,avx2 && tcc-run %s --target=reference --random=1 --dim=N=3 --data=%t --check --rtol=1e-5 --atol=1e-6
// RUN: tcc-run %s --random --dim=N=2 --profile | FileCheck %s
// REQUIRES: avx2

// Elementwise ops, views, pads, gathers and concatenations against the reference target.
// CHECK: x86.map
// CHECK-NOT: {{reference|loops}}
func.func @main(%x0: tensor<?x37x5xf32, ["N", 37, 5]>, %x1: tensor<5xf32>, %x2: tensor<?x3xi64, ["N", 3]>, %x3: tensor<2x20xf32>, %x4: tensor<2x7xi32>, %x5: tensor<4x2xi64>, %x6: tensor<3xi64>, %x7: tensor<3x4x20xf32>) -> (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5x?x37xf32, [5, "N", 37]>, tensor<?x12x2xf32, ["N", 12, 2]>, tensor<?xf32, ["185*N"]>, tensor<?x120xf32, ["N", 120]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x3x20xf32, ["N", 3, 20]>, tensor<2x?x3xf32, [2, "N", 3]>, tensor<2x7xf32>, tensor<4xf32>, tensor<?x37x10xf32, ["N", 37, 10]>, tensor<?x74x5xf32, ["N", 74, 5]>, tensor<?x6xi64, ["N", 6]>, tensor<2x3x18xf32>, tensor<?x37x5xi1, ["N", 37, 5]>, tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5x37x?xi1, [5, 37, "N"]>) {
  %1 = "tcc.mul"(%x0, %x1) : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5xf32>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %2 = "tcc.exp"(%1) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %3 = "tcc.tanh"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %4 = "tcc.transpose"(%3) {perm = array<i64: 2, 0, 1>} : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<5x?x37xf32, [5, "N", 37]>
  %5 = "tcc.slice"(%x0) {starts = [0, 35, 1], steps = array<i64: 1, -3, 2>} : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x12x2xf32, ["N", 12, 2]>
  %6 = "tcc.reshape"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?xf32, ["185*N"]>
  %7 = "tcc.sin"(%6) : (tensor<?xf32, ["185*N"]>) -> tensor<?xf32, ["185*N"]>
  %8 = "tcc.slice"(%x0) {starts = [0, 3, 1], steps = array<i64: 1, 1, 1>} : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x30x4xf32, ["N", 30, 4]>
  %9 = "tcc.reshape"(%8) : (tensor<?x30x4xf32, ["N", 30, 4]>) -> tensor<?x2x15x4xf32, ["N", 2, 15, 4]>
  %10 = "tcc.transpose"(%9) {perm = array<i64: 0, 2, 1, 3>} : (tensor<?x2x15x4xf32, ["N", 2, 15, 4]>) -> tensor<?x15x2x4xf32, ["N", 15, 2, 4]>
  %11 = "tcc.reshape"(%10) : (tensor<?x15x2x4xf32, ["N", 15, 2, 4]>) -> tensor<?x120xf32, ["N", 120]>
  %12 = "tcc.abs"(%11) : (tensor<?x120xf32, ["N", 120]>) -> tensor<?x120xf32, ["N", 120]>
  %13 = "tcc.log1p"(%12) : (tensor<?x120xf32, ["N", 120]>) -> tensor<?x120xf32, ["N", 120]>
  %14 = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %15 = "tcc.neg"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %16 = "tcc.pad"(%15, %14) {low = [0, 2, 3], high = [0, 3, 1], mode = "constant"} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<f32>) -> tensor<?x42x9xf32, ["N", 42, 9]>
  %17 = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %18 = "tcc.neg"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %19 = "tcc.pad"(%18, %17) {low = [0, 2, 3], high = [0, 3, 1], mode = "edge"} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<f32>) -> tensor<?x42x9xf32, ["N", 42, 9]>
  %20 = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %21 = "tcc.neg"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %22 = "tcc.pad"(%21, %20) {low = [0, 2, 3], high = [0, 3, 1], mode = "reflect"} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<f32>) -> tensor<?x42x9xf32, ["N", 42, 9]>
  %23 = "tcc.constant"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>
  %24 = "tcc.neg"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %25 = "tcc.pad"(%24, %23) {low = [0, 2, 3], high = [0, 3, 1], mode = "wrap"} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<f32>) -> tensor<?x42x9xf32, ["N", 42, 9]>
  %26 = "tcc.gather"(%x3, %x2) {axis = 0 : i64} : (tensor<2x20xf32>, tensor<?x3xi64, ["N", 3]>) -> tensor<?x3x20xf32, ["N", 3, 20]>
  %27 = "tcc.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %28 = "tcc.sub"(%x2, %27) : (tensor<?x3xi64, ["N", 3]>, tensor<i64>) -> tensor<?x3xi64, ["N", 3]>
  %29 = "tcc.abs"(%x3) : (tensor<2x20xf32>) -> tensor<2x20xf32>
  %30 = "tcc.sqrt"(%29) : (tensor<2x20xf32>) -> tensor<2x20xf32>
  %31 = "tcc.gather"(%30, %28) {axis = 1 : i64} : (tensor<2x20xf32>, tensor<?x3xi64, ["N", 3]>) -> tensor<2x?x3xf32, [2, "N", 3]>
  %32 = "tcc.gather_elements"(%x3, %x4) {axis = 1 : i64} : (tensor<2x20xf32>, tensor<2x7xi32>) -> tensor<2x7xf32>
  %33 = "tcc.gather_nd"(%x3, %x5) {batch_dims = 0 : i64} : (tensor<2x20xf32>, tensor<4x2xi64>) -> tensor<4xf32>
  %34 = "tcc.abs"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %35 = "tcc.concat"(%x0, %34) {axis = 2 : i64} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x10xf32, ["N", 37, 10]>
  %36 = "tcc.erf"(%35) : (tensor<?x37x10xf32, ["N", 37, 10]>) -> tensor<?x37x10xf32, ["N", 37, 10]>
  %37 = "tcc.abs"(%x0) : (tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %38 = "tcc.concat"(%x0, %37) {axis = 1 : i64} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<?x37x5xf32, ["N", 37, 5]>) -> tensor<?x74x5xf32, ["N", 74, 5]>
  %39 = "tcc.iota"() {axis = 1 : i64} : () -> tensor<?x6xi64, ["N", 6]>
  %40 = "tcc.dynamic_slice"(%x7, %x6) : (tensor<3x4x20xf32>, tensor<3xi64>) -> tensor<2x3x18xf32>
  %41 = "tcc.compare"(%x0, %x1) {predicate = "lt"} : (tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5xf32>) -> tensor<?x37x5xi1, ["N", 37, 5]>
  %42 = "tcc.select"(%41, %x0, %x1) : (tensor<?x37x5xi1, ["N", 37, 5]>, tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5xf32>) -> tensor<?x37x5xf32, ["N", 37, 5]>
  %43 = "tcc.not"(%41) : (tensor<?x37x5xi1, ["N", 37, 5]>) -> tensor<?x37x5xi1, ["N", 37, 5]>
  %44 = "tcc.transpose"(%43) {perm = array<i64: 2, 1, 0>} : (tensor<?x37x5xi1, ["N", 37, 5]>) -> tensor<5x37x?xi1, [5, 37, "N"]>
  return %2, %4, %5, %7, %13, %16, %19, %22, %25, %26, %31, %32, %33, %36, %38, %39, %40, %41, %42, %44 : tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5x?x37xf32, [5, "N", 37]>, tensor<?x12x2xf32, ["N", 12, 2]>, tensor<?xf32, ["185*N"]>, tensor<?x120xf32, ["N", 120]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x42x9xf32, ["N", 42, 9]>, tensor<?x3x20xf32, ["N", 3, 20]>, tensor<2x?x3xf32, [2, "N", 3]>, tensor<2x7xf32>, tensor<4xf32>, tensor<?x37x10xf32, ["N", 37, 10]>, tensor<?x74x5xf32, ["N", 74, 5]>, tensor<?x6xi64, ["N", 6]>, tensor<2x3x18xf32>, tensor<?x37x5xi1, ["N", 37, 5]>, tensor<?x37x5xf32, ["N", 37, 5]>, tensor<5x37x?xi1, [5, 37, "N"]>
}
