// The verifier walks functions and the regions in them, and changes nothing.
// RUN: tcc-opt --tcc-verify %s | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK: "tcc.linear"(%arg0, %arg1, %0) : (tensor<?x64xf32, ["B*S", 64]>, tensor<32x64xf32>, none) -> tensor<?x32xf32, ["B*S", 32]>
func.func @linear(%x: tensor<?x64xf32, ["B*S", 64]>, %w: tensor<32x64xf32>) -> tensor<?x32xf32, ["B*S", 32]> {
  %none = "tcc.none"() : () -> none
  %r = "tcc.linear"(%x, %w, %none) : (tensor<?x64xf32, ["B*S", 64]>, tensor<32x64xf32>, none) -> tensor<?x32xf32, ["B*S", 32]>
  return %r : tensor<?x32xf32, ["B*S", 32]>
}
