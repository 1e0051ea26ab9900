// RUN: tcc-opt %s --split-input-file '--tcc-parameters=train=a,i,f,*.none freeze=no.*' --verify-diagnostics

// All at once.
// expected-error@+2 {{tcc-parameters: no weight is called as train=*.none says}}
// expected-error@+1 {{tcc-parameters: no weight is called as freeze=no.* says}}
module attributes {tcc.sources = ["m.bin"]} {
  func.func private @body(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{tcc-parameters: 'f' cannot be trained: a loop or a branch reads it}}
    %f = "tcc.weight"() {name = "f", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    %r = "tcc.add"(%x, %f) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>) {
    %a = "tcc.weight"() {name = "a", source = 0 : i64, offset = 0 : i64, length = 16 : i64} : () -> tensor<4xf32>
    // expected-error@+1 {{tcc-parameters: 'a' cannot be trained: two weights of this name have different types}}
    %b = "tcc.weight"() {name = "a", source = 0 : i64, offset = 0 : i64, length = 32 : i64} : () -> tensor<8xf32>
    // expected-error@+1 {{tcc-parameters: 'i' cannot be trained: its elements are i32}}
    %i = "tcc.weight"() {name = "i", source = 0 : i64, offset = 32 : i64, length = 16 : i64} : () -> tensor<4xi32>
    %p = func.call @body(%a) {tcc.trips = ["3"]} : (tensor<4xf32>) -> tensor<4xf32>
    return %p, %i, %b : tensor<4xf32>, tensor<4xi32>, tensor<8xf32>
  }
}

// -----

// expected-error@+1 {{tcc-parameters: the module has no function @main}}
module {
}
