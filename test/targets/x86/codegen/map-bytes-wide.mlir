// Where all that is read, computed and written has less than 32 bits, registers are filled; what is left of a row goes eight at a time.
// RUN: rm -rf %t && tcc-run %s --random=1 --dim=N=77 --threads=2 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=77 --data=%t --check
// RUN: rm -rf %t && tcc-run %s --target=x86,haswell --random=1 --dim=N=31 --save=%t && tcc-run %s --target=reference --random=1 --dim=N=31 --data=%t --check
// RUN: tcc-translate --to-llvm --target=x86,haswell --kernel=k0 %s | FileCheck %s --check-prefix=FLAGS
// RUN: tcc-translate --to-llvm --target=x86,haswell --kernel=k1 %s | FileCheck %s --check-prefix=HALVES
// RUN: tcc-translate --to-llvm --target=x86,haswell --kernel=k2 %s | FileCheck %s --check-prefix=FLOATS
// REQUIRES: avx2

// FLAGS: llvm.and {{.*}} : vector<32xi1>
// FLAGS: llvm.and {{.*}} : vector<8xi1>
func.func private @k0(%x: tensor<3x?xi1, [3, "N"]>, %y: tensor<?xi1, ["N"]>) -> tensor<3x?xi1, [3, "N"]> attributes {tcc.kernel = "map"} {
  %b = "tcc.reshape"(%y) : (tensor<?xi1, ["N"]>) -> tensor<1x?xi1, [1, "N"]>
  %r = "tcc.and"(%x, %b) : (tensor<3x?xi1, [3, "N"]>, tensor<1x?xi1, [1, "N"]>) -> tensor<3x?xi1, [3, "N"]>
  return %r : tensor<3x?xi1, [3, "N"]>
}
// HALVES: llvm.add {{.*}} : vector<16xi16>
// HALVES: llvm.add {{.*}} : vector<8xi16>
func.func private @k1(%x: tensor<3x?xi16, [3, "N"]>, %y: tensor<3x?xi16, [3, "N"]>, %c: tensor<3x?xi1, [3, "N"]>) -> tensor<3x?xi16, [3, "N"]> attributes {tcc.kernel = "map"} {
  %s = "tcc.add"(%x, %y) : (tensor<3x?xi16, [3, "N"]>, tensor<3x?xi16, [3, "N"]>) -> tensor<3x?xi16, [3, "N"]>
  %r = "tcc.select"(%c, %s, %x) : (tensor<3x?xi1, [3, "N"]>, tensor<3x?xi16, [3, "N"]>, tensor<3x?xi16, [3, "N"]>) -> tensor<3x?xi16, [3, "N"]>
  return %r : tensor<3x?xi16, [3, "N"]>
}
// A float of 16 bits is computed in 32.
// FLOATS-NOT: vector<16xf16>
func.func private @k2(%x: tensor<100xf16>, %c: tensor<100xi1>) -> tensor<100xf16> attributes {tcc.kernel = "map"} {
  %s = "tcc.mul"(%x, %x) : (tensor<100xf16>, tensor<100xf16>) -> tensor<100xf16>
  %r = "tcc.select"(%c, %s, %x) : (tensor<100xi1>, tensor<100xf16>, tensor<100xf16>) -> tensor<100xf16>
  return %r : tensor<100xf16>
}
func.func @main(%x: tensor<3x?xi1, [3, "N"]>, %y: tensor<?xi1, ["N"]>, %a: tensor<3x?xi16, [3, "N"]>, %b: tensor<3x?xi16, [3, "N"]>, %h: tensor<100xf16>, %c: tensor<100xi1>)
    -> (tensor<3x?xi1, [3, "N"]>, tensor<3x?xi16, [3, "N"]>, tensor<100xf16>) {
  %0 = call @k0(%x, %y) : (tensor<3x?xi1, [3, "N"]>, tensor<?xi1, ["N"]>) -> tensor<3x?xi1, [3, "N"]>
  %1 = call @k1(%a, %b, %x) : (tensor<3x?xi16, [3, "N"]>, tensor<3x?xi16, [3, "N"]>, tensor<3x?xi1, [3, "N"]>) -> tensor<3x?xi16, [3, "N"]>
  %2 = call @k2(%h, %c) : (tensor<100xf16>, tensor<100xi1>) -> tensor<100xf16>
  return %0, %1, %2 : tensor<3x?xi1, [3, "N"]>, tensor<3x?xi16, [3, "N"]>, tensor<100xf16>
}
