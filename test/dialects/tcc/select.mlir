// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @select(%c: tensor<?x1xi1, ["S", 1]>, %a: tensor<?x64xf32, ["S", 64]>, %b: tensor<f32>) {
  %out = "tcc.select"(%c, %a, %b) : (tensor<?x1xi1, ["S", 1]>, tensor<?x64xf32, ["S", 64]>, tensor<f32>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @select_c1(%c: tensor<?x1xf32, ["S", 1]>, %a: tensor<?x64xf32, ["S", 64]>, %b: tensor<?x64xf32, ["S", 64]>) {
  // expected-error@+1 {{'tcc.select': C1: operand 'c' must have bool elements}}
  %out = "tcc.select"(%c, %a, %b) : (tensor<?x1xf32, ["S", 1]>, tensor<?x64xf32, ["S", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @select_c2(%c: tensor<?x1xi1, ["S", 1]>, %a: tensor<?x64xf32, ["S", 64]>, %b: tensor<f64>) {
  // expected-error@+1 {{'tcc.select': C2: 'a' and 'b' have element types f32 and f64}}
  %out = "tcc.select"(%c, %a, %b) : (tensor<?x1xi1, ["S", 1]>, tensor<?x64xf32, ["S", 64]>, tensor<f64>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @select_c3(%c: tensor<3xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.select': C3: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.select"(%c, %a, %b) : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
