// RUN: tcc-opt %s --split-input-file '--tcc-loss=kind=hinge of=z' --verify-diagnostics
// RUN: not tcc-opt %s --split-input-file --tcc-loss 2>&1 | FileCheck %s
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=n' 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=y kind=mse' 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a axis=2' 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a axis=x' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a kind=mse ignore=1 axis=0' 2>&1 | FileCheck %s --check-prefix=IGNORE
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a delta=1' 2>&1 | FileCheck %s --check-prefix=DELTA
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a kind=huber delta=0' 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tcc-opt %s --split-input-file '--tcc-loss=of=a axis=0.5' 2>&1 | FileCheck %s --check-prefix=HALF

// Options that a loss does not have.
// IGNORE: error: tcc-loss: axis is of cross_entropy, not of mse
// IGNORE: error: tcc-loss: ignore is of cross_entropy, not of mse
// DELTA: error: tcc-loss: delta is of huber, not of cross_entropy
// ZERO: error: tcc-loss: delta must be more than 0
// HALF: error: tcc-loss: axis and ignore must be integers
// All at once.
// CHECK: error: tcc-loss: of has to name an output: 2 are float
// CHECK: error: tcc-loss: the model has an output 'loss' already
// NAMED: error: tcc-loss: output 'n' has no float elements
// TAKEN: error: tcc-loss: the model has an input 'target' already
// AXIS: error: tcc-loss: axis 2 is not in [-1, 1)
// NUMBER: error: tcc-loss: axis must be a number, not 'x'
// expected-error@+4 {{tcc-loss: 'hinge' is neither an output nor a loss: losses are cross_entropy, binary_cross_entropy, mse, l1, huber}}
// expected-error@+3 {{tcc-loss: no output is called 'z', as of says}}
// expected-error@+2 {{tcc-loss: the model has an input 'target' already}}
// expected-error@+1 {{tcc-loss: the model has an output 'loss' already}}
func.func @main(%x: tensor<4xf32> {tcc.name = "target"}, %n: tensor<4xi32>) -> (tensor<4xf32> {tcc.name = "y"}, tensor<4xi32> {tcc.name = "n"}, tensor<4xf32> {tcc.name = "loss"}) {
  return %x, %n, %x : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}

// -----

// expected-error@+2 {{tcc-loss: 'hinge' is neither an output nor a loss: losses are cross_entropy, binary_cross_entropy, mse, l1, huber}}
// expected-error@+1 {{tcc-loss: no output is called 'z', as of says}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {tcc.name = "a"}) {
  return %x : tensor<4xf32>
}
