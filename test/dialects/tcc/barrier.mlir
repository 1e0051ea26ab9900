// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @barrier(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.barrier"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @barrier_1(%x: tensor<3xi1>) {
  %out = "tcc.barrier"(%x) : (tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @barrier_c0(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.barrier': C0: result 'r' must have type tensor<3xf32>, not tensor<4xf32>}}
  %out = "tcc.barrier"(%x) : (tensor<3xf32>) -> tensor<4xf32>
  return
}
