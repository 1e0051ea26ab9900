// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @compare(%a: tensor<?x64xf32, ["S", 64]>, %b: tensor<64xf32>) {
  %out = "tcc.compare"(%a, %b) {predicate = "le"} : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>) -> tensor<?x64xi1, ["S", 64]>
  return
}

// -----

func.func @compare_c1(%a: tensor<?x64xf32, ["S", 64]>, %b: tensor<64xf64>) {
  // expected-error@+1 {{'tcc.compare': C1: operands have element types f32 and f64}}
  %out = "tcc.compare"(%a, %b) {predicate = "le"} : (tensor<?x64xf32, ["S", 64]>, tensor<64xf64>) -> tensor<?x64xi1, ["S", 64]>
  return
}

// -----

func.func @compare_c2(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.compare': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %out = "tcc.compare"(%a, %b) {predicate = "le"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xi1>
  return
}
