// RUN: tcc-opt %s --split-input-file --tcc-dedup-regions --verify-each | FileCheck %s
// RUN: tcc-opt %s --split-input-file --tcc-dedup-regions=min-ops=11 | FileCheck %s --check-prefix=LARGE
// LARGE-NOT: @region

// Four equal layers are one function of the activation and the layer's weight.
// CHECK: func.func private @region0(%[[X:.*]]: tensor<?x8xf32, ["B", 8]>, %[[W:.*]]: tensor<8x8xf32>)
// CHECK-NEXT: "tcc.matmul"(%[[X]], %[[W]])
// CHECK: %[[LAST:.*]] = "tcc.sqrt"
// CHECK-NEXT: "tcc.add"(%[[X]], %[[LAST]])
// CHECK-NEXT: return
// CHECK: func.func @main
// CHECK: %[[L0:.*]] = "tcc.floor"
// CHECK: %[[L1:.*]] = call @region0(%[[L0]],
// CHECK: %[[L2:.*]] = call @region0(%[[L1]],
// CHECK: %[[L3:.*]] = call @region0(%[[L2]],
// CHECK: %[[L4:.*]] = call @region0(%[[L3]],
// CHECK-NEXT: return %[[L4]]
func.func @main(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]> {
  %h = "tcc.floor"(%x) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 256} : () -> tensor<8x8xf32>
  %a0 = "tcc.matmul"(%h, %w0) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b0_0 = "tcc.relu"(%a0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_1 = "tcc.neg"(%b0_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_2 = "tcc.exp"(%b0_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_3 = "tcc.tanh"(%b0_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_4 = "tcc.sin"(%b0_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_5 = "tcc.cos"(%b0_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_6 = "tcc.abs"(%b0_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_7 = "tcc.sqrt"(%b0_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h0 = "tcc.add"(%h, %b0_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 256, length = 256} : () -> tensor<8x8xf32>
  %a1 = "tcc.matmul"(%h0, %w1) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b1_0 = "tcc.relu"(%a1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_1 = "tcc.neg"(%b1_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_2 = "tcc.exp"(%b1_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_3 = "tcc.tanh"(%b1_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_4 = "tcc.sin"(%b1_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_5 = "tcc.cos"(%b1_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_6 = "tcc.abs"(%b1_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_7 = "tcc.sqrt"(%b1_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h1 = "tcc.add"(%h0, %b1_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 512, length = 256} : () -> tensor<8x8xf32>
  %a2 = "tcc.matmul"(%h1, %w2) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b2_0 = "tcc.relu"(%a2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_1 = "tcc.neg"(%b2_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_2 = "tcc.exp"(%b2_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_3 = "tcc.tanh"(%b2_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_4 = "tcc.sin"(%b2_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_5 = "tcc.cos"(%b2_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_6 = "tcc.abs"(%b2_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_7 = "tcc.sqrt"(%b2_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h2 = "tcc.add"(%h1, %b2_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 768, length = 256} : () -> tensor<8x8xf32>
  %a3 = "tcc.matmul"(%h2, %w3) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b3_0 = "tcc.relu"(%a3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_1 = "tcc.neg"(%b3_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_2 = "tcc.exp"(%b3_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_3 = "tcc.tanh"(%b3_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_4 = "tcc.sin"(%b3_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_5 = "tcc.cos"(%b3_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_6 = "tcc.abs"(%b3_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_7 = "tcc.sqrt"(%b3_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h3 = "tcc.add"(%h2, %b3_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  return %h3 : tensor<?x8xf32, ["B", 8]>
}

// -----

// An odd layer among seven (its tanh is an erf) leaves the other six alone.
// CHECK: func.func @main
// CHECK-COUNT-3: call @region0
// CHECK: "tcc.erf"
// CHECK-COUNT-3: call @region0
// CHECK-NOT: call
// CHECK: return
func.func @main(%x: tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]> {
  %h = "tcc.floor"(%x) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 256} : () -> tensor<8x8xf32>
  %a0 = "tcc.matmul"(%h, %w0) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b0_0 = "tcc.relu"(%a0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_1 = "tcc.neg"(%b0_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_2 = "tcc.exp"(%b0_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_3 = "tcc.tanh"(%b0_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_4 = "tcc.sin"(%b0_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_5 = "tcc.cos"(%b0_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_6 = "tcc.abs"(%b0_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b0_7 = "tcc.sqrt"(%b0_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h0 = "tcc.add"(%h, %b0_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 256, length = 256} : () -> tensor<8x8xf32>
  %a1 = "tcc.matmul"(%h0, %w1) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b1_0 = "tcc.relu"(%a1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_1 = "tcc.neg"(%b1_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_2 = "tcc.exp"(%b1_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_3 = "tcc.tanh"(%b1_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_4 = "tcc.sin"(%b1_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_5 = "tcc.cos"(%b1_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_6 = "tcc.abs"(%b1_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b1_7 = "tcc.sqrt"(%b1_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h1 = "tcc.add"(%h0, %b1_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 512, length = 256} : () -> tensor<8x8xf32>
  %a2 = "tcc.matmul"(%h1, %w2) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b2_0 = "tcc.relu"(%a2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_1 = "tcc.neg"(%b2_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_2 = "tcc.exp"(%b2_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_3 = "tcc.tanh"(%b2_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_4 = "tcc.sin"(%b2_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_5 = "tcc.cos"(%b2_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_6 = "tcc.abs"(%b2_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b2_7 = "tcc.sqrt"(%b2_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h2 = "tcc.add"(%h1, %b2_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 768, length = 256} : () -> tensor<8x8xf32>
  %a3 = "tcc.matmul"(%h2, %w3) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b3_0 = "tcc.relu"(%a3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_1 = "tcc.neg"(%b3_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_2 = "tcc.exp"(%b3_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_3 = "tcc.erf"(%b3_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_4 = "tcc.sin"(%b3_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_5 = "tcc.cos"(%b3_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_6 = "tcc.abs"(%b3_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b3_7 = "tcc.sqrt"(%b3_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h3 = "tcc.add"(%h2, %b3_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w4 = "tcc.weight"() {name = "w4", source = 0, offset = 1024, length = 256} : () -> tensor<8x8xf32>
  %a4 = "tcc.matmul"(%h3, %w4) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b4_0 = "tcc.relu"(%a4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_1 = "tcc.neg"(%b4_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_2 = "tcc.exp"(%b4_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_3 = "tcc.tanh"(%b4_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_4 = "tcc.sin"(%b4_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_5 = "tcc.cos"(%b4_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_6 = "tcc.abs"(%b4_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b4_7 = "tcc.sqrt"(%b4_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h4 = "tcc.add"(%h3, %b4_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w5 = "tcc.weight"() {name = "w5", source = 0, offset = 1280, length = 256} : () -> tensor<8x8xf32>
  %a5 = "tcc.matmul"(%h4, %w5) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b5_0 = "tcc.relu"(%a5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_1 = "tcc.neg"(%b5_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_2 = "tcc.exp"(%b5_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_3 = "tcc.tanh"(%b5_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_4 = "tcc.sin"(%b5_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_5 = "tcc.cos"(%b5_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_6 = "tcc.abs"(%b5_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b5_7 = "tcc.sqrt"(%b5_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h5 = "tcc.add"(%h4, %b5_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %w6 = "tcc.weight"() {name = "w6", source = 0, offset = 1536, length = 256} : () -> tensor<8x8xf32>
  %a6 = "tcc.matmul"(%h5, %w6) : (tensor<?x8xf32, ["B", 8]>, tensor<8x8xf32>) -> tensor<?x8xf32, ["B", 8]>
  %b6_0 = "tcc.relu"(%a6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_1 = "tcc.neg"(%b6_0) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_2 = "tcc.exp"(%b6_1) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_3 = "tcc.tanh"(%b6_2) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_4 = "tcc.sin"(%b6_3) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_5 = "tcc.cos"(%b6_4) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_6 = "tcc.abs"(%b6_5) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %b6_7 = "tcc.sqrt"(%b6_6) : (tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  %h6 = "tcc.add"(%h5, %b6_7) : (tensor<?x8xf32, ["B", 8]>, tensor<?x8xf32, ["B", 8]>) -> tensor<?x8xf32, ["B", 8]>
  return %h6 : tensor<?x8xf32, ["B", 8]>
}

// -----

// Nothing repeats.
// CHECK: func.func @main
// CHECK-NOT: call
// CHECK: return
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "tcc.exp"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "tcc.neg"(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Layers behind a sum that looks like their own residual sums are cut where one activation is alive, and the first one
// may read an argument: one value goes in, one comes out, and no copy is lost.
// CHECK: func.func private @region0(%[[X:[^ ]*]]: tensor<4x8xf32>, %[[W:[^ ]*]]: tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: "tcc.neg"(%[[X]])
// CHECK: func.func @main(%[[A:[^ ]*]]: tensor<4x8xf32>, %[[P:[^ ]*]]: tensor<4x8xf32>)
// CHECK: %[[H:.*]] = "tcc.add"(%[[A]], %[[P]])
// CHECK: %[[L0:.*]] = call @region0(%[[H]],
// CHECK: %[[L1:.*]] = call @region0(%[[L0]],
// CHECK: %[[L2:.*]] = call @region0(%[[L1]],
// CHECK: %[[L3:.*]] = call @region0(%[[L2]],
// CHECK: "tcc.floor"(%[[L3]])
func.func @main(%x: tensor<4x8xf32>, %p: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %h0 = "tcc.add"(%x, %p) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 256} : () -> tensor<8x8xf32>
  %a0 = "tcc.neg"(%h0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b0 = "tcc.exp"(%a0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c0 = "tcc.matmul"(%b0, %w0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d0 = "tcc.mul"(%c0, %a0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e0 = "tcc.sin"(%d0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h1 = "tcc.add"(%h0, %e0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 256, length = 256} : () -> tensor<8x8xf32>
  %a1 = "tcc.neg"(%h1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b1 = "tcc.exp"(%a1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c1 = "tcc.matmul"(%b1, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d1 = "tcc.mul"(%c1, %a1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e1 = "tcc.sin"(%d1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h2 = "tcc.add"(%h1, %e1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 512, length = 256} : () -> tensor<8x8xf32>
  %a2 = "tcc.neg"(%h2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b2 = "tcc.exp"(%a2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c2 = "tcc.matmul"(%b2, %w2) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d2 = "tcc.mul"(%c2, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e2 = "tcc.sin"(%d2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h3 = "tcc.add"(%h2, %e2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 768, length = 256} : () -> tensor<8x8xf32>
  %a3 = "tcc.neg"(%h3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b3 = "tcc.exp"(%a3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c3 = "tcc.matmul"(%b3, %w3) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d3 = "tcc.mul"(%c3, %a3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e3 = "tcc.sin"(%d3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h4 = "tcc.add"(%h3, %e3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = "tcc.floor"(%h4) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// The first layer reads the argument itself.
// CHECK: func.func @main(%[[A:[^ ]*]]: tensor<4x8xf32>)
// CHECK: %[[L0:.*]] = call @region0(%[[A]],
// CHECK: %[[L1:.*]] = call @region0(%[[L0]],
// CHECK: %[[L2:.*]] = call @region0(%[[L1]],
// CHECK: %[[L3:.*]] = call @region0(%[[L2]],
// CHECK: return %[[L3]]
func.func @main(%h0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 256} : () -> tensor<8x8xf32>
  %a0 = "tcc.neg"(%h0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b0 = "tcc.exp"(%a0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c0 = "tcc.matmul"(%b0, %w0) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d0 = "tcc.mul"(%c0, %a0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e0 = "tcc.sin"(%d0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h1 = "tcc.add"(%h0, %e0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 256, length = 256} : () -> tensor<8x8xf32>
  %a1 = "tcc.neg"(%h1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b1 = "tcc.exp"(%a1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c1 = "tcc.matmul"(%b1, %w1) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d1 = "tcc.mul"(%c1, %a1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e1 = "tcc.sin"(%d1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h2 = "tcc.add"(%h1, %e1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 512, length = 256} : () -> tensor<8x8xf32>
  %a2 = "tcc.neg"(%h2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b2 = "tcc.exp"(%a2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c2 = "tcc.matmul"(%b2, %w2) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d2 = "tcc.mul"(%c2, %a2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e2 = "tcc.sin"(%d2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h3 = "tcc.add"(%h2, %e2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %w3 = "tcc.weight"() {name = "w3", source = 0, offset = 768, length = 256} : () -> tensor<8x8xf32>
  %a3 = "tcc.neg"(%h3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b3 = "tcc.exp"(%a3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c3 = "tcc.matmul"(%b3, %w3) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d3 = "tcc.mul"(%c3, %a3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %e3 = "tcc.sin"(%d3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h4 = "tcc.add"(%h3, %e3) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %h4 : tensor<4x8xf32>
}

// -----

// Elementwise ops behind a convolution that lies outside of the copies stay outside, where the convolution takes them as its epilogue.
// CHECK: func.func private @region0(%{{.*}}: tensor<1x1x8x8x16xf32>,
// CHECK-NOT: tcc.relu
// CHECK-NOT: tcc.exp
// CHECK: tcc.conv_blocked
// CHECK-NEXT: tcc.cos
// CHECK: tcc.neg
// CHECK-NEXT: return
// CHECK: func.func @main
// CHECK: %[[C:.*]] = "tcc.conv_blocked"
// CHECK-NEXT: %[[R:.*]] = "tcc.relu"(%[[C]])
// CHECK-NEXT: %[[E:.*]] = "tcc.exp"(%[[R]])
// CHECK-NEXT: %[[S:.*]] = "tcc.sin"(%[[E]])
// CHECK: call @region0(%[[S]],
// CHECK: %[[C:.*]] = "tcc.conv_blocked"
// CHECK-NEXT: %[[R:.*]] = "tcc.relu"(%[[C]])
// CHECK-NEXT: %[[E:.*]] = "tcc.exp"(%[[R]])
// CHECK-NEXT: %[[S:.*]] = "tcc.sin"(%[[E]])
// CHECK: call @region0(%[[S]],
// CHECK: %[[C:.*]] = "tcc.conv_blocked"
// CHECK-NEXT: %[[R:.*]] = "tcc.relu"(%[[C]])
// CHECK-NEXT: %[[E:.*]] = "tcc.exp"(%[[R]])
// CHECK-NEXT: %[[S:.*]] = "tcc.sin"(%[[E]])
// CHECK: call @region0(%[[S]],
func.func @main(%x: tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32> {
  %n = "tcc.none"() : () -> none
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %c0 = "tcc.conv_blocked"(%x, %w0, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e0_relu = "tcc.relu"(%c0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e0_exp = "tcc.exp"(%e0_relu) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e0_sin = "tcc.sin"(%e0_exp) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %ws0 = "tcc.weight"() {name = "ws0", source = 0, offset = 50000, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %cs0 = "tcc.conv_blocked"(%e0_sin, %ws0, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %f0_cos = "tcc.cos"(%cs0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f0_tanh = "tcc.tanh"(%f0_cos) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f0_abs = "tcc.abs"(%f0_tanh) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f0_floor = "tcc.floor"(%f0_abs) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f0_ceil = "tcc.ceil"(%f0_floor) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f0_neg = "tcc.neg"(%f0_ceil) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 100000, length = 9216} : () -> tensor<1x1x3x3x16x16xf32>
  %c1 = "tcc.conv_blocked"(%f0_neg, %w1, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x3x3x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e1_relu = "tcc.relu"(%c1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e1_exp = "tcc.exp"(%e1_relu) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e1_sin = "tcc.sin"(%e1_exp) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %ws1 = "tcc.weight"() {name = "ws1", source = 0, offset = 150000, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %cs1 = "tcc.conv_blocked"(%e1_sin, %ws1, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %f1_cos = "tcc.cos"(%cs1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f1_tanh = "tcc.tanh"(%f1_cos) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f1_abs = "tcc.abs"(%f1_tanh) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f1_floor = "tcc.floor"(%f1_abs) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f1_ceil = "tcc.ceil"(%f1_floor) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f1_neg = "tcc.neg"(%f1_ceil) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 200000, length = 25600} : () -> tensor<1x1x5x5x16x16xf32>
  %c2 = "tcc.conv_blocked"(%f1_neg, %w2, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 2, 2, 2, 2>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x5x5x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e2_relu = "tcc.relu"(%c2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e2_exp = "tcc.exp"(%e2_relu) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %e2_sin = "tcc.sin"(%e2_exp) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %ws2 = "tcc.weight"() {name = "ws2", source = 0, offset = 250000, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %cs2 = "tcc.conv_blocked"(%e2_sin, %ws2, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %f2_cos = "tcc.cos"(%cs2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f2_tanh = "tcc.tanh"(%f2_cos) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f2_abs = "tcc.abs"(%f2_tanh) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f2_floor = "tcc.floor"(%f2_abs) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f2_ceil = "tcc.ceil"(%f2_floor) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %f2_neg = "tcc.neg"(%f2_ceil) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  return %f2_neg : tensor<1x1x8x8x16xf32>
}

// -----

// What widens bytes at the exit of the copies stays outside: its readers can widen them.
// CHECK: func.func private @region0({{.*}}) -> tensor<1x1x8x8x16xui8>
// CHECK: return
// CHECK: func.func @main
// CHECK-COUNT-3: call @region0({{.*}}) : (tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xui8>
// CHECK-NEXT: "tcc.convert"
func.func @main(%x: tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xf32> {
  %y0 = "tcc.convert"(%x) : (tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xf32>
  %a0 = "tcc.exp"(%y0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_0 = "tcc.sin"(%a0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_1 = "tcc.cos"(%s0_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_2 = "tcc.tanh"(%s0_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_3 = "tcc.abs"(%s0_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %c0 = "tcc.cumulative"(%s0_3) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %r0 = "tcc.round"(%c0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %q0 = "tcc.convert"(%r0) {saturate = true} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xui8>
  %y1 = "tcc.convert"(%q0) : (tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xf32>
  %a1 = "tcc.exp"(%y1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_0 = "tcc.sin"(%a1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_1 = "tcc.cos"(%s1_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_2 = "tcc.tanh"(%s1_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_3 = "tcc.abs"(%s1_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %c1 = "tcc.cumulative"(%s1_3) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %r1 = "tcc.round"(%c1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %q1 = "tcc.convert"(%r1) {saturate = true} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xui8>
  %y2 = "tcc.convert"(%q1) : (tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xf32>
  %a2 = "tcc.exp"(%y2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_0 = "tcc.sin"(%a2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_1 = "tcc.cos"(%s2_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_2 = "tcc.tanh"(%s2_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_3 = "tcc.abs"(%s2_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %c2 = "tcc.cumulative"(%s2_3) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %r2 = "tcc.round"(%c2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %q2 = "tcc.convert"(%r2) {saturate = true} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xui8>
  %y3 = "tcc.convert"(%q2) : (tensor<1x1x8x8x16xui8>) -> tensor<1x1x8x8x16xf32>
  %z = "tcc.sqrt"(%y3) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  return %z : tensor<1x1x8x8x16xf32>
}

// -----

// A convolution at the exit of the copies, whose epilogue is another in each, stays outside with it.
// CHECK: func.func private @region0(
// CHECK-NOT: tcc.conv_blocked
// CHECK: return
// CHECK: func.func @main
// CHECK: call @region0(
// CHECK: "tcc.conv_blocked"
// CHECK: "tcc.relu"
// CHECK: call @region0(
// CHECK: "tcc.conv_blocked"
// CHECK: "tcc.sigmoid"
func.func @main(%x: tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32> {
  %n = "tcc.none"() : () -> none
  %s0_0 = "tcc.cumulative"(%x) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_1 = "tcc.sin"(%s0_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_2 = "tcc.cos"(%s0_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_3 = "tcc.tanh"(%s0_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_4 = "tcc.abs"(%s0_3) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_5 = "tcc.exp"(%s0_4) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_6 = "tcc.sin"(%s0_5) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s0_7 = "tcc.cos"(%s0_6) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %w0 = "tcc.weight"() {name = "w0", source = 0, offset = 0, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %c0 = "tcc.conv_blocked"(%s0_7, %w0, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e0 = "tcc.relu"(%c0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_0 = "tcc.cumulative"(%e0) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_1 = "tcc.sin"(%s1_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_2 = "tcc.cos"(%s1_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_3 = "tcc.tanh"(%s1_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_4 = "tcc.abs"(%s1_3) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_5 = "tcc.exp"(%s1_4) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_6 = "tcc.sin"(%s1_5) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s1_7 = "tcc.cos"(%s1_6) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %w1 = "tcc.weight"() {name = "w1", source = 0, offset = 2000, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %c1 = "tcc.conv_blocked"(%s1_7, %w1, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e1 = "tcc.sigmoid"(%c1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_0 = "tcc.cumulative"(%e1) {axis = 4 : i64, kind = "sum"} : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_1 = "tcc.sin"(%s2_0) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_2 = "tcc.cos"(%s2_1) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_3 = "tcc.tanh"(%s2_2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_4 = "tcc.abs"(%s2_3) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_5 = "tcc.exp"(%s2_4) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_6 = "tcc.sin"(%s2_5) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %s2_7 = "tcc.cos"(%s2_6) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  %w2 = "tcc.weight"() {name = "w2", source = 0, offset = 4000, length = 1024} : () -> tensor<1x1x1x1x16x16xf32>
  %c2 = "tcc.conv_blocked"(%s2_7, %w2, %n) {channels = 16 : i64, out_channels = 16 : i64, lanes = 16 : i64, groups = 1 : i64, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x1x8x8x16xf32>, tensor<1x1x1x1x16x16xf32>, none) -> tensor<1x1x8x8x16xf32>
  %e2 = "tcc.erf"(%c2) : (tensor<1x1x8x8x16xf32>) -> tensor<1x1x8x8x16xf32>
  return %e2 : tensor<1x1x8x8x16xf32>
}
