// Three updates of torch.optim in f64: from what the second left, the third.
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.52,-1.005,1.915,-0.25 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=SGD
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1 momentum=0.9 nesterov=1 decay=0.01' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.511505105,-0.98876581,1.82122332,-1.0237075975000003 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 --input=4xf64=-0.22107949999999998,0.05139899999999997,0.877772,4.5971452500000005 %t.mlir | FileCheck %s --check-prefix=NESTEROV
// RUN: tcc-opt %s '--tcc-optimizer=kind=adam lr=0.01 decay=0.1' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.4917730890753445,-0.9873623538495335,1.9808856263624837,0.2316708959765998 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 --input=4xf64=-0.013599999997142856,-0.011900000003333338,0.1219000000033333,0.4646500000002484 --input=4xf64=0.00032577849997422883,0.00011271099998993345,0.0009905110000632674,0.017233000375005105 %t.mlir | FileCheck %s --check-prefix=ADAM
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw lr=0.01 beta1=0.8 beta2=0.95 eps=1e-6' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.4933833756667213,-0.9920034912729083,1.9810873075825974,0.23185564003268874 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 --input=4xf64=-0.05199999999999998,0.017999999999999988,0.16599999999999995,0.8399999999999999 --input=4xf64=0.016775000000000016,0.005025000000000004,0.028600000000000025,0.8100000000000007 %t.mlir | FileCheck %s --check-prefix=ADAMW
// RUN: tcc-opt %s '--tcc-optimizer=kind=adamw lr=0.01 decay=0.5 no-decay=w*,w' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.4929356123098128,-0.9916273230448175,1.9817387061708263,0.2316940247167406 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 --input=4xf64=-0.023,0.006999999999999998,0.08399999999999998,0.4599999999999999 --input=4xf64=0.0003399100000000003,0.0001024600000000001,0.0005724900000000005,0.016984000000000016 %t.mlir | FileCheck %s --check-prefix=NODECAY
// RUN: tcc-opt %s '--tcc-optimizer=kind=adagrad lr=0.1 lr-decay=0.2' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.47145774383045713,-0.9650724008165941,1.8173976750540308,0.12978869791662911 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 --input=4xf64=0.33999999999999997,0.10250000000000001,0.5725,17.0 %t.mlir | FileCheck %s --check-prefix=ADAGRAD
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1 clip-norm=0.5' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.5145237055426352,-1.0066395694867265,1.971369325555545,0.16370252673234514 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=NORM
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1 clip-value=0.4' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.51,-1.005,1.95,0.16999999999999998 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=VALUE
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1 schedule=cosine warmup=2 steps=10 floor=0.1' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.5,-1.0,2.0,0.25 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=COSINE
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.1 schedule=linear warmup=0 steps=4' --verify-each -o %t.mlir && tcc-interp --input=4xf64=0.5,-1.0,2.0,0.25 --input=4xf64=0.125,2.0,-1.5,0.5 --input=i64=2 %t.mlir | FileCheck %s --check-prefix=LINEAR
// SGD: output 1: i64 = 3{{$}}
// SGD: output 2: 4xf64 = 0.5075 -1.205 2.065 -0.3
// NESTEROV: output 1: i64 = 3{{$}}
// NESTEROV: output 2: 4xf64 = -0.0688565 2.03637 -0.691793 4.62719
// NESTEROV: output 3: 4xf64 = 0.504691 -1.37105 2.03166 -1.48913
// ADAM: output 1: i64 = 3{{$}}
// ADAM: output 2: 4xf64 = 0.00517773 0.179416 -0.0204811 0.470502
// ADAM: output 3: 4xf64 = 0.00035579 0.0037274 0.00268449 0.0174895
// ADAM: output 4: 4xf64 = 0.491219 -0.993299 1.98168 0.224484
// ADAMW: output 1: i64 = 3{{$}}
// ADAMW: output 2: 4xf64 = -0.0166 0.4144 -0.1672 0.772
// ADAMW: output 3: 4xf64 = 0.0167175 0.204774 0.13967 0.782
// ADAMW: output 4: 4xf64 = 0.494328 -0.998991 1.98435 0.225076
// NODECAY: output 1: i64 = 3{{$}}
// NODECAY: output 2: 4xf64 = -0.0082 0.2063 -0.0744 0.464
// NODECAY: output 3: 4xf64 = 0.000355195 0.00410236 0.00282192 0.017217
// NODECAY: output 4: 4xf64 = 0.493815 -0.998134 1.98457 0.22455
// ADAGRAD: output 1: i64 = 3{{$}}
// ADAGRAD: output 2: 4xf64 = 0.355625 4.1025 2.8225 17.25
// ADAGRAD: output 3: 4xf64 = 0.456486 -1.0356 1.88117 0.12119
// NORM: output 1: i64 = 3{{$}}
// NORM: output 2: f32 = 2.55257
// NORM: output 3: 4xf64 = 0.512075 -1.04582 2.00075 0.153908
// VALUE: output 1: i64 = 3{{$}}
// VALUE: output 2: 4xf64 = 0.4975 -1.045 1.99 0.13
// COSINE: output 1: i64 = 3{{$}}
// COSINE: output 2: 4xf64 = 0.4875 -1.2 2.15 0.2
// LINEAR: output 1: i64 = 3{{$}}
// LINEAR: output 2: 4xf64 = 0.49375 -1.1 2.075 0.225
// With accumulation the first of two calls keeps parameters and states, and sums; the second updates by the mean and begins again.
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=0.5 accumulate=2 ema=0.75' --verify-each -o %t.mlir
// RUN: tcc-interp --input=4xf64=1,2,3,4 --input=4xf64=1,1,1,1 --input=i64=0 --input=4xf64=0,0,0,0 --input=4xf64=1,2,3,4 %t.mlir | FileCheck %s --check-prefix=FIRST
// RUN: tcc-interp --input=4xf64=1,2,3,4 --input=4xf64=1,1,1,3 --input=i64=1 --input=4xf64=1,1,1,1 --input=4xf64=1,2,3,4 %t.mlir | FileCheck %s --check-prefix=SECOND
// FIRST: output 1: i64 = 1{{$}}
// FIRST: output 2: 4xf64 = 1 1 1 1{{$}}
// FIRST: output 3: 4xf64 = 1 2 3 4{{$}}
// FIRST: output 4: 4xf64 = 1 2 3 4{{$}}
// SECOND: output 1: i64 = 2{{$}}
// SECOND: output 2: 4xf64 = 0 0 0 0{{$}}
// SECOND: output 3: 4xf64 = 0.5 1.5 2.5 3{{$}}
// SECOND: output 4: 4xf64 = 0.875 1.875 2.875 3.75{{$}}

