// RUN: tcc-interp %s | FileCheck %s
// RUN: tcc-interp %s --pipeline tcc-decompose | FileCheck %s

// Attention, directly and through its expansion: grouped heads, masks, causal with an offset, softcap, a fully masked row.
func.func @main() -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  %c1 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c2 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c3 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %n4 = "tcc.none"() : () -> none
  %r5 = "tcc.attention"(%c1, %c2, %c3, %n4) {scale = 0.5 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, none) -> tensor<1x2x2x2xf32>
  // CHECK: output 0: 1x2x2x2xf32 = 0.67514 0.0101707 0.630863 -0.0660412 0.636311 0.0839996 0.729443 -0.06673{{$}}
  %c6 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c7 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c8 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %n9 = "tcc.none"() : () -> none
  %r10 = "tcc.attention"(%c6, %c7, %c8, %n9) {scale = 1.0 : f64, causal = true, offset = [1]} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, none) -> tensor<1x2x2x2xf32>
  // CHECK: output 1: 1x2x2x2xf32 = 0.82543 0.384708 0.592804 -0.205952 0.761153 0.802507 0.795008 -0.124688{{$}}
  %c11 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c12 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c13 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %n14 = "tcc.none"() : () -> none
  %r15 = "tcc.attention"(%c11, %c12, %c13, %n14) {scale = 1.0 : f64, causal = true} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, none) -> tensor<1x2x2x2xf32>
  // CHECK: output 2: 1x2x2x2xf32 = 0.9 -0.1 0.801 0.5435 0.9 -0.1 0.878566 0.0393185{{$}}
  %c16 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c17 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c18 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c19 = "tcc.constant"() {value = dense<[[true, false, true], [true, true, false]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %r20 = "tcc.attention"(%c16, %c17, %c18, %c19) {scale = 1.0 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xi1>) -> tensor<1x2x2x2xf32>
  // CHECK: output 3: 1x2x2x2xf32 = 0.679857 -0.452229 0.801 0.5435 0.550767 -0.658772 0.878566 0.0393185{{$}}
  %c21 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c22 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c23 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c24 = "tcc.constant"() {value = dense<[[[[0.0, 1.0, -1.0]]]]> : tensor<1x1x1x3xf32>} : () -> tensor<1x1x1x3xf32>
  %r25 = "tcc.attention"(%c21, %c22, %c23, %c24) {scale = 1.0 : f64, softcap = 2.0 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x2x2xf32>
  // CHECK: output 4: 1x2x2x2xf32 = 0.738588 0.548323 0.698289 0.570526 0.693727 0.812078 0.813445 0.214259{{$}}
  %c26 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c27 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c28 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c29 = "tcc.constant"() {value = dense<[[false, false, false], [true, true, false]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %r30 = "tcc.attention"(%c26, %c27, %c28, %c29) {scale = 1.0 : f64} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xi1>) -> tensor<1x2x2x2xf32>
  // CHECK: output 5: 1x2x2x2xf32 = nan nan 0.801 0.5435 nan nan 0.878566 0.0393185{{$}}
  %c31 = "tcc.constant"() {value = dense<[[[[-0.0, 0.4000000059604645], [0.5, 0.8999999761581421]], [[0.30000001192092896, -0.10000000149011612], [-0.30000001192092896, 1.100000023841858]]]]> : tensor<1x2x2x2xf32>} : () -> tensor<1x2x2x2xf32>
  %c32 = "tcc.constant"() {value = dense<[[[[-2.299999952316284, -0.10000000149011612], [0.0, -1.399999976158142], [0.30000001192092896, -0.699999988079071]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c33 = "tcc.constant"() {value = dense<[[[[0.8999999761581421, -0.10000000149011612], [0.699999988079071, 1.2000000476837158], [0.4000000059604645, -0.8999999761581421]]]]> : tensor<1x1x3x2xf32>} : () -> tensor<1x1x3x2xf32>
  %c34 = "tcc.constant"() {value = dense<[[false, false, false], [true, true, false]]> : tensor<2x3xi1>} : () -> tensor<2x3xi1>
  %r35 = "tcc.attention"(%c31, %c32, %c33, %c34) {scale = 1.0 : f64, zero_masked = true} : (tensor<1x2x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<2x3xi1>) -> tensor<1x2x2x2xf32>
  // CHECK: output 6: 1x2x2x2xf32 = 0 0 0.801 0.5435 0 0 0.878566 0.0393185{{$}}
  %c36 = "tcc.constant"() {value = dense<[[[[2.0, 3.0, -3.0, -2.0], [-2.0, -2.0, -1.0, -3.0]]]]> : tensor<1x1x2x4xf32>} : () -> tensor<1x1x2x4xf32>
  %c37 = "tcc.constant"() {value = dense<[[0.9950041770935059, 0.9800665974617004], [0.9553365111351013, 0.9210609793663025]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %c38 = "tcc.constant"() {value = dense<[[0.0998334139585495, 0.19866932928562164], [0.29552021622657776, 0.3894183337688446]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %r39 = "tcc.rotary_embedding"(%c36, %c37, %c38) : (tensor<1x1x2x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x4xf32>
  // CHECK: output 7: 1x1x2x4xf32 = 2.28951 3.33754 -2.78535 -1.36413 -1.61515 -0.673867 -1.54638 -3.54202{{$}}
  %c40 = "tcc.constant"() {value = dense<[[[[2.0, 3.0, -3.0, -2.0], [-2.0, -2.0, -1.0, -3.0]]]]> : tensor<1x1x2x4xf32>} : () -> tensor<1x1x2x4xf32>
  %c41 = "tcc.constant"() {value = dense<[[0.9950041770935059, 0.9800665974617004], [0.9553365111351013, 0.9210609793663025]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %c42 = "tcc.constant"() {value = dense<[[0.0998334139585495, 0.19866932928562164], [0.29552021622657776, 0.3894183337688446]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
  %r43 = "tcc.rotary_embedding"(%c40, %c41, %c42) {interleaved = true} : (tensor<1x1x2x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<1x1x2x4xf32>
  // CHECK: output 8: 1x1x2x4xf32 = 1.69051 3.18468 -2.54286 -2.55614 -1.31963 -2.50171 0.247194 -3.1526{{$}}
  %c44 = "tcc.constant"() {value = dense<[[[[2.0, 3.0, -3.0, -2.0], [-2.0, -2.0, -1.0, -3.0]]]]> : tensor<1x1x2x4xf32>} : () -> tensor<1x1x2x4xf32>
  %c45 = "tcc.constant"() {value = dense<[[0.9950041770935059], [0.9553365111351013]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %c46 = "tcc.constant"() {value = dense<[[0.0998334139585495], [0.29552021622657776]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %r47 = "tcc.rotary_embedding"(%c44, %c45, %c46) {rotary_dim = 2 : i64} : (tensor<1x1x2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<1x1x2x4xf32>
  // CHECK: output 9: 1x1x2x4xf32 = 1.69051 3.18468 -3 -2 -1.31963 -2.50171 -1 -3{{$}}
  return %r5, %r10, %r15, %r20, %r25, %r30, %r35, %r39, %r43, %r47 : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
}
