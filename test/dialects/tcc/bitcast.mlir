// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @bitcast(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.bitcast"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xi32, ["S", 64]>
  return
}

// -----

func.func @bitcast_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.bitcast': C1: the result's size '4' on axis 0 must be '3'}}
  %out = "tcc.bitcast"(%x) : (tensor<3xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @bitcast_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.bitcast': C2: f32 and i64 have different widths}}
  %out = "tcc.bitcast"(%x) : (tensor<3xf32>) -> tensor<3xi64>
  return
}
