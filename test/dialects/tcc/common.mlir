// What holds for every op (C0): operands, attributes and encodings as the table and the type system say.
// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

// Attributes of a dialect may be on any op.
func.func @common(%x: tensor<?x64xf32, ["B*S", 64]>) {
  %r = "tcc.neg"(%x) {other.stage = "pre"} : (tensor<?x64xf32, ["B*S", 64]>) -> tensor<?x64xf32, ["B*S", 64]>
  return
}

// Unknown sizes agree with every size.
func.func @common_unknown(%x: tensor<?x64xf32, ["?", 64]>, %y: tensor<?x64xf32>, %z: tensor<?x64xf32, ["S", 64]>) {
  %0 = "tcc.add"(%x, %z) : (tensor<?x64xf32, ["?", 64]>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x64xf32, ["?", 64]>
  %1 = "tcc.concat"(%y, %z) {axis = 1 : i64} : (tensor<?x64xf32>, tensor<?x64xf32, ["S", 64]>) -> tensor<?x128xf32, ["S", 128]>
  return
}

// -----

func.func @common_operand_type(%x: f32) {
  // expected-error@+1 {{'tcc.neg': C0: operand 'x' must be a ranked tensor}}
  %r = "tcc.neg"(%x) : (f32) -> f32
  return
}

// -----

func.func @common_element_type(%x: tensor<3xindex>) {
  // expected-error@+1 {{'tcc.neg': C0: operand 'x' has an element type that tcc does not have}}
  %r = "tcc.neg"(%x) : (tensor<3xindex>) -> tensor<3xindex>
  return
}

// -----

func.func @common_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error@+1 {{'tcc.neg': C0: operand 'x' has rank 17, the most is 16}}
  %r = "tcc.neg"(%x) : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @common_result_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1xf32>, %i: tensor<1x1x1x1x1x1x1x1xi64>) {
  // expected-error@+1 {{'tcc.gather': C0: the result's rank is more than 16}}
  %r = "tcc.gather"(%x, %i) {axis = 0 : i64} : (tensor<1x1x1x1x1x1x1x1x1x1xf32>, tensor<1x1x1x1x1x1x1x1xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @common_absent(%x: tensor<3xf32>) {
  %none = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.add': C0: operand 'b' must not be absent}}
  %r = "tcc.add"(%x, %none) : (tensor<3xf32>, none) -> tensor<3xf32>
  return
}

// -----

func.func @common_result_type(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.neg': C0: result 'r' must have type tensor<3xf32>, not tensor<4xf32>}}
  %r = "tcc.neg"(%x) : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @common_negative_size(%x: tensor<3xf32>) {
  %none = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C0: the result's size -1 on axis 0 is negative}}
  %r = "tcc.pad"(%x, %none) {low = [-2], high = [-2], mode = "constant"} : (tensor<3xf32>, none) -> tensor<0xf32>
  return
}

// -----

func.func @common_missing_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.softmax': C0: attribute 'axis' is missing}}
  %r = "tcc.softmax"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @common_unknown_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.softmax': C0: unknown attribute 'axes'}}
  %r = "tcc.softmax"(%x) {axis = 0 : i64, axes = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @common_i64_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.softmax': C0: attribute 'axis' must be i64}}
  %r = "tcc.softmax"(%x) {axis = 0 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @common_f64_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.elu': C0: attribute 'alpha' must be f64}}
  %r = "tcc.elu"(%x) {alpha = 1.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @common_bool_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C0: attribute 'keepdims' must be bool}}
  %r = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 0>, keepdims = 1 : i64} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @common_choice_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C0: attribute 'kind' must be sum|prod|max|min|and|or}}
  %r = "tcc.reduce"(%x) {kind = "xor", axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @common_ints_attribute(%x: tensor<3xf32>) {
  // expected-error@+1 {{'tcc.reduce': C0: attribute 'axes' must be ints}}
  %r = "tcc.reduce"(%x) {kind = "sum", axes = [0]} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @common_exprs_attribute() {
  // expected-error@+1 {{'tcc.sizes': C0: attribute 'values' must be exprs}}
  %r = "tcc.sizes"() {values = ["B +"]} : () -> tensor<1xi64>
  return
}

// -----

// expected-error@+1 {{argument 0: entry 0 of the encoding, 'S*B', is not the normal form 'B*S'}}
func.func @common_normal_form(%x: tensor<?xf32, ["S*B"]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: the encoding must be an array of 2 entries}}
func.func @common_encoding_length(%x: tensor<?x3xf32, ["S"]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: a static type must have no encoding}}
func.func @common_static_encoding(%x: tensor<3xf32, [3]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: entry 1 of the encoding must be 3}}
func.func @common_static_entry(%x: tensor<?x3xf32, ["S", 4]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: entry 0 of the encoding is a constant, the size is dynamic}}
func.func @common_constant_entry(%x: tensor<?xf32, ["2 + 2"]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: entry 0 of the encoding must be a size expression}}
func.func @common_entry_type(%x: tensor<?xf32, [3]>) {
  return
}

// -----

// expected-error@+1 {{argument 0: entry 0 of the encoding: size expression 'S +': an operand is missing at column 4}}
func.func @common_entry_syntax(%x: tensor<?xf32, ["S +"]>) {
  return
}

// -----

func.func @common_elements(%x: tensor<1099511627776x1048576xf32>) {
  // expected-error@+1 {{'tcc.neg': C0: operand 'x' has too many elements}}
  %r = "tcc.neg"(%x) : (tensor<1099511627776x1048576xf32>) -> tensor<1099511627776x1048576xf32>
  return
}

// -----

func.func @common_result_elements(%x: tensor<1099511627776xf32>) {
  // expected-error@+1 {{'tcc.dot_general': C0: result 'r' has too many elements}}
  %r = "tcc.dot_general"(%x, %x) {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64>, rhs_contract = array<i64>} : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<3xf32>
  return
}

// -----

// The product of both sizes has no coefficient that 64 bits hold: it would be 0.
func.func @symbols_c0(%x: tensor<1x1xf32>) {
  // expected-error@+1 {{'tcc.broadcast': C0: result 'r' has too many elements}}
  %out = "tcc.broadcast"(%x) : (tensor<1x1xf32>) -> tensor<?x?xf32, ["1099511627776*T", "1099511627776*T"]>
  return
}

// -----

func.func @symbols_c0_b(%x: tensor<?xf32, ["T + 9223372036854775807"]>) {
  // expected-error@+1 {{'tcc.neg': C0: operand 'x' has too many elements}}
  %out = "tcc.neg"(%x) : (tensor<?xf32, ["T + 9223372036854775807"]>) -> tensor<?xf32, ["T + 9223372036854775807"]>
  return
}

// -----

// What no op looks at is checked, too: a pass may make ops of its type.
// expected-error@+1 {{argument 0: the tensor has too many elements}}
func.func @unread_elements(%x: tensor<281474976710656x281474976710656xf32>) -> tensor<281474976710656x281474976710656xf32> {
  return %x : tensor<281474976710656x281474976710656xf32>
}
