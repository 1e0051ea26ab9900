// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @constant() {
  %out = "tcc.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  return
}

func.func @constant_1() {
  %out = "tcc.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  return
}

func.func @constant_2() {
  %out = "tcc.constant"() {value = dense<0.5> : tensor<4xbf16>} : () -> tensor<4xbf16>
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{'tcc.constant': C1: value must be dense or a dense_resource}}
  %out = "tcc.constant"() {value = sparse<[[0]], [1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  return
}

// -----

func.func @constant_c1_b() {
  // expected-error@+1 {{'tcc.constant': C1: value must have a static tensor type of a tcc element type}}
  %out = "tcc.constant"() {value = dense<1> : tensor<2xindex>} : () -> tensor<2xindex>
  return
}
