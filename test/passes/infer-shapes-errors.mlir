// RUN: tcc-opt --tcc-infer-shapes --verify-diagnostics --split-input-file %s -o /dev/null

func.func @no_type(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{'tcc.add': C2: sizes '3' and '4' of result axis 0 do not broadcast}}
  %0 = "tcc.add"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<?xf32>
  return
}
