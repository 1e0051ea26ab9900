// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @decode_image(%x: tensor<?xui8, ["n"]>) {
  %r:2 = "tcc.decode_image"(%x) {size = ["h", "w"]} : (tensor<?xui8, ["n"]>) -> (tensor<?x?x3xui8, ["h", "w", 3]>, tensor<i64>)
  %g:2 = "tcc.decode_image"(%x) {size = [4, "w"], format = "gray"} : (tensor<?xui8, ["n"]>) -> (tensor<4x?x1xui8, [4, "w", 1]>, tensor<i64>)
  return
}

// -----

func.func @decode_image_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.decode_image': C1: operand 'x' must have type ui8 and rank 1}}
  %r:2 = "tcc.decode_image"(%x) {size = [1, 1]} : (tensor<4xf32>) -> (tensor<1x1x3xui8>, tensor<i64>)
  return
}

// -----

func.func @decode_image_c2(%x: tensor<4xui8>) {
  // expected-error@+1 {{'tcc.decode_image': C2: size must be rows and columns}}
  %r:2 = "tcc.decode_image"(%x) {size = [1]} : (tensor<4xui8>) -> (tensor<1x1x3xui8>, tensor<i64>)
  return
}

// -----

func.func @decode_image_c2_negative(%x: tensor<4xui8>) {
  // expected-error@+1 {{'tcc.decode_image': C2: size must be rows and columns}}
  %r:2 = "tcc.decode_image"(%x) {size = [1, -1]} : (tensor<4xui8>) -> (tensor<1x1x3xui8>, tensor<i64>)
  return
}
