// RUN: tcc-opt %s '--tcc-optimizer=kind=lamb lr=-1 beta1=1 momentum=x nesterov=1 schedule=linear accumulate=0' --verify-diagnostics
// RUN: not tcc-opt %s --tcc-optimizer 2>&1 | FileCheck %s
// RUN: sed s/grad.v/grad.w/ %s | not tcc-opt - --tcc-optimizer=loss=grad.v 2>&1 | FileCheck %s --check-prefix=LOSS
// RUN: not tcc-opt %s '--tcc-optimizer=kind=adamw momentum=0.9 nesterov=1 lr-decay=1' 2>&1 | FileCheck %s --check-prefix=ADAMW
// RUN: not tcc-opt %s '--tcc-optimizer=kind=sgd beta1=0.9 beta2=0.9 eps=1' 2>&1 | FileCheck %s --check-prefix=SGD
// RUN: not tcc-opt %s '--tcc-optimizer=kind=adagrad lr-decay=1 eps=1' 2>&1 | FileCheck %s
// RUN: sed s/grad.v/grad.w/ %s | not tcc-opt - '--tcc-optimizer=kind=adamw no-decay=b*,w,*.bias' 2>&1 | FileCheck %s --check-prefix=PATTERN

// Options that a kind does not have.
// ADAMW: error: tcc-optimizer: momentum is of sgd, not of adamw
// ADAMW: error: tcc-optimizer: lr-decay is of adagrad, not of adamw
// ADAMW: error: tcc-optimizer: nesterov is of sgd, not of adamw
// SGD: error: tcc-optimizer: beta1 is of adam and adamw, not of sgd
// SGD: error: tcc-optimizer: beta2 is of adam and adamw, not of sgd
// SGD: error: tcc-optimizer: eps is of adam, adamw and adagrad, not of sgd
// All options at once; a module that was not differentiated.
// CHECK: error: tcc-optimizer: no result is the gradient of a parameter: tcc-parameters and tcc-grad come before
// LOSS: error: tcc-optimizer: loss must be the name of a result that is a float scalar, not 'grad.v'
// Patterns that no parameter has: what they mean would decay.
// PATTERN-NOT: says
// PATTERN: error: tcc-optimizer: no parameter is called as no-decay=b* says
// PATTERN: error: tcc-optimizer: no parameter is called as no-decay=*.bias says
// PATTERN-NOT: says
// expected-error@+7 {{tcc-optimizer: kind must be sgd, adam, adamw or adagrad, not 'lamb'}}
// expected-error@+6 {{tcc-optimizer: lr must be a number from 0 on, below 1e+300, not '-1'}}
// expected-error@+5 {{tcc-optimizer: beta1 must be a number from 0 on, below 1, not '1'}}
// expected-error@+4 {{tcc-optimizer: momentum must be a number from 0 on, below 1e+300, not 'x'}}
// expected-error@+3 {{tcc-optimizer: accumulate must be 1 at least, not '0'}}
// expected-error@+2 {{tcc-optimizer: steps must be more than warmup where a schedule is not constant, not '0'}}
// expected-error@+1 {{tcc-optimizer: momentum must be more than 0 for nesterov, not 'x'}}
module {
  func.func @main(%w: tensor<4xf64> {tcc.name = "w", tcc.parameter}, %g: tensor<4xf64>) -> (tensor<4xf64> {tcc.name = "grad.v"}) {
    return %g : tensor<4xf64>
  }
}
