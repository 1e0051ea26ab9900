// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @nonzero(%x: tensor<?x3xf32, ["S", 3]>) {
  %out = "tcc.nonzero"(%x) {size = "nz0"} : (tensor<?x3xf32, ["S", 3]>) -> tensor<2x?xi64, [2, "nz0"]>
  return
}

// -----

func.func @nonzero_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.nonzero': C1: size must name a symbol}}
  %out = "tcc.nonzero"(%x) {size = ""} : (tensor<3xf32>) -> tensor<1x?xi64, [1, "n"]>
  return
}
