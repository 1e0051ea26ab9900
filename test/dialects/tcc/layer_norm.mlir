// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @layer_norm(%x: tensor<?x64xf32, ["S", 64]>, %scale: tensor<64xf32>) {
  %bias = "tcc.none"() : () -> none
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>, none) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<3x4xi64>) {
  %scale = "tcc.none"() : () -> none
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.layer_norm': C1: operand 'x' must have float elements}}
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3x4xi64>, none, none) -> tensor<3x4xi64>
  return
}

// -----

func.func @layer_norm_c1_b(%x: tensor<?x64xf32, ["S", 64]>, %scale: tensor<64xi64>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.layer_norm': C1: operand 'scale' must have float elements}}
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<?x64xf32, ["S", 64]>, tensor<64xi64>, none) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<3xf32>) {
  %scale = "tcc.none"() : () -> none
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.layer_norm': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<3xf32>, none, none) -> tensor<3xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<?x64xf32, ["S", 64]>, %scale: tensor<32xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.layer_norm': C3: size '32' of 'scale' on axis 0 does not broadcast to '64'}}
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<?x64xf32, ["S", 64]>, tensor<32xf32>, none) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @layer_norm_c3_b(%x: tensor<?x64xf32, ["S", 64]>, %bias: tensor<1x64xf32>) {
  %scale = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.layer_norm': C3: 'bias' has rank 2, more than 1}}
  %out = "tcc.layer_norm"(%x, %scale, %bias) {axis = 1 : i64, eps = 1.0e-5 : f64} : (tensor<?x64xf32, ["S", 64]>, none, tensor<1x64xf32>) -> tensor<?x64xf32, ["S", 64]>
  return
}
