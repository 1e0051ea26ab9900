// RUN: tcc-run %s --random --compare=interp --threads=1
// RUN: tcc-run %s --random --compare=interp --threads=1 --target=x86,avx2
// REQUIRES: avx2

// What is divided may be written over what it is made of, but not here: the quotient lies 20 bytes into the joined tensor, whose memory, of
// as many lines as the running sum's, was given for both. Later vectors were then read behind the earlier ones that had been written.
func.func @main(%x: tensor<17xf32>, %y: tensor<17xf32>, %front: tensor<5xf32>) -> tensor<22xf32> {
  %0 = "tcc.cumulative"(%x) {axis = 0 : i64, kind = "sum"} : (tensor<17xf32>) -> tensor<17xf32>
  %1 = "tcc.div"(%0, %y) : (tensor<17xf32>, tensor<17xf32>) -> tensor<17xf32>
  %2 = "tcc.concat"(%front, %1) {axis = 0 : i64} : (tensor<5xf32>, tensor<17xf32>) -> tensor<22xf32>
  return %2 : tensor<22xf32>
}
