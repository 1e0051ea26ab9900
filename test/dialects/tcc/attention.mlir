// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @attention(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>) {
  %mask = "tcc.none"() : () -> none
  %out = "tcc.attention"(%q, %k, %v, %mask) {causal = true, offset = ["P"], scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, none) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

func.func @attention_1(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, %mask: tensor<?x1x1x?xi1, ["B", 1, 1, "P + S"]>) {
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, tensor<?x1x1x?xi1, ["B", 1, 1, "P + S"]>) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

func.func @attention_c1(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, %mask: tensor<1x1xi64>) {
  // expected-error@+1 {{'tcc.attention': C1: q, k and v must have one float type, mask that or bool}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, tensor<1x1xi64>) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

func.func @attention_c2(%q: tensor<8x?x64xf32, [8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C2: q, k and v must have rank 4}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<8x?x64xf32, [8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, none) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

func.func @attention_c3(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "S", 32]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C3: q [B, H, S, D], k [B, G, T, D] and v [B, G, T, E] do not fit}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "S", 32]>, none) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

func.func @attention_c4(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x3x?x64xf32, ["B", 3, "S", 64]>, %v: tensor<?x3x?x64xf32, ["B", 3, "S", 64]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C4: 3 heads of k do not divide 8 heads of q}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x3x?x64xf32, ["B", 3, "S", 64]>, tensor<?x3x?x64xf32, ["B", 3, "S", 64]>, none) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}

// -----

func.func @attention_c5(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, %mask: tensor<?x?xi1, ["S", "S"]>) {
  // expected-error@+1 {{'tcc.attention': C5: size 'S' of 'mask' on axis 1 does not broadcast to 'P + S'}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, tensor<?x?xi1, ["S", "S"]>) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

func.func @attention_c6(%q: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %k: tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, %v: tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C6: offset must have one entry or none}}
  %out = "tcc.attention"(%q, %k, %v, %mask) {offset = [1, 2], scale = 0.125 : f64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x2x?x64xf32, ["B", 2, "P + S", 64]>, tensor<?x2x?x32xf32, ["B", 2, "P + S", 32]>, none) -> tensor<?x8x?x32xf32, ["B", 8, "S", 32]>
  return
}

// -----

// Position and offset together are no number of 64 bits: keys that causal shows would be hidden.
func.func @attention_c6_b(%q: tensor<1x2x5x8xf32>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C6: offset 9223372036854775807 is out of range}}
  %out = "tcc.attention"(%q, %q, %q, %mask) {scale = 0.125 : f64, causal = true, offset = [9223372036854775807]} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, none) -> tensor<1x2x5x8xf32>
  return
}

// -----

func.func @attention_c7(%q: tensor<1x2x5x8xf32>) {
  %mask = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.attention': C7: softcap must be 0, for none, or positive and finite, not -1}}
  %out = "tcc.attention"(%q, %q, %q, %mask) {scale = 0.125 : f64, softcap = -1.0 : f64} : (tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>, none) -> tensor<1x2x5x8xf32>
  return
}
