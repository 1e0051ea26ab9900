// RUN: tcc-opt %s --split-input-file | FileCheck %s
// RUN: tcc-opt %s --split-input-file -o %t && tcc-opt %t --split-input-file | FileCheck %s
// CHECK: module
// CHECK: @one
// CHECK: // -----
// CHECK: module
// CHECK: @two
func.func private @one()

// -----

#map = affine_map<(d0) -> (d0)>
func.func private @two() attributes {m = #map}
