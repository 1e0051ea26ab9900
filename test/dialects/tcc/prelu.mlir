// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @prelu(%x: tensor<?x64xf32, ["S", 64]>, %slope: tensor<64xf32>) {
  %out = "tcc.prelu"(%x, %slope) : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>) -> tensor<?x64xf32, ["S", 64]>
  return
}

func.func @prelu_1(%x: tensor<3x1xf32>, %slope: tensor<1x?xf32, [1, "S"]>) {
  %out = "tcc.prelu"(%x, %slope) : (tensor<3x1xf32>, tensor<1x?xf32, [1, "S"]>) -> tensor<3x?xf32, [3, "S"]>
  return
}

func.func @prelu_2(%x: tensor<f32>, %slope: tensor<?xf32, ["B*S"]>) {
  %out = "tcc.prelu"(%x, %slope) : (tensor<f32>, tensor<?xf32, ["B*S"]>) -> tensor<?xf32, ["B*S"]>
  return
}

// -----

func.func @prelu_c1(%x: tensor<3xi1>, %slope: tensor<3xi1>) {
  // expected-error@+1 {{'tcc.prelu': C1: operands must have number elements}}
  %out = "tcc.prelu"(%x, %slope) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @prelu_c1_b(%x: tensor<3xf32>, %slope: tensor<3xf64>) {
  // expected-error@+1 {{'tcc.prelu': C1: operands have element types f32 and f64}}
  %out = "tcc.prelu"(%x, %slope) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @prelu_c2(%x: tensor<3xf32>, %slope: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.prelu': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.prelu"(%x, %slope) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @prelu_c2_b(%x: tensor<?xf32, ["S"]>, %slope: tensor<?xf32, ["B"]>) {
  // expected-error@+1 {{'tcc.prelu': C2: sizes 'S' and 'B' of result axis 0 do not broadcast}}
  %out = "tcc.prelu"(%x, %slope) : (tensor<?xf32, ["S"]>, tensor<?xf32, ["B"]>) -> tensor<?xf32, ["S"]>
  return
}
