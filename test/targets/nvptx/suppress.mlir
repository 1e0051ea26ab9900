// Non-maximum suppression on a device takes the boxes that the host takes: many of several classes and images, both kinds of boxes, fewer than a block's
// threads and more, no limit of scores, none at all; then the models of the front end.
// REQUIRES: python, avx2
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{device} = tcc-run --no-cache --emulate --random --target=nvptx
// RUN: tcc-run --no-cache --random --dim=N=700 %s --save=%t/host > %t/shapes
// RUN: %{device},sm_90a --dim=N=700 %s --save=%t/700 && diff -r %t/host %t/700
// RUN: tcc-run --no-cache --random=5 --dim=N=90 %s --save=%t/few > %t/shapes
// RUN: %{device},sm_80 --random=5 --dim=N=90 %s --save=%t/90 && diff -r %t/few %t/90
// RUN: %{device},sm_80 --dim=N=0 %s | FileCheck %s --check-prefix=NONE
// NONE: i64[2x3x0]
// Products are rounded before they are added, as on the host: the middle less half of a size alone is a fused multiply-add, which is exact.
// RUN: tcc-opt --pipeline=default --target=nvptx,sm_90a %s | tcc-translate --to-ptx --target=nvptx,sm_90a - | FileCheck %s --check-prefix=ROUNDED
// ROUNDED-NOT: fma.rn.f32 %{{[^,]*}}, %{{[^,]*}}, %
// ROUNDED: mul.rn.f32
// ROUNDED-NOT: fma.rn.f32 %{{[^,]*}}, %{{[^,]*}}, %
// RUN: tcc-explain --target=nvptx,sm_90a %s | FileCheck %s
// CHECK: by nvptx.builtin
// CHECK: schedule: non_max_suppression
// RUN: %python %S/../../frontend/onnx/make.py %S/../../frontend/onnx/detect.test %t
// RUN: tcc-compile --target=nvptx,sm_90a --ptxas=none %t/any.onnx -o %t/any.so
// RUN: tcc-run --emulate %t/any.so --data %t/any --save=%t/any && tcc-interp --data %t/any --check %t/any.onnx
// RUN: tcc-compile --target=nvptx,sm_80 --ptxas=none %t/same.onnx -o %t/same.so
// RUN: tcc-run --emulate %t/same.so --data %t/same --save=%t/same && tcc-interp --data %t/same --check %t/same.onnx
func.func @main(%boxes: tensor<2x?x4xf32, [2, "N", 4]>, %scores: tensor<2x3x?xf32, [2, 3, "N"]>)
    -> (tensor<2x3x?xi64, [2, 3, "N"]>, tensor<2x3x?xi64, [2, 3, "N"]>, tensor<2x3x?xi64, [2, 3, "N"]>) {
  %most = "tcc.constant"() {value = dense<40> : tensor<i64>} : () -> tensor<i64>
  %all = "tcc.constant"() {value = dense<1000> : tensor<i64>} : () -> tensor<i64>
  %overlap = "tcc.constant"() {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %little = "tcc.constant"() {value = dense<0.03125> : tensor<f32>} : () -> tensor<f32>
  %least = "tcc.constant"() {value = dense<-0.5> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %0 = "tcc.non_max_suppression"(%boxes, %scores, %most, %overlap, %least) {center = false} : (tensor<2x?x4xf32, [2, "N", 4]>, tensor<2x3x?xf32, [2, 3, "N"]>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x?xi64, [2, 3, "N"]>
  %1 = "tcc.non_max_suppression"(%boxes, %scores, %all, %overlap, %none) {center = false} : (tensor<2x?x4xf32, [2, "N", 4]>, tensor<2x3x?xf32, [2, 3, "N"]>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x?xi64, [2, 3, "N"]>
  %2 = "tcc.non_max_suppression"(%boxes, %scores, %all, %little, %least) {center = true} : (tensor<2x?x4xf32, [2, "N", 4]>, tensor<2x3x?xf32, [2, 3, "N"]>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x?xi64, [2, 3, "N"]>
  return %0, %1, %2 : tensor<2x3x?xi64, [2, 3, "N"]>, tensor<2x3x?xi64, [2, 3, "N"]>, tensor<2x3x?xi64, [2, 3, "N"]>
}
