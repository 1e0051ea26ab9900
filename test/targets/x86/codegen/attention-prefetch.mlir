// RUN: rm -rf %t && tcc-run %s --threads=2 --random=1 --save=%t && tcc-run %s --target=reference --random=1 --data=%t --check --rtol=1e-3 --atol=1e-4
// RUN: tcc-translate --to-asm --target=x86,avx512 --kernel=k0_attention %s | FileCheck %s --check-prefix=ONE
// RUN: tcc-translate --to-asm --target=x86,avx512 --kernel=k1_attention %s | FileCheck %s --check-prefix=TWO
// REQUIRES: avx512

// What the second product fetches: as many lines a step as rows of four tensors need, in calls that there are. All keys in one
// block: results are stored, not summed up. Few queries to more keys: their rows end before the product does.
// ONE: {{^}}result_
// ONE: prefetcht1 (%r8)
// ONE-NEXT: prefetcht1 64(%r8)
// ONE-NEXT: prefetcht1 128(%r8)
// ONE-NEXT: prefetcht1 192(%r8)
// ONE-NEXT: addq %r9, %r8
// ONE-NOT: vaddps
// ONE: vzeroupper
// Three of thirteen rows take the element that they multiply by from memory in each multiply-add.
// TWO: {{^}}scores_
// TWO-COUNT-6: {1to16}
// TWO: {{^}}result_
// TWO: prefetcht1 (%r8)
// TWO-NEXT: addq %r9, %r8
// TWO: vaddps (%rdx), %zmm0, %zmm0
// TWO: vzeroupper
module {
  func.func private @k0_attention(%q: tensor<1x3x32x64xf32>, %k: tensor<1x3x64x64xf32>, %v: tensor<1x3x64x64xf32>, %m: tensor<1x1x1x64xf32>) -> tensor<1x3x32x64xf32>
      attributes {tcc.kernel = "attention"} {
    %0 = "tcc.attention"(%q, %k, %v, %m) {scale = 0.3 : f64} : (tensor<1x3x32x64xf32>, tensor<1x3x64x64xf32>, tensor<1x3x64x64xf32>, tensor<1x1x1x64xf32>) -> tensor<1x3x32x64xf32>
    func.return %0 : tensor<1x3x32x64xf32>
  }
  func.func private @k1_attention(%q: tensor<1x2x197x64xf32>, %k: tensor<1x2x197x64xf32>, %v: tensor<1x2x197x64xf32>) -> tensor<1x2x197x64xf32>
      attributes {tcc.kernel = "attention"} {
    %n = "tcc.none"() : () -> none
    %0 = "tcc.attention"(%q, %k, %v, %n) {scale = 0.3 : f64} : (tensor<1x2x197x64xf32>, tensor<1x2x197x64xf32>, tensor<1x2x197x64xf32>, none) -> tensor<1x2x197x64xf32>
    func.return %0 : tensor<1x2x197x64xf32>
  }
  func.func @main(%q: tensor<1x3x32x64xf32>, %k: tensor<1x3x64x64xf32>, %v: tensor<1x3x64x64xf32>, %m: tensor<1x1x1x64xf32>, %x: tensor<1x2x197x64xf32>, %y: tensor<1x2x197x64xf32>, %z: tensor<1x2x197x64xf32>) -> (tensor<1x3x32x64xf32>, tensor<1x2x197x64xf32>) {
    %0 = func.call @k0_attention(%q, %k, %v, %m) : (tensor<1x3x32x64xf32>, tensor<1x3x64x64xf32>, tensor<1x3x64x64xf32>, tensor<1x1x1x64xf32>) -> tensor<1x3x32x64xf32>
    %1 = func.call @k1_attention(%x, %y, %z) : (tensor<1x2x197x64xf32>, tensor<1x2x197x64xf32>, tensor<1x2x197x64xf32>) -> tensor<1x2x197x64xf32>
    func.return %0, %1 : tensor<1x3x32x64xf32>, tensor<1x2x197x64xf32>
  }
}
