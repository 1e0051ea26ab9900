// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @iota() {
  %out = "tcc.iota"() {axis = 0 : i64} : () -> tensor<?x3xi64, ["S", 3]>
  return
}

// -----

func.func @iota_c1() {
  // expected-error@+1 {{'tcc.iota': C1: the result must have number elements}}
  %out = "tcc.iota"() {axis = 0 : i64} : () -> tensor<3xi1>
  return
}

// -----

func.func @iota_c2() {
  // expected-error@+1 {{'tcc.iota': C2: axis 1 is not in [0, 1)}}
  %out = "tcc.iota"() {axis = 1 : i64} : () -> tensor<3xi64>
  return
}
