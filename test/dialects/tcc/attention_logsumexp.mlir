// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @attention_logsumexp(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {causal = true, offset = ["P"], scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

func.func @attention_logsumexp_1(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %mask: tensor<?x1x1x?xi1, ["B", 1, 1, "P + S"]>) {
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x1x1x?xi1, ["B", 1, 1, "P + S"]>) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// Of numbers of 16 bits it is one of 32, of doubles a double.
func.func @attention_logsumexp_2(%q: tensor<?x8x?x64xbf16, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xbf16, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xbf16, ["B", 8, "S", 64]>, tensor<?x2x?x64xbf16, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

func.func @attention_logsumexp_3(%q: tensor<?x8x?x64xf64, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf64, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf64, ["B", 8, "S", 64]>, tensor<?x2x?x64xf64, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf64, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c1(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %mask: tensor<1x1xi64>) {
  // expected-error@+1 {{'tcc.attention_logsumexp': C1: q and k must have one float type, mask that or bool}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<1x1xi64>) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c1_b(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C1: q and k must have one float type, mask that or bool}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf16, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c2(%q: tensor<8x?x64xf32, [8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C2: q and k must have rank 4}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<8x?x64xf32, [8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c3(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x32xf32, ["B", 2, "S", 32]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C3: q [B, H, S, D] and k [B, G, T, D] do not fit}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "S", 32]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c4(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x3x?x64xf32, ["B", 3, "S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C4: 3 heads of k do not divide 8 heads of q}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x3x?x64xf32, ["B", 3, "S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c5(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %mask: tensor<?x?xi1, ["S", "S"]>) {
  // expected-error@+1 {{'tcc.attention_logsumexp': C5: size 'S' of 'mask' on axis 1 does not broadcast to 'P + S'}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x?xi1, ["S", "S"]>) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c6(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C6: offset must have one entry or none}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {offset = [1, 2], scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c6_b(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C6: offset 9223372036854775807 is out of range}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {causal = true, offset = [9223372036854775807], scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}

// -----

func.func @attention_logsumexp_c7(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention_logsumexp': C7: softcap must be 0, for none, or positive and finite, not -1}}
  %out = "tcc.attention_logsumexp"(%q, %k, %mask) {softcap = -1.0 : f64, scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, none) -> tensor<?x8x?xf32, ["B", 8, "S"]>
  return
}
