// Images in blocks whose channels do not fill them: what is joined, or taken from the midst of a block, stays in blocks. No kernel turns an image but that of the model's
// own.
// RUN: tcc-explain %s --target=x86,avx2 | grep -c "_transpose (map)" | FileCheck %s
// CHECK: {{^1$}}
// Kernels that only copy boxes of vectors are a table each, and share a routine.
// RUN: tcc-explain %s --target=x86,avx2 | grep -c "schedule: boxes" | FileCheck %s --check-prefix=BOXES
// BOXES: {{^14$}}
// RUN: tcc-opt %s --pipeline=default --target=x86,avx2 -o %t.mlir && tcc-translate --to-llvm --target=x86,avx2 %t.mlir | FileCheck %s --check-prefix=ROUTINE
// ROUTINE: llvm.func hidden @[[SHARED:boxes_[0-9a-f]+]](
// ROUTINE: llvm.call @[[SHARED]](
// ROUTINE: llvm.call @[[SHARED]](
// RUN: rm -rf %t && tcc-run %s --random=1 --target=x86,avx2 --no-cache --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-4 --atol=1e-4
// RUN: tcc-run %s --random=1 --target=x86,avx2 --no-cache --compare=interp
// RUN: tcc-run %s --random=1 --data=%t --no-cache --check --rtol=1e-4 --atol=1e-4 && tcc-run %s --random=1 --no-cache --compare=interp
// REQUIRES: avx2

