// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @householder_product(%a: tensor<?x5x3xf32, ["B", 5, 3]>, %tau: tensor<?x2xf32, ["B", 2]>) {
  %q = "tcc.householder_product"(%a, %tau) : (tensor<?x5x3xf32, ["B", 5, 3]>, tensor<?x2xf32, ["B", 2]>) -> tensor<?x5x3xf32, ["B", 5, 3]>
  return
}

// -----

func.func @householder_product_c1(%a: tensor<5x3xf16>, %tau: tensor<3xf16>) {
  // expected-error@+1 {{'tcc.householder_product': C1: a must be f32 or f64, not f16}}
  %q = "tcc.householder_product"(%a, %tau) : (tensor<5x3xf16>, tensor<3xf16>) -> tensor<5x3xf16>
  return
}

// -----

func.func @householder_product_c2(%a: tensor<5xf32>, %tau: tensor<f32>) {
  // expected-error@+1 {{'tcc.householder_product': C2: a must have rank 2 or more, not 1}}
  %q = "tcc.householder_product"(%a, %tau) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @householder_product_c3(%a: tensor<3x5xf32>, %tau: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.householder_product': C3: a is '3' x '5'}}
  %q = "tcc.householder_product"(%a, %tau) : (tensor<3x5xf32>, tensor<3xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @householder_product_c4(%a: tensor<2x5x3xf32>, %tau: tensor<1x3xf32>) {
  // expected-error@+1 {{'tcc.householder_product': C4: tau must have a's type and batch, and a number for each reflector}}
  %q = "tcc.householder_product"(%a, %tau) : (tensor<2x5x3xf32>, tensor<1x3xf32>) -> tensor<2x5x3xf32>
  return
}

// -----

func.func @householder_product_c5(%a: tensor<5x3xf32>, %tau: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.householder_product': C5: '4' reflectors of '3' columns}}
  %q = "tcc.householder_product"(%a, %tau) : (tensor<5x3xf32>, tensor<4xf32>) -> tensor<5x3xf32>
  return
}