// A loss that is not finite changes nothing.
// RUN: tcc-opt %s '--tcc-optimizer=kind=sgd lr=1 momentum=0.5 loss=loss' --verify-each -o %t.mlir
// RUN: tcc-interp --input=4xf64=1,2,3,inf --input=4xf64=1,1,1,1 --input=i64=6 --input=4xf64=4,5,6,7 %t.mlir | FileCheck %s --check-prefix=KEPT
// RUN: tcc-interp --input=4xf64=1,2,3,4 --input=4xf64=1,1,1,1 --input=i64=6 --input=4xf64=4,5,6,7 %t.mlir | FileCheck %s --check-prefix=FINITE
// KEPT: output 1: i64 = 6{{$}}
// KEPT: output 2: 4xf64 = 4 5 6 7{{$}}
// KEPT: output 3: 4xf64 = 1 2 3 inf{{$}}
// FINITE: output 1: i64 = 7{{$}}
// FINITE: output 2: 4xf64 = 3 3.5 4 4.5{{$}}
// FINITE: output 3: 4xf64 = -2 -1.5 -1 -0.5{{$}}

// States are arguments of the names of their parameters, and results in their places.
// RUN: tcc-opt %s '--tcc-optimizer=kind=adam' --verify-each | FileCheck %s --check-prefix=PORTS
// PORTS: func.func @main(%{{.*}} {tcc.name = "w", tcc.parameter}, %{{[^,]*}}, %{{.*}}: tensor<i64> {tcc.name = "step"}, %{{.*}} {tcc.name = "w:exp_avg"}, %{{.*}} {tcc.name = "w:exp_avg_sq"})
// PORTS-SAME: -> (tensor<f64> {tcc.name = "loss"}, tensor<i64> {tcc.name = "step", tcc.tied = 2 : i64}, tensor<4xf64> {tcc.name = "w:exp_avg", tcc.tied = 3 : i64}, tensor<4xf64> {tcc.name = "w:exp_avg_sq", tcc.tied = 4 : i64}, tensor<4xf64> {tcc.name = "w", tcc.tied = 0 : i64})
func.func @main(%w: tensor<4xf64> {tcc.name = "w", tcc.parameter}, %g: tensor<4xf64>) -> (tensor<f64> {tcc.name = "loss"}, tensor<4xf64> {tcc.name = "grad.w"}) {
  %loss = "tcc.reduce"(%w) {kind = "sum", axes = array<i64: 0>, keepdims = false} : (tensor<4xf64>) -> tensor<f64>
  return %loss, %g : tensor<f64>, tensor<4xf64>
}
