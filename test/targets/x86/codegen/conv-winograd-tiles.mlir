// RUN: rm -rf %t && mkdir -p %t && tcc-opt --target=x86,avx512 --pass-pipeline="tcc-winograd,tcc-memory-plan" %s > %t/squares.mlir && FileCheck %s < %t/squares.mlir
// RUN: tcc-interp %s --digits=3 > %t/direct.txt && tcc-interp %t/squares.mlir --digits=3 > %t/squares.txt && diff %t/direct.txt %t/squares.txt
// RUN: tcc-run %s --numerics=direct --save=%t/data && tcc-run %t/squares.mlir --no-cache --data=%t/data --check --rtol=1e-3 --atol=1e-3
// RUN: tcc-run %t/squares.mlir --no-cache --threads=3 --data=%t/data --check --rtol=1e-3 --atol=1e-3
// REQUIRES: avx512

// Scheduled by hand, 2 x 2 and 4 x 4 results at a time, sizes that neither divides, a part of a row as a group: the interpreter does what the
// op says, the emitter what it does.
// CHECK: winograd = 2
// CHECK: winograd = 4
module {
  func.func private @k0(%x: tensor<2x2x9x23x16xf32>, %w: tensor<1x2x3x3x16x48xf32>, %b: tensor<48xf32>) -> tensor<2x3x9x23x16xf32> attributes {tcc.kernel = "conv", tcc.schedule = {depth = 2 : i64, fetch = 1 : i64, panels = 1 : i64, pixels = 5 : i64, rows = 1 : i64, tile = 5 : i64, vectors = 2 : i64, winograd = 2 : i64}} {
    %0 = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 48 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<2x2x9x23x16xf32>, tensor<1x2x3x3x16x48xf32>, tensor<48xf32>) -> tensor<2x3x9x23x16xf32>
    %1 = "tcc.relu"(%0) : (tensor<2x3x9x23x16xf32>) -> tensor<2x3x9x23x16xf32>
    func.return %1 : tensor<2x3x9x23x16xf32>
  }
  func.func private @k1(%x: tensor<2x2x9x23x16xf32>, %w: tensor<1x2x3x3x16x48xf32>, %b: tensor<48xf32>) -> tensor<2x3x9x23x16xf32> attributes {tcc.kernel = "conv", tcc.schedule = {depth = 2 : i64, fetch = 2 : i64, panels = 1 : i64, pixels = 5 : i64, rows = 2 : i64, tile = 6 : i64, vectors = 2 : i64, winograd = 4 : i64}} {
    %0 = "tcc.conv_blocked"(%x, %w, %b) {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels = 32 : i64, out_channels = 48 : i64, groups = 1 : i64, lanes = 16 : i64, phases_h = 1 : i64, phases_w = 1 : i64, winograd = 1 : i64} : (tensor<2x2x9x23x16xf32>, tensor<1x2x3x3x16x48xf32>, tensor<48xf32>) -> tensor<2x3x9x23x16xf32>
    %1 = "tcc.relu"(%0) : (tensor<2x3x9x23x16xf32>) -> tensor<2x3x9x23x16xf32>
    func.return %1 : tensor<2x3x9x23x16xf32>
  }
  func.func @main() -> (tensor<2x3x9x23x16xf32>, tensor<2x3x9x23x16xf32>) {
    %i = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13248xf32>
    %s = "tcc.sin"(%i) : (tensor<13248xf32>) -> tensor<13248xf32>
    %x = "tcc.reshape"(%s) : (tensor<13248xf32>) -> tensor<2x2x9x23x16xf32>
    %j = "tcc.iota"() {axis = 0 : i64} : () -> tensor<13824xf32>
    %c = "tcc.cos"(%j) : (tensor<13824xf32>) -> tensor<13824xf32>
    %w = "tcc.reshape"(%c) : (tensor<13824xf32>) -> tensor<1x2x3x3x16x48xf32>
    %k = "tcc.iota"() {axis = 0 : i64} : () -> tensor<48xf32>
    %b = "tcc.sin"(%k) : (tensor<48xf32>) -> tensor<48xf32>
    %0 = func.call @k0(%x, %w, %b) : (tensor<2x2x9x23x16xf32>, tensor<1x2x3x3x16x48xf32>, tensor<48xf32>) -> tensor<2x3x9x23x16xf32>
    %1 = func.call @k1(%x, %w, %b) : (tensor<2x2x9x23x16xf32>, tensor<1x2x3x3x16x48xf32>, tensor<48xf32>) -> tensor<2x3x9x23x16xf32>
    func.return %0, %1 : tensor<2x3x9x23x16xf32>, tensor<2x3x9x23x16xf32>
  }
}
