// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @non_max_suppression(%b: tensor<?x?x4xf32, ["B", "N", 4]>, %s: tensor<?x3x?xf32, ["B", 3, "N"]>, %m: tensor<i64>, %o: tensor<f32>) {
  %r = "tcc.non_max_suppression"(%b, %s, %m, %o, %o) : (tensor<?x?x4xf32, ["B", "N", 4]>, tensor<?x3x?xf32, ["B", 3, "N"]>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<?x3x?xi64, ["B", 3, "N"]>
  return
}

// -----

func.func @non_max_suppression_c1(%b: tensor<1x5x4xf16>, %s: tensor<1x3x5xf16>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error@+1 {{'tcc.non_max_suppression': C1: operands 'boxes' and 'scores' must have element type f32}}
  %r = "tcc.non_max_suppression"(%b, %s, %m, %o, %o) : (tensor<1x5x4xf16>, tensor<1x3x5xf16>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<1x3x5xi64>
  return
}

// -----

func.func @non_max_suppression_c2(%b: tensor<1x5x4xf32>, %s: tensor<1x3x6xf32>, %m: tensor<i64>, %o: tensor<f32>) {
  // expected-error@+1 {{'tcc.non_max_suppression': C2: 'boxes' must be [B, N, 4] and 'scores' [B, C, N]}}
  %r = "tcc.non_max_suppression"(%b, %s, %m, %o, %o) : (tensor<1x5x4xf32>, tensor<1x3x6xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<1x3x6xi64>
  return
}

// -----

func.func @non_max_suppression_c3(%b: tensor<1x5x4xf32>, %s: tensor<1x3x5xf32>, %m: tensor<1xi64>, %o: tensor<f32>) {
  // expected-error@+1 {{'tcc.non_max_suppression': C3: 'most' must be a scalar of type i64, 'overlap' and 'least' of type f32}}
  %r = "tcc.non_max_suppression"(%b, %s, %m, %o, %o) : (tensor<1x5x4xf32>, tensor<1x3x5xf32>, tensor<1xi64>, tensor<f32>, tensor<f32>) -> tensor<1x3x5xi64>
  return
}
