// RUN: tcc-opt %s --split-input-file --tcc-loss-scale --verify-diagnostics
// RUN: not tcc-opt %s --split-input-file --tcc-optimizer=scale-interval=9 2>&1 | FileCheck %s

// CHECK: error: tcc-optimizer: scale-interval without a scaled loss: tcc-loss-scale comes before
// expected-error@+1 {{tcc-loss-scale: no float scalar is called 'loss', as of says}}
func.func @main(%w: tensor<4xf32> {tcc.name = "w", tcc.parameter}) -> (tensor<4xf32> {tcc.name = "grad.w"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error@+1 {{tcc-loss-scale: the module has no function @main}}
module {
}
