// RUN: tcc-opt --tcc-grad --tcc-simplify %s -o %t.mlir && tcc-opt --tcc-dedup-regions --tcc-verify %t.mlir -o %t.regions.mlir && FileCheck %s < %t.regions.mlir
// RUN: tcc-run %t.mlir --no-dedup --no-cache --random=1 --save=%t.data && tcc-run %t.regions.mlir --no-cache --random=1 --data=%t.data --check

// A layer of two branches whose backward passes begin with equal ops, before a head without a norm. The forward has more classes of ops with a copy
// in each layer than are tried; those of the backward are tried beside them, or it would be cut between layers, with one less.
// CHECK: func.func private @region0(
// CHECK: func.func private @region1(
// CHECK-NOT: func.func private
// CHECK: func.func @main
// CHECK-COUNT-3: call @region1(
// CHECK-NOT: call @region1(
// CHECK-COUNT-3: call @region0(
func.func @main(%x: tensor<3x8xf32> {tcc.name = "x"}, %a0: tensor<8x16xf32> {tcc.name = "a0"}, %ao0: tensor<16x8xf32> {tcc.name = "ao0"}, %b0: tensor<8x16xf32> {tcc.name = "b0"}, %bo0: tensor<16x8xf32> {tcc.name = "bo0"}, %a1: tensor<8x16xf32> {tcc.name = "a1"}, %ao1: tensor<16x8xf32> {tcc.name = "ao1"}, %b1: tensor<8x16xf32> {tcc.name = "b1"}, %bo1: tensor<16x8xf32> {tcc.name = "bo1"}, %a2: tensor<8x16xf32> {tcc.name = "a2"}, %ao2: tensor<16x8xf32> {tcc.name = "ao2"}, %b2: tensor<8x16xf32> {tcc.name = "b2"}, %bo2: tensor<16x8xf32> {tcc.name = "bo2"}, %w: tensor<8x5xf32> {tcc.name = "w"}) -> tensor<f32> {
  %na0 = "tcc.mean"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %ca0 = "tcc.sub"(%x, %na0) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pa0 = "tcc.matmul"(%ca0, %a0) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fa0_0 = "tcc.tanh"(%pa0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa0_1 = "tcc.exp"(%fa0_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa0_2 = "tcc.sin"(%fa0_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa0_3 = "tcc.tanh"(%fa0_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qa0 = "tcc.matmul"(%fa0_3, %ao0) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %ha0 = "tcc.add"(%x, %qa0) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %nb0 = "tcc.mean"(%ha0) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %cb0 = "tcc.sub"(%ha0, %nb0) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pb0 = "tcc.matmul"(%cb0, %b0) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fb0_0 = "tcc.exp"(%pb0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb0_1 = "tcc.sin"(%fb0_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb0_2 = "tcc.cos"(%fb0_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb0_3 = "tcc.exp"(%fb0_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qb0 = "tcc.matmul"(%fb0_3, %bo0) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %hb0 = "tcc.add"(%ha0, %qb0) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %na1 = "tcc.mean"(%hb0) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %ca1 = "tcc.sub"(%hb0, %na1) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pa1 = "tcc.matmul"(%ca1, %a1) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fa1_0 = "tcc.tanh"(%pa1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa1_1 = "tcc.exp"(%fa1_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa1_2 = "tcc.sin"(%fa1_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa1_3 = "tcc.tanh"(%fa1_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qa1 = "tcc.matmul"(%fa1_3, %ao1) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %ha1 = "tcc.add"(%hb0, %qa1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %nb1 = "tcc.mean"(%ha1) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %cb1 = "tcc.sub"(%ha1, %nb1) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pb1 = "tcc.matmul"(%cb1, %b1) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fb1_0 = "tcc.exp"(%pb1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb1_1 = "tcc.sin"(%fb1_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb1_2 = "tcc.cos"(%fb1_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb1_3 = "tcc.exp"(%fb1_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qb1 = "tcc.matmul"(%fb1_3, %bo1) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %hb1 = "tcc.add"(%ha1, %qb1) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %na2 = "tcc.mean"(%hb1) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %ca2 = "tcc.sub"(%hb1, %na2) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pa2 = "tcc.matmul"(%ca2, %a2) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fa2_0 = "tcc.tanh"(%pa2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa2_1 = "tcc.exp"(%fa2_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa2_2 = "tcc.sin"(%fa2_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fa2_3 = "tcc.tanh"(%fa2_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qa2 = "tcc.matmul"(%fa2_3, %ao2) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %ha2 = "tcc.add"(%hb1, %qa2) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %nb2 = "tcc.mean"(%ha2) {axes = array<i64: 1>, keepdims = true} : (tensor<3x8xf32>) -> tensor<3x1xf32>
  %cb2 = "tcc.sub"(%ha2, %nb2) : (tensor<3x8xf32>, tensor<3x1xf32>) -> tensor<3x8xf32>
  %pb2 = "tcc.matmul"(%cb2, %b2) : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
  %fb2_0 = "tcc.exp"(%pb2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb2_1 = "tcc.sin"(%fb2_0) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb2_2 = "tcc.cos"(%fb2_1) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %fb2_3 = "tcc.exp"(%fb2_2) : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %qb2 = "tcc.matmul"(%fb2_3, %bo2) : (tensor<3x16xf32>, tensor<16x8xf32>) -> tensor<3x8xf32>
  %hb2 = "tcc.add"(%ha2, %qb2) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %z = "tcc.matmul"(%hb2, %w) : (tensor<3x8xf32>, tensor<8x5xf32>) -> tensor<3x5xf32>
  %s = "tcc.mul"(%z, %z) : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %l = "tcc.reduce"(%s) {kind = "sum", axes = array<i64: 0, 1>} : (tensor<3x5xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
