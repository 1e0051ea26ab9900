// RUN: not tcc-opt --pass-pipeline='tcc-variants{count=-1}' %s 2>&1 | FileCheck %s
// CHECK: tcc-variants: count=-1 is not from 0 to 1000
module {
}
