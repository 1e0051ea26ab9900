// RUN: not tcc-run %s --random 2>&1 | FileCheck %s
// CHECK: argument-type.mlir:4:1: error: plan: argument 1 has a type that is no tensor of a known element type: memref<4xf32>

func.func @main(%a: tensor<4xf32>, %b: memref<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
