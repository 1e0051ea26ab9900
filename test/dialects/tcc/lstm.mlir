// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @lstm(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>, %lengths: tensor<?xi32, ["B"]>, %h0: tensor<2x?x16xf32, [2, "B", 16]>, %c0: tensor<2x?x16xf32, [2, "B", 16]>, %p: tensor<2x48xf32>) {
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, tensor<?xi32, ["B"]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x48xf32>) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

func.func @lstm_1(%x: tensor<?x?x8xf32, ["B", "S", 8]>, %w: tensor<1x64x8xf32>, %r: tensor<1x64x16xf32>) {
  %b = "tcc.none"() : () -> none
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "forward", activations = "", layout = 1 : i64} : (tensor<?x?x8xf32, ["B", "S", 8]>, tensor<1x64x8xf32>, tensor<1x64x16xf32>, none, none, none, none, none) -> (tensor<?x?x1x16xf32, ["B", "S", 1, 16]>, tensor<?x1x16xf32, ["B", 1, 16]>, tensor<?x1x16xf32, ["B", 1, 16]>)
  return
}

// -----

func.func @lstm_c1(%x: tensor<?x?x8xf64, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C1: x, w, r and b must have one float type}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf64, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c2(%x: tensor<?x8xf32, ["S", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C2: x, w and r must have rank 3}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x8xf32, ["S", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c3(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x9xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C3: w must have shape [2, 64, 8]}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x9xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c3_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<1x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C3: r must have shape [2, 64, 16]}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<1x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c3_c(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x16xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C3: b must have shape [2, 128]}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x16xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c3_d(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>, %p: tensor<2x16xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C3: p must have shape [2, 48]}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, tensor<2x16xf32>) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c4(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>, %c0: tensor<1x?x16xf32, [1, "B", 16]>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C4: 'c0' must have shape [2, B, 16] and x's element type}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, tensor<1x?x16xf32, [1, "B", 16]>, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c4_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>, %lengths: tensor<?xi32, ["S"]>) {
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C4: 'lengths' must be a vector of 'B' integers}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, tensor<?xi32, ["S"]>, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c4_c(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>, %h0: tensor<1x?x16xf32, [1, "B", 16]>) {
  %lengths = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C4: 'h0' must have shape [2, B, 16] and x's element type}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, tensor<1x?x16xf32, [1, "B", 16]>, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c5(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C5: hidden must be positive, layout 0 or 1}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {hidden = 0 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}

// -----

func.func @lstm_c5_b(%x: tensor<?x?x8xf32, ["S", "B", 8]>, %w: tensor<2x64x8xf32>, %r: tensor<2x64x16xf32>, %b: tensor<2x128xf32>) {
  %lengths = "tcc.none"() : () -> none
  %h0 = "tcc.none"() : () -> none
  %c0 = "tcc.none"() : () -> none
  %p = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.lstm': C5: hidden must be positive, layout 0 or 1}}
  %out:3 = "tcc.lstm"(%x, %w, %r, %b, %lengths, %h0, %c0, %p) {layout = 2 : i64, hidden = 16 : i64, direction = "bidirectional", activations = ""} : (tensor<?x?x8xf32, ["S", "B", 8]>, tensor<2x64x8xf32>, tensor<2x64x16xf32>, tensor<2x128xf32>, none, none, none, none) -> (tensor<?x2x?x16xf32, ["S", 2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>, tensor<2x?x16xf32, [2, "B", 16]>)
  return
}
