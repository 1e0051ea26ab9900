// RUN: tcc-opt --tcc-infer-shapes --verify-each %s | FileCheck %s

// Sizes that a type leaves open come from the operands, through calls too.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> tensor<?x?x4xf32, ["B", "S", 4]>
// CHECK: "tcc.add"(%arg0, %arg1) : ({{.*}}) -> tensor<?x64xf32, ["B*S", 64]>
// CHECK: call @half({{.*}}) : (tensor<?x64xf32, ["B*S", 64]>) -> tensor<?x32xf32, ["B*S", 32]>
// CHECK: "tcc.convert"({{.*}}) : (tensor<?x32xf32, ["B*S", 32]>) -> tensor<?x32xf16, ["B*S", 32]>
// CHECK: "tcc.reshape"({{.*}}) -> tensor<?x?x32xf16, ["B", "S", 32]>
func.func @main(%x: tensor<?x64xf32, ["B*S", 64]>, %b: tensor<64xf32>, %w: tensor<32x4xf32>) -> tensor<*xf32> {
  %0 = "tcc.add"(%x, %b) : (tensor<?x64xf32, ["B*S", 64]>, tensor<64xf32>) -> tensor<?x64xf32>
  %1 = func.call @half(%0) : (tensor<?x64xf32>) -> tensor<?x?xf32>
  %2 = "tcc.convert"(%1) : (tensor<?x?xf32>) -> tensor<?x?xf16>
  %3 = "tcc.reshape"(%2) : (tensor<?x?xf16>) -> tensor<?x?x32xf16, ["B", "?", 32]>
  %4 = "tcc.convert"(%3) : (tensor<?x?x32xf16, ["B", "?", 32]>) -> tensor<?x?x32xf32>
  %5 = "tcc.matmul"(%4, %w) : (tensor<?x?x32xf32>, tensor<32x4xf32>) -> tensor<*xf32>
  return %5 : tensor<*xf32>
}

// CHECK-LABEL: func.func private @half(%arg0: tensor<?x64xf32, ["B*S", 64]>) -> tensor<?x32xf32, ["B*S", 32]>
func.func private @half(%x: tensor<?x64xf32>) -> tensor<?x?xf32> {
  %0 = "tcc.slice"(%x) {starts = [0, 0], steps = array<i64: 1, 2>} : (tensor<?x64xf32>) -> tensor<?x32xf32, ["B*S", 32]>
  %1 = "tcc.neg"(%0) : (tensor<?x32xf32, ["B*S", 32]>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
