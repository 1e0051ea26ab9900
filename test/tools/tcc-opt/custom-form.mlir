// RUN: not tcc-opt %s 2>&1 | FileCheck %s
// RUN: not tcc-translate --to-llvm %s 2>&1 | FileCheck %s
// RUN: not tcc-compile %s -o %t 2>&1 | FileCheck %s

// The parser of IRDL's ops fails without a word on an op that is not in the generic form: the error is ours. A "tcc.add" of a string or of
// a comment, tcc.add, is none.
// CHECK: custom-form.mlir:[[#@LINE+4]]:8: error: 'tcc.tanh' has the generic form alone: "tcc.tanh"(operands) {attributes} : (types) -> types
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %b = "tcc.abs"(%a) {note = "a \" tcc.mul %b"} : (tensor<2xf32>) -> tensor<2xf32>
  // tcc.exp %b
  %c = tcc.tanh %b : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}
