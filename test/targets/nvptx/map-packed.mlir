// Results of 4 and 2 bits: a thread has four places that follow each other, so that no two threads write to a byte; zeros stand behind the last element.
// Results of other types beside them are stored element by element.
// RUN: tcc-translate --to-ptx --target=nvptx,sm_80 %s | FileCheck %s

// CHECK: .visible .entry k_{{[0-9a-f]+}}_convert(
// CHECK-COUNT-4: st.global.b32
// CHECK-NOT: st.global.b32
// CHECK-COUNT-2: st.global.b8
// CHECK-NOT: st.global
// CHECK: grid [1, 1, 1]
func.func private @k0_convert(%x: tensor<5x7xf32>) -> (tensor<5x7xi4>, tensor<5x7xf32>) attributes {tcc.kernel = "map"} {
  %0 = "tcc.mul"(%x, %x) : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = "tcc.convert"(%0) : (tensor<5x7xf32>) -> tensor<5x7xi4>
  return %1, %0 : tensor<5x7xi4>, tensor<5x7xf32>
}

// One byte of four places.
// CHECK: .visible .entry k_{{[0-9a-f]+}}_abs_convert(
// CHECK-COUNT-1: st.global.b8
// CHECK-NOT: st.global
// CHECK: grid [floordiv(floordiv(3*S + 3, 4) + 255, 256), 1, 1]
func.func private @k1_abs_convert(%x: tensor<?x3xf32, ["S", 3]>) -> tensor<?x3xui2, ["S", 3]> attributes {tcc.kernel = "map"} {
  %0 = "tcc.abs"(%x) : (tensor<?x3xf32, ["S", 3]>) -> tensor<?x3xf32, ["S", 3]>
  %1 = "tcc.convert"(%0) : (tensor<?x3xf32, ["S", 3]>) -> tensor<?x3xui2, ["S", 3]>
  return %1 : tensor<?x3xui2, ["S", 3]>
}
