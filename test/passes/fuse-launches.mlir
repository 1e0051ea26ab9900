// RUN: tcc-opt %s --target=nvptx,sm_90a --tcc-fuse | FileCheck %s --check-prefix=DEVICE
// RUN: tcc-opt %s --target=x86 --tcc-fuse | FileCheck %s --check-prefix=HOST
// A vector that each row of a matrix reads is converted again for each of them where a kernel of its own costs more (TccTarget.launch_operations),
// but not where what is computed again is dear, or the matrix is large.
// DEVICE: func.func @main
// DEVICE-NEXT: %[[R:.*]] = call @{{[a-z0-9_]*}}convert_mul(%arg1, %arg0)
// DEVICE-NEXT: %[[E:.*]] = call @{{[a-z0-9_]*exp}}(%arg1)
// DEVICE-NEXT: %[[S:.*]] = call @{{[a-z0-9_]*}}(%arg0, %[[E]])
// DEVICE-NEXT: %[[C:.*]] = call @{{[a-z0-9_]*convert}}(%arg1)
// DEVICE-NEXT: %[[L:.*]] = call @{{[a-z0-9_]*}}(%arg2, %[[C]])
// DEVICE-NEXT: return %[[R]], %[[S]], %[[L]]
// HOST: func.func @main
// HOST-NEXT: %[[G:.*]] = call @{{[a-z0-9_]*convert}}(%arg1)
// HOST-NEXT: call @{{[a-z0-9_]*}}mul(%arg0, %[[G]])
func.func @main(%x: tensor<4096x4096xf32>, %g: tensor<4096xbf16>, %y: tensor<32768x4096xf32>)
    -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<32768x4096xf32>) {
  %0 = "tcc.convert"(%g) : (tensor<4096xbf16>) -> tensor<4096xf32>
  %1 = "tcc.mul"(%x, %0) : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %2 = "tcc.convert"(%g) : (tensor<4096xbf16>) -> tensor<4096xf32>
  %3 = "tcc.exp"(%2) : (tensor<4096xf32>) -> tensor<4096xf32>
  %4 = "tcc.mul"(%x, %3) : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %5 = "tcc.convert"(%g) : (tensor<4096xbf16>) -> tensor<4096xf32>
  %6 = "tcc.add"(%y, %5) : (tensor<32768x4096xf32>, tensor<4096xf32>) -> tensor<32768x4096xf32>
  return %1, %4, %6 : tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<32768x4096xf32>
}