func.func @main(%x: tensor<2x8x7x7xf32>) -> (tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>) {
  %none = "tcc.none"() : () -> none
  %i_a = "tcc.iota"() {axis = 0 : i64} : () -> tensor<96xf32>
  %s_a = "tcc.sin"(%i_a) : (tensor<96xf32>) -> tensor<96xf32>
  %w_a = "tcc.reshape"(%s_a) : (tensor<96xf32>) -> tensor<12x8x1x1xf32>
  %a = "tcc.conv"(%x, %w_a, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x7x7xf32>, tensor<12x8x1x1xf32>, none) -> tensor<2x12x7x7xf32>
  %i_b = "tcc.iota"() {axis = 0 : i64} : () -> tensor<160xf32>
  %s_b = "tcc.sin"(%i_b) : (tensor<160xf32>) -> tensor<160xf32>
  %w_b = "tcc.reshape"(%s_b) : (tensor<160xf32>) -> tensor<20x8x1x1xf32>
  %b = "tcc.conv"(%x, %w_b, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x7x7xf32>, tensor<20x8x1x1xf32>, none) -> tensor<2x20x7x7xf32>
  %i_c = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %s_c = "tcc.sin"(%i_c) : (tensor<40xf32>) -> tensor<40xf32>
  %w_c = "tcc.reshape"(%s_c) : (tensor<40xf32>) -> tensor<5x8x1x1xf32>
  %c = "tcc.conv"(%x, %w_c, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x7x7xf32>, tensor<5x8x1x1xf32>, none) -> tensor<2x5x7x7xf32>
  %i_d = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %s_d = "tcc.sin"(%i_d) : (tensor<128xf32>) -> tensor<128xf32>
  %w_d = "tcc.reshape"(%s_d) : (tensor<128xf32>) -> tensor<16x8x1x1xf32>
  %d = "tcc.conv"(%x, %w_d, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x7x7xf32>, tensor<16x8x1x1xf32>, none) -> tensor<2x16x7x7xf32>
  %i_e = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %s_e = "tcc.sin"(%i_e) : (tensor<288xf32>) -> tensor<288xf32>
  %w_e = "tcc.reshape"(%s_e) : (tensor<288xf32>) -> tensor<36x8x1x1xf32>
  %e = "tcc.conv"(%x, %w_e, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x8x7x7xf32>, tensor<36x8x1x1xf32>, none) -> tensor<2x36x7x7xf32>
  %j0 = "tcc.concat"(%a, %b) {axis = 1 : i64} : (tensor<2x12x7x7xf32>, tensor<2x20x7x7xf32>) -> tensor<2x32x7x7xf32>
  %i_rj0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %s_rj0 = "tcc.sin"(%i_rj0) : (tensor<128xf32>) -> tensor<128xf32>
  %w_rj0 = "tcc.reshape"(%s_rj0) : (tensor<128xf32>) -> tensor<4x32x1x1xf32>
  %rj0 = "tcc.conv"(%j0, %w_rj0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x7x7xf32>, tensor<4x32x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j1 = "tcc.concat"(%b, %a) {axis = 1 : i64} : (tensor<2x20x7x7xf32>, tensor<2x12x7x7xf32>) -> tensor<2x32x7x7xf32>
  %i_rj1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<128xf32>
  %s_rj1 = "tcc.sin"(%i_rj1) : (tensor<128xf32>) -> tensor<128xf32>
  %w_rj1 = "tcc.reshape"(%s_rj1) : (tensor<128xf32>) -> tensor<4x32x1x1xf32>
  %rj1 = "tcc.conv"(%j1, %w_rj1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x32x7x7xf32>, tensor<4x32x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j2 = "tcc.concat"(%c, %c) {axis = 1 : i64} : (tensor<2x5x7x7xf32>, tensor<2x5x7x7xf32>) -> tensor<2x10x7x7xf32>
  %i_rj2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<40xf32>
  %s_rj2 = "tcc.sin"(%i_rj2) : (tensor<40xf32>) -> tensor<40xf32>
  %w_rj2 = "tcc.reshape"(%s_rj2) : (tensor<40xf32>) -> tensor<4x10x1x1xf32>
  %rj2 = "tcc.conv"(%j2, %w_rj2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x10x7x7xf32>, tensor<4x10x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j3 = "tcc.concat"(%d, %a) {axis = 1 : i64} : (tensor<2x16x7x7xf32>, tensor<2x12x7x7xf32>) -> tensor<2x28x7x7xf32>
  %i_rj3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<112xf32>
  %s_rj3 = "tcc.sin"(%i_rj3) : (tensor<112xf32>) -> tensor<112xf32>
  %w_rj3 = "tcc.reshape"(%s_rj3) : (tensor<112xf32>) -> tensor<4x28x1x1xf32>
  %rj3 = "tcc.conv"(%j3, %w_rj3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x28x7x7xf32>, tensor<4x28x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j4 = "tcc.concat"(%a, %d) {axis = 1 : i64} : (tensor<2x12x7x7xf32>, tensor<2x16x7x7xf32>) -> tensor<2x28x7x7xf32>
  %i_rj4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<112xf32>
  %s_rj4 = "tcc.sin"(%i_rj4) : (tensor<112xf32>) -> tensor<112xf32>
  %w_rj4 = "tcc.reshape"(%s_rj4) : (tensor<112xf32>) -> tensor<4x28x1x1xf32>
  %rj4 = "tcc.conv"(%j4, %w_rj4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x28x7x7xf32>, tensor<4x28x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j5 = "tcc.concat"(%e, %c) {axis = 1 : i64} : (tensor<2x36x7x7xf32>, tensor<2x5x7x7xf32>) -> tensor<2x41x7x7xf32>
  %i_rj5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<164xf32>
  %s_rj5 = "tcc.sin"(%i_rj5) : (tensor<164xf32>) -> tensor<164xf32>
  %w_rj5 = "tcc.reshape"(%s_rj5) : (tensor<164xf32>) -> tensor<4x41x1x1xf32>
  %rj5 = "tcc.conv"(%j5, %w_rj5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x41x7x7xf32>, tensor<4x41x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j6 = "tcc.concat"(%e, %e) {axis = 1 : i64} : (tensor<2x36x7x7xf32>, tensor<2x36x7x7xf32>) -> tensor<2x72x7x7xf32>
  %i_rj6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<288xf32>
  %s_rj6 = "tcc.sin"(%i_rj6) : (tensor<288xf32>) -> tensor<288xf32>
  %w_rj6 = "tcc.reshape"(%s_rj6) : (tensor<288xf32>) -> tensor<4x72x1x1xf32>
  %rj6 = "tcc.conv"(%j6, %w_rj6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x72x7x7xf32>, tensor<4x72x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %j7 = "tcc.concat"(%b, %b) {axis = 1 : i64} : (tensor<2x20x7x7xf32>, tensor<2x20x7x7xf32>) -> tensor<2x40x7x7xf32>
  %i_rj7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<160xf32>
  %s_rj7 = "tcc.sin"(%i_rj7) : (tensor<160xf32>) -> tensor<160xf32>
  %w_rj7 = "tcc.reshape"(%s_rj7) : (tensor<160xf32>) -> tensor<4x40x1x1xf32>
  %rj7 = "tcc.conv"(%j7, %w_rj7, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x40x7x7xf32>, tensor<4x40x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %jj = "tcc.concat"(%j0, %c) {axis = 1 : i64} : (tensor<2x32x7x7xf32>, tensor<2x5x7x7xf32>) -> tensor<2x37x7x7xf32>
  %jk = "tcc.concat"(%jj, %a) {axis = 1 : i64} : (tensor<2x37x7x7xf32>, tensor<2x12x7x7xf32>) -> tensor<2x49x7x7xf32>
  %i_rjk = "tcc.iota"() {axis = 0 : i64} : () -> tensor<196xf32>
  %s_rjk = "tcc.sin"(%i_rjk) : (tensor<196xf32>) -> tensor<196xf32>
  %w_rjk = "tcc.reshape"(%s_rjk) : (tensor<196xf32>) -> tensor<4x49x1x1xf32>
  %rjk = "tcc.conv"(%jk, %w_rjk, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x49x7x7xf32>, tensor<4x49x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s0 = "tcc.slice"(%e) {starts = [0, 3, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x17x7x7xf32>
  %i_rs0 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<68xf32>
  %s_rs0 = "tcc.sin"(%i_rs0) : (tensor<68xf32>) -> tensor<68xf32>
  %w_rs0 = "tcc.reshape"(%s_rs0) : (tensor<68xf32>) -> tensor<4x17x1x1xf32>
  %rs0 = "tcc.conv"(%s0, %w_rs0, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x17x7x7xf32>, tensor<4x17x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s1 = "tcc.slice"(%e) {starts = [0, 16, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x20x7x7xf32>
  %i_rs1 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<80xf32>
  %s_rs1 = "tcc.sin"(%i_rs1) : (tensor<80xf32>) -> tensor<80xf32>
  %w_rs1 = "tcc.reshape"(%s_rs1) : (tensor<80xf32>) -> tensor<4x20x1x1xf32>
  %rs1 = "tcc.conv"(%s1, %w_rs1, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x20x7x7xf32>, tensor<4x20x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s2 = "tcc.slice"(%e) {starts = [0, 0, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x9x7x7xf32>
  %i_rs2 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<36xf32>
  %s_rs2 = "tcc.sin"(%i_rs2) : (tensor<36xf32>) -> tensor<36xf32>
  %w_rs2 = "tcc.reshape"(%s_rs2) : (tensor<36xf32>) -> tensor<4x9x1x1xf32>
  %rs2 = "tcc.conv"(%s2, %w_rs2, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x9x7x7xf32>, tensor<4x9x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s3 = "tcc.slice"(%e) {starts = [0, 31, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x5x7x7xf32>
  %i_rs3 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<20xf32>
  %s_rs3 = "tcc.sin"(%i_rs3) : (tensor<20xf32>) -> tensor<20xf32>
  %w_rs3 = "tcc.reshape"(%s_rs3) : (tensor<20xf32>) -> tensor<4x5x1x1xf32>
  %rs3 = "tcc.conv"(%s3, %w_rs3, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x5x7x7xf32>, tensor<4x5x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s4 = "tcc.slice"(%e) {starts = [0, 7, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x16x7x7xf32>
  %i_rs4 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %s_rs4 = "tcc.sin"(%i_rs4) : (tensor<64xf32>) -> tensor<64xf32>
  %w_rs4 = "tcc.reshape"(%s_rs4) : (tensor<64xf32>) -> tensor<4x16x1x1xf32>
  %rs4 = "tcc.conv"(%s4, %w_rs4, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x7x7xf32>, tensor<4x16x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s5 = "tcc.slice"(%b) {starts = [0, 5, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x20x7x7xf32>) -> tensor<2x3x7x7xf32>
  %i_rs5 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<12xf32>
  %s_rs5 = "tcc.sin"(%i_rs5) : (tensor<12xf32>) -> tensor<12xf32>
  %w_rs5 = "tcc.reshape"(%s_rs5) : (tensor<12xf32>) -> tensor<4x3x1x1xf32>
  %rs5 = "tcc.conv"(%s5, %w_rs5, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x3x7x7xf32>, tensor<4x3x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s6 = "tcc.slice"(%b) {starts = [0, 1, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x20x7x7xf32>) -> tensor<2x19x7x7xf32>
  %i_rs6 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<76xf32>
  %s_rs6 = "tcc.sin"(%i_rs6) : (tensor<76xf32>) -> tensor<76xf32>
  %w_rs6 = "tcc.reshape"(%s_rs6) : (tensor<76xf32>) -> tensor<4x19x1x1xf32>
  %rs6 = "tcc.conv"(%s6, %w_rs6, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x19x7x7xf32>, tensor<4x19x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  %s7 = "tcc.slice"(%e) {starts = [0, 20, 0, 0], steps = array<i64: 1, 1, 1, 1>} : (tensor<2x36x7x7xf32>) -> tensor<2x16x7x7xf32>
  %i_rs7 = "tcc.iota"() {axis = 0 : i64} : () -> tensor<64xf32>
  %s_rs7 = "tcc.sin"(%i_rs7) : (tensor<64xf32>) -> tensor<64xf32>
  %w_rs7 = "tcc.reshape"(%s_rs7) : (tensor<64xf32>) -> tensor<4x16x1x1xf32>
  %rs7 = "tcc.conv"(%s7, %w_rs7, %none) {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<2x16x7x7xf32>, tensor<4x16x1x1xf32>, none) -> tensor<2x4x7x7xf32>
  return %rj0, %rj1, %rj2, %rj3, %rj4, %rj5, %rj6, %rj7, %rjk, %rs0, %rs1, %rs2, %rs3, %rs4, %rs5, %rs6, %rs7 : tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>, tensor<2x4x7x7xf32>
}
