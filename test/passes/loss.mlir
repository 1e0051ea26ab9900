// Losses behind an output, of the numbers that torch.nn.functional has.
// RUN: tcc-opt %s --tcc-loss --verify-each | FileCheck %s
// RUN: tcc-opt %s --tcc-loss --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2xi64=2,-100 - | FileCheck %s --check-prefix=IGNORED
// RUN: tcc-opt %s --tcc-loss --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2xi64=2,1 - | FileCheck %s --check-prefix=CROSS
// RUN: tcc-opt %s '--tcc-loss=kind=cross_entropy axis=0 ignore=7' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=3xi64=1,0,7 - | FileCheck %s --check-prefix=AXIS
// RUN: tcc-opt %s '--tcc-loss=kind=binary_cross_entropy' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2x3xf64=0,1,1,0.5,0,2 - | FileCheck %s --check-prefix=BINARY
// RUN: tcc-opt %s '--tcc-loss=kind=mse of=y' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2x3xf64=0,1,1,0.5,0,2 - | FileCheck %s --check-prefix=MSE
// RUN: tcc-opt %s '--tcc-loss=kind=l1' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2x3xf64=0,1,1,0.5,0,2 - | FileCheck %s --check-prefix=L1
// RUN: tcc-opt %s '--tcc-loss=kind=huber' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2x3xf64=0,1,1,0.5,0,2 - | FileCheck %s --check-prefix=HUBER
// RUN: tcc-opt %s '--tcc-loss=kind=huber delta=2' --verify-each | tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2x3xf64=0,1,1,0.5,0,2 - | FileCheck %s --check-prefix=DELTA
// A label that is no class is an error of the run.
// RUN: tcc-opt %s --tcc-loss --verify-each | not tcc-interp --input=2x3xf64=0.5,-1,2,1.5,0.25,-3 --input=2xi64=2,3 - 2>&1 | FileCheck %s --check-prefix=RANGE

// CHECK: func.func @main(%arg0: tensor<2x3xf64>, %arg1: tensor<2xi64> {tcc.name = "labels"}) -> (tensor<2x3xf64> {tcc.name = "y"}, tensor<2xi64>, tensor<f64> {tcc.name = "loss"})
// CHECK: "tcc.gather_elements"{{.*}}valid = "unsigned"
// IGNORED: output 2: f64 = 0.241311{{$}}
// CROSS: output 2: f64 = 0.875919{{$}}
// AXIS: output 2: f64 = 0.907595{{$}}
// BINARY: output 2: f64 = 1.7067{{$}}
// MSE: output 2: f64 = 5.21875{{$}}
// L1: output 2: f64 = 1.625{{$}}
// HUBER: output 2: f64 = 1.19271{{$}}
// DELTA: output 2: f64 = 1.85938{{$}}
// RANGE: index 3 is outside [0, 3), axis 1
func.func @main(%x: tensor<2x3xf64>) -> (tensor<2x3xf64> {tcc.name = "y"}, tensor<2xi64>) {
  %n = "tcc.constant"() {value = dense<0> : tensor<2xi64>} : () -> tensor<2xi64>
  return %x, %n : tensor<2x3xf64>, tensor<2xi64>
}
