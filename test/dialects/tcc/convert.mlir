// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @convert(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.convert"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf16, ["S", 64]>
  return
}

func.func @convert_1(%x: tensor<?x64xf32, ["S", 64]>) {
  %out = "tcc.convert"(%x) {saturate = false} : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf8E4M3FN, ["S", 64]>
  return
}

// -----

func.func @convert_c1(%x: tensor<?x64xf32, ["S", 64]>) {
  // expected-error@+1 {{'tcc.convert': C1: the result's size '32' on axis 1 must be '64'}}
  %out = "tcc.convert"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?x32xf16, ["S", 32]>
  return
}

// -----

func.func @convert_c1_b(%x: tensor<?x64xf32, ["S", 64]>) {
  // expected-error@+1 {{'tcc.convert': C1: the result must have rank 2, not 1}}
  %out = "tcc.convert"(%x) : (tensor<?x64xf32, ["S", 64]>) -> tensor<?xf16, ["S"]>
  return
}
