// RUN: tcc-opt --tcc-select %s --verify-diagnostics --split-input-file
// RUN: not tcc-opt --pass-pipeline='tcc-select{records=%t.absent}' %s 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: absent: No such file or directory
module {
  // expected-error@+1 {{'tcc.variants' must be a list of schedules}}
  func.func private @k0(%x: tensor<2xf32>) -> tensor<2xf32> attributes {tcc.kernel = "map", tcc.variants = []} {
    %0 = "tcc.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    func.return %0 : tensor<2xf32>
  }
}
