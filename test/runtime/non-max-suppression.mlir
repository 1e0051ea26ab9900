// Boxes that are taken are compared with 16 at once: more than that many stay here, of one class and of several, and not a multiple of 16;
// sizes are of either sign where boxes are middle and size, so that some have no area, or corners the wrong way round.
// RUN: tcc-run %s --no-cache --random=1 --compare=interp
// RUN: tcc-run %s --no-cache --random=7 --threads=3 --compare=interp
// RUN: tcc-run %s --target=x86,avx2 --no-cache --random=9 --compare=interp

func.func @main(%boxes: tensor<2x333x4xf32>, %scores: tensor<2x3x333xf32>)
    -> (tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>) {
  %most = "tcc.constant"() {value = dense<333> : tensor<i64>} : () -> tensor<i64>
  %few = "tcc.constant"() {value = dense<37> : tensor<i64>} : () -> tensor<i64>
  %least = "tcc.constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %half = "tcc.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %zero = "tcc.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %none = "tcc.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %a = "tcc.non_max_suppression"(%boxes, %scores, %most, %half, %least) : (tensor<2x333x4xf32>, tensor<2x3x333xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x333xi64>
  %b = "tcc.non_max_suppression"(%boxes, %scores, %most, %half, %least) {center = true} : (tensor<2x333x4xf32>, tensor<2x3x333xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x333xi64>
  %c = "tcc.non_max_suppression"(%boxes, %scores, %few, %zero, %zero) : (tensor<2x333x4xf32>, tensor<2x3x333xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x333xi64>
  %d = "tcc.non_max_suppression"(%boxes, %scores, %most, %least, %least) : (tensor<2x333x4xf32>, tensor<2x3x333xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x333xi64>
  %e = "tcc.non_max_suppression"(%boxes, %scores, %most, %none, %least) {center = true} : (tensor<2x333x4xf32>, tensor<2x3x333xf32>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<2x3x333xi64>
  return %a, %b, %c, %d, %e : tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>, tensor<2x3x333xi64>
}
