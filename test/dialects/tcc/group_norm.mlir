// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @group_norm(%x: tensor<?x6x?xf32, ["N", 6, "H"]>, %scale: tensor<6xf32>) {
  %bias = "tcc.none"() : () -> none
  %out = "tcc.group_norm"(%x, %scale, %bias) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<?x6x?xf32, ["N", 6, "H"]>, tensor<6xf32>, none) -> tensor<?x6x?xf32, ["N", 6, "H"]>
  return
}

// -----

func.func @group_norm_c1(%x: tensor<2x6xi64>) {
  %scale = "tcc.none"() : () -> none
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.group_norm': C1: operand 'x' must have float elements}}
  %out = "tcc.group_norm"(%x, %scale, %bias) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<2x6xi64>, none, none) -> tensor<2x6xi64>
  return
}

// -----

func.func @group_norm_c2(%x: tensor<6xf32>) {
  %scale = "tcc.none"() : () -> none
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.group_norm': C2: operand 'x' must have rank 2 at least}}
  %out = "tcc.group_norm"(%x, %scale, %bias) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<6xf32>, none, none) -> tensor<6xf32>
  return
}

// -----

func.func @group_norm_c3(%x: tensor<?x6x?xf32, ["N", 6, "H"]>, %scale: tensor<3xf32>) {
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.group_norm': C3: operand 'scale' must be a vector of x's channels, '6'}}
  %out = "tcc.group_norm"(%x, %scale, %bias) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<?x6x?xf32, ["N", 6, "H"]>, tensor<3xf32>, none) -> tensor<?x6x?xf32, ["N", 6, "H"]>
  return
}

// -----

func.func @group_norm_c4(%x: tensor<1x4xf32>) {
  %scale = "tcc.none"() : () -> none
  %bias = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.group_norm': C4: 3 groups do not divide '4' channels}}
  %out = "tcc.group_norm"(%x, %scale, %bias) {groups = 3 : i64, eps = 1.0e-5 : f64} : (tensor<1x4xf32>, none, none) -> tensor<1x4xf32>
  return
}
