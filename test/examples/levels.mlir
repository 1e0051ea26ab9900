// docs/levels.md: one small model at each level.
// RUN: tcc-opt --tcc-decompose --tcc-simplify %s | FileCheck --check-prefix=PRIMITIVE %s
// RUN: tcc-opt --tcc-decompose --tcc-simplify --tcc-fuse %s | FileCheck --check-prefix=KERNELS %s
// RUN: tcc-opt --tcc-decompose --tcc-simplify --tcc-fuse %s | tcc-translate --to-llvm | FileCheck --check-prefix=LLVM %s
// RUN: tcc-opt --tcc-decompose --tcc-simplify --tcc-fuse %s | tcc-translate --to-ptx --target=nvptx,sm_80 | FileCheck --check-prefix=PTX %s

// PRIMITIVE-LABEL: func.func @main
// PRIMITIVE: "tcc.dot_general"{{.*}}lhs_contract = array<i64: 1>{{.*}}rhs_contract = array<i64: 1>
// PRIMITIVE: "tcc.add"
// PRIMITIVE: "tcc.max"

// KERNELS: func.func private @k0_dot_general_add_max({{.*}}tcc.kernel = "contract"
// KERNELS: func.func @main
// KERNELS-NEXT: call @k0_dot_general_add_max
// KERNELS-NEXT: return

// LLVM: llvm.func hidden @tile
// LLVM: {{vfmadd231ps|llvm.intr.fma}}
// LLVM: llvm.func hidden @epilogue
// LLVM: llvm.func @k_{{[0-9a-f]+}}_dot_general_add_max

// PTX: .visible .entry k_{{[0-9a-f]+}}_dot_general_add_max
func.func @main(%x: tensor<?x8xf32, ["B", 8]> {tcc.name = "x"}, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32, ["B", 4]> {tcc.name = "y"}) {
  %0 = "tcc.linear"(%x, %w, %b) {transposed = true} : (tensor<?x8xf32, ["B", 8]>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<?x4xf32, ["B", 4]>
  %1 = "tcc.relu"(%0) : (tensor<?x4xf32, ["B", 4]>) -> tensor<?x4xf32, ["B", 4]>
  return %1 : tensor<?x4xf32, ["B", 4]>
}
