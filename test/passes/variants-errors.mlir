// RUN: not tcc-opt --pass-pipeline='tcc-variants{count=0}' %s 2>&1 | FileCheck %s
// CHECK: tcc-variants: count=0 is not from 1 to 1000
module {
}
