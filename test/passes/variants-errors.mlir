// RUN: not tcc-opt --pass-pipeline='tcc-variants{count=1001}' %s 2>&1 | FileCheck %s
// CHECK: tcc-variants: count=1001 is above 1000
module {
}
