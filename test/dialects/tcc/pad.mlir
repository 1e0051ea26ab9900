// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @pad(%x: tensor<?x4xf32, ["S", 4]>) {
  %value = "tcc.none"() : () -> none
  %out = "tcc.pad"(%x, %value) {low = [1, 0], high = [2, 0], mode = "constant"} : (tensor<?x4xf32, ["S", 4]>, none) -> tensor<?x4xf32, ["S + 3", 4]>
  return
}

func.func @pad_1(%x: tensor<4xf32>, %value: tensor<f32>) {
  %out = "tcc.pad"(%x, %value) {low = ["P"], high = [0], mode = "constant"} : (tensor<4xf32>, tensor<f32>) -> tensor<?xf32, ["P + 4"]>
  return
}

func.func @pad_2(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  %out = "tcc.pad"(%x, %value) {low = [3], high = [2], mode = "reflect"} : (tensor<4xf32>, none) -> tensor<9xf32>
  return
}

func.func @pad_wrap(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  %out = "tcc.pad"(%x, %value) {low = [9], high = [5], mode = "wrap"} : (tensor<4xf32>, none) -> tensor<18xf32>
  return
}

func.func @pad_3(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  %out = "tcc.pad"(%x, %value) {low = [-1], high = [-1], mode = "constant"} : (tensor<4xf32>, none) -> tensor<2xf32>
  return
}

// -----

func.func @pad_c1(%x: tensor<4xf32>, %value: tensor<2xf32>) {
  // expected-error@+1 {{'tcc.pad': C1: 'value' must be a single element of type f32}}
  %out = "tcc.pad"(%x, %value) {low = [1], high = [1], mode = "constant"} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C2: low and high must have x's rank, 1, entries}}
  %out = "tcc.pad"(%x, %value) {low = [1, 1], high = [1], mode = "constant"} : (tensor<4xf32>, none) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C3: axis 0 of size 4 is too small for reflect padding by 4 and 1}}
  %out = "tcc.pad"(%x, %value) {low = [4], high = [1], mode = "reflect"} : (tensor<4xf32>, none) -> tensor<9xf32>
  return
}

// -----

func.func @pad_c3_edge(%x: tensor<0x4xf32>) {
  %value = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C3: axis 0 of size 0 is too small for edge padding by 1 and 0}}
  %out = "tcc.pad"(%x, %value) {low = [1, 1], high = [0, 0], mode = "edge"} : (tensor<0x4xf32>, none) -> tensor<1x5xf32>
  return
}

// -----

func.func @pad_c3_wrap(%x: tensor<0xf32>) {
  %value = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C3: axis 0 of size 0 is too small for wrap padding by 0 and 2}}
  %out = "tcc.pad"(%x, %value) {low = [0], high = [2], mode = "wrap"} : (tensor<0xf32>, none) -> tensor<2xf32>
  return
}

// -----

// Sizes wrap around to 2.
func.func @pad_c4(%x: tensor<4xf32>) {
  %value = "tcc.none"() : () -> none
  // expected-error@+1 {{'tcc.pad': C4: padding by 9223372036854775807 and 9223372036854775807 is out of range}}
  %out = "tcc.pad"(%x, %value) {low = [9223372036854775807], high = [9223372036854775807], mode = "constant"} : (tensor<4xf32>, none) -> tensor<2xf32>
  return
}
