// A factor of 2^(16 + e), and an update that divides by it: as torch.amp.GradScaler, one call with finite gradients and one without.
// RUN: tcc-opt %s --tcc-loss-scale --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-loss-scale --verify-each | tcc-interp --input=4xf32=1,2,3,4 --input=i64=-15 - | FileCheck %s --check-prefix=SCALED
// RUN: tcc-opt %s --pass-pipeline='tcc-loss-scale,tcc-grad{of=loss:scaled},tcc-optimizer{kind=sgd lr=0.5 momentum=0.5 scale-interval=3}' --verify-each -o %t.mlir
// RUN: tcc-interp --input=4xf32=1,2,3,4 --input=i64=-14 --input=i64=5 --input=4xf32=1,1,1,1 --input=i64=1 %t.mlir | FileCheck %s --check-prefix=FINITE
// RUN: tcc-interp --input=4xf32=1,2,3,4 --input=i64=-14 --input=i64=5 --input=4xf32=1,1,1,1 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=GROWS
// RUN: tcc-interp --input=4xf32=1,2,3,4 --input=i64=113 --input=i64=5 --input=4xf32=1,1,1,1 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=SKIPPED

// CHECK: func.func @main(%arg0: tensor<4xf32> {tcc.name = "w", tcc.parameter}, %arg1: tensor<i64> {tcc.name = "scale:exponent"}) -> (tensor<f32> {tcc.name = "loss"}, tensor<f32> {tcc.name = "loss:scaled"})
// SCALED: output 0: f32 = 30{{$}}
// SCALED: output 1: f32 = 60{{$}}

// The loss is that without the factor; w - 0.5 * (0.5 * 1 + 2 w).
// FINITE: output 0: f32 = 30{{$}}
// FINITE: output 1: f32 = 120{{$}}
// FINITE: i64 = 6{{$}}
// FINITE: 4xf32 = 2.5 4.5 6.5 8.5{{$}}
// FINITE: 4xf32 = -0.25 -0.25 -0.25 -0.25{{$}}
// FINITE: i64 = -14{{$}}
// FINITE: i64 = 2{{$}}
// GROWS: i64 = 6{{$}}
// GROWS: i64 = -13{{$}}
// GROWS: i64 = 0{{$}}
// SKIPPED: i64 = 5{{$}}
// SKIPPED: 4xf32 = 1 1 1 1{{$}}
// SKIPPED: 4xf32 = 1 2 3 4{{$}}
// SKIPPED: i64 = 112{{$}}
// SKIPPED: i64 = 0{{$}}
func.func @main(%w: tensor<4xf32> {tcc.name = "w", tcc.parameter}) -> (tensor<f32> {tcc.name = "loss"}) {
  %s = "tcc.mul"(%w, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = "tcc.reduce"(%s) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
