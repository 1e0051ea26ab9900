// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @topk(%x: tensor<?x100xf32, ["B", 100]>) {
  %out:2 = "tcc.topk"(%x) {k = [5], axis = 1 : i64} : (tensor<?x100xf32, ["B", 100]>) -> (tensor<?x5xf32, ["B", 5]>, tensor<?x5xi64, ["B", 5]>)
  return
}

// -----

func.func @topk_c1(%x: tensor<9xi1>) {
  // expected-error@+1 {{'tcc.topk': C1: operand 'x' must have number elements}}
  %out:2 = "tcc.topk"(%x) {k = [5], axis = 0 : i64} : (tensor<9xi1>) -> (tensor<5xi1>, tensor<5xi64>)
  return
}

// -----

func.func @topk_c2(%x: tensor<9xf32>) {
  // expected-error@+1 {{'tcc.topk': C2: axis 1 is not in [0, 1)}}
  %out:2 = "tcc.topk"(%x) {k = [5], axis = 1 : i64} : (tensor<9xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_c3(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.topk': C3: k is 5, x has size '3' on axis 0}}
  %out:2 = "tcc.topk"(%x) {k = [5], axis = 0 : i64} : (tensor<3xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_c3_b(%x: tensor<9xf32>) {
  // expected-error@+1 {{'tcc.topk': C3: k must have one entry}}
  %out:2 = "tcc.topk"(%x) {k = [5, 5], axis = 0 : i64} : (tensor<9xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_last(%x: tensor<9x4xf32>) {
  %out:2 = "tcc.topk"(%x) {k = [5], axis = 0 : i64, last = true} : (tensor<9x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>)
  return
}

// -----

func.func @topk_c4(%x: tensor<9xf32>) {
  // expected-error@+1 {{'tcc.topk': C4: the last of 0}}
  %out:2 = "tcc.topk"(%x) {k = [0], axis = 0 : i64, last = true} : (tensor<9xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}
