// Passes run in the order of the command line; ours and upstream's mix; the ways to write a pipeline are one.
// RUN: tcc-opt %s --pass-pipeline='tcc-verify,func.func(cse),tcc-fuse' | FileCheck %s
// RUN: tcc-opt %s --pass-pipeline='builtin.module(tcc-verify,func.func(cse),tcc-fuse)' | FileCheck %s
// RUN: tcc-opt %s --tcc-verify --pass-pipeline='func.func(cse)' --tcc-fuse --verify-each | FileCheck %s
// RUN: tcc-opt - --tcc-fuse < %s | FileCheck %s
// RUN: tcc-opt %s --tcc-fuse --emit-bytecode -o %t && tcc-opt %t | FileCheck %s
// CHECK: func.func private @[[KERNEL:.*]](
// CHECK: tcc.relu
// CHECK: func.func @main
// CHECK-NEXT: call @[[KERNEL]]

// RUN: tcc-opt %s --pass-pipeline='tcc-verify,canonicalize,func.func(cse),tcc-fuse' --timing -o %t 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: ms {{.*}} tcc-verify{{$}}
// TIMING-NEXT: ms {{.*}} canonicalize,func.func(cse){{$}}
// TIMING-NEXT: ms {{.*}} tcc-fuse{{$}}
// TIMING-NEXT: total

// RUN: tcc-opt %s --pass-pipeline='tcc-verify,canonicalize,tcc-fuse' --print-ir-after-all -o %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: tcc-opt %s --pass-pipeline='tcc-verify,canonicalize,tcc-fuse' --print-ir-after=canonicalize -o %t 2>&1 | FileCheck %s --check-prefix=ONE
// ALL: IR after tcc-verify
// ALL: IR after canonicalize
// ALL: IR after tcc-fuse
// ONE-NOT: IR after tcc-verify
// ONE: IR after canonicalize
// ONE-NOT: IR after

// RUN: tcc-opt --list-passes | FileCheck %s --check-prefix=PASSES
// PASSES: tcc-verify {{ *[a-z]}}
// PASSES: tcc-fuse {{ *[a-z]}}
// RUN: tcc-opt --list-pipelines | FileCheck %s --check-prefix=PIPELINES
// PIPELINES: import {{ *[a-z]}}
// PIPELINES: default {{ *[a-z]}}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "tcc.relu"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
