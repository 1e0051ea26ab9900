// RUN: not tcc-run %s --random 2>&1 | FileCheck %s
// RUN: not tcc-explain %s 2>&1 | FileCheck %s
// CHECK: no-body.mlir:7:8: error: function 'ext' has no body

func.func private @ext(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @ext(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
