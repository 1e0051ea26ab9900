// RUN: tcc-opt --target=x86 --pass-pipeline=tcc-infer-shapes,kernels,tcc-variants,tcc-select %s | FileCheck %s

// A product of operands of which one size is not known, in a pipeline that does not ask for it: it is no constant.
// CHECK: tcc.dot_general
func.func @linear(%x: tensor<?x?xf32, ["B*S", "?"]>, %w: tensor<32x?xf32, [32, "?"]>) -> tensor<?x32xf32, ["B*S", 32]> {
  %none = "tcc.none"() : () -> none
  %r = "tcc.linear"(%x, %w, %none) : (tensor<?x?xf32, ["B*S", "?"]>, tensor<32x?xf32, [32, "?"]>, none) -> tensor<?x32xf32, ["B*S", 32]>
  return %r : tensor<?x32xf32, ["B*S", 32]>
}
