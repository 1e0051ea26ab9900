// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @image_size(%x: tensor<?xui8, ["n"]>) {
  %r = "tcc.image_size"(%x) : (tensor<?xui8, ["n"]>) -> tensor<3xi64>
  return
}

// -----

func.func @image_size_c1(%x: tensor<4x4xui8>) {
  // expected-error@+1 {{'tcc.image_size': C1: operand 'x' must have type ui8 and rank 1}}
  %r = "tcc.image_size"(%x) : (tensor<4x4xui8>) -> tensor<3xi64>
  return
}

// -----

func.func @image_size_c1_type(%x: tensor<4xi8>) {
  // expected-error@+1 {{'tcc.image_size': C1: operand 'x' must have type ui8 and rank 1}}
  %r = "tcc.image_size"(%x) : (tensor<4xi8>) -> tensor<3xi64>
  return
}
