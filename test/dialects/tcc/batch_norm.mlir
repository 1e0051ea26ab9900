// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @batch_norm(%x: tensor<?x6x?xf32, ["N", 6, "H"]>, %scale: tensor<6xf32>, %bias: tensor<6xf32>, %mean: tensor<6xf32>, %var: tensor<6xf32>) {
  %out = "tcc.batch_norm"(%x, %scale, %bias, %mean, %var) {eps = 1.0e-5 : f64} : (tensor<?x6x?xf32, ["N", 6, "H"]>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x?xf32, ["N", 6, "H"]>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<?x6x?xf32, ["N", 6, "H"]>, %scale: tensor<6xi64>, %bias: tensor<6xf32>, %mean: tensor<6xf32>, %var: tensor<6xf32>) {
  // expected-error@+1 {{'tcc.batch_norm': C1: operand 'scale' must have float elements}}
  %out = "tcc.batch_norm"(%x, %scale, %bias, %mean, %var) {eps = 1.0e-5 : f64} : (tensor<?x6x?xf32, ["N", 6, "H"]>, tensor<6xi64>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x6x?xf32, ["N", 6, "H"]>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<6xf32>, %scale: tensor<6xf32>, %bias: tensor<6xf32>, %mean: tensor<6xf32>, %var: tensor<6xf32>) {
  // expected-error@+1 {{'tcc.batch_norm': C2: operand 'x' must have rank 2 at least}}
  %out = "tcc.batch_norm"(%x, %scale, %bias, %mean, %var) {eps = 1.0e-5 : f64} : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @batch_norm_c3(%x: tensor<?x6x?xf32, ["N", 6, "H"]>, %scale: tensor<6xf32>, %bias: tensor<6xf32>, %mean: tensor<6xf32>, %var: tensor<1xf32>) {
  // expected-error@+1 {{'tcc.batch_norm': C3: operand 'var' must be a vector of x's channels, '6'}}
  %out = "tcc.batch_norm"(%x, %scale, %bias, %mean, %var) {eps = 1.0e-5 : f64} : (tensor<?x6x?xf32, ["N", 6, "H"]>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<1xf32>) -> tensor<?x6x?xf32, ["N", 6, "H"]>
  return
}
