// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @is_inf(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.is_inf"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xi1, ["S", 64]>
  return
}

// -----

func.func @is_inf_c1(%x: tensor<3xi64>) {
  // expected-error@+1 {{'tcc.is_inf': C1: operand 'x' must have float elements}}
  %out = "tcc.is_inf"(%x) : (tensor<3xi64>) -> tensor<3xi1>
  return
}
