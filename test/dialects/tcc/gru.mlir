// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @gru(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>, %lengths: tensor<?xi32, ["B"]>, %h0: tensor<2x?x16xf32, [2, "B", 16]>) {
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, tensor<?xi32, ["B"]>, tensor<2x?x16xf32, [2, "B", 16]>) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

func.func @gru_1(%x: tensor<?x?x8xf32, ["B", "S", 8]>, %w: tensor<1x48x8xf32>, %r: tensor<1x48x16xf32>) {
  %b = "tcc.none"() : () -> none
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "forward", activations = "", layout = 1 : i64} : (tensor<?x?x8xf32, ["B", "S", 8]>, tensor<1x48x8xf32>, tensor<1x48x16xf32>, none, none, none) -> (tensor<?x?x1x16xf32, ["B", "S", 1, 16]>, tensor<?x1x16xf32, ["B", 1, 16]>)
  return
}

// -----

func.func @gru_c1(%x: tensor<?x?x8xf64, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C1: x, w, r and b must have one float type}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf64, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c2(%x: tensor<?x8xf32, ["S", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C2: x, w and r must have rank 3}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x8xf32, ["S", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c3(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x9xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C3: w must have shape [2, 48, 8]}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x9xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c3_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<1x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C3: r must have shape [2, 48, 16]}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<1x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c3_c(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x16xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C3: b must have shape [2, 96]}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x16xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c4(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>, %lengths: tensor<?xi32, ["S"]>) {
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C4: 'lengths' must be a vector of 'B' integers}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, tensor<?xi32, ["S"]>, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c4_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>, %h0: tensor<1x?x16xf32, [1, "B", 16]>) {
  %lengths = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C4: 'h0' must have shape [2, B, 16] and x's element type}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, tensor<1x?x16xf32, [1, "B", 16]>) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c5(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C5: hidden must be positive, layout 0 or 1}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {hidden = 0 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @gru_c5_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x48x8xf32>, %r: tensor<2x48x16xf32>, %b: tensor<2x96xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.gru': C5: hidden must be positive, layout 0 or 1}}
  %out:2 = "tcc.gru"(%x, %w, %r, %b, %lengths, %h0) {layout = 2 : i64, hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x48x8xf32>, tensor<2x48x16xf32>, tensor<2x96xf32>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}
