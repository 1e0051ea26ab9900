// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @rotary_embedding(%x: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %cos: tensor<1x1x?x32xf32, [1, 1, "S", 32]>, %sin: tensor<?x1x?x32xf32, ["B", 1, "S", 32]>) {
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<1x1x?x32xf32, [1, 1, "S", 32]>, tensor<?x1x?x32xf32, ["B", 1, "S", 32]>) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}

func.func @rotary_embedding_1(%x: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %cos: tensor<?x16xf32, ["S", 16]>, %sin: tensor<?x16xf32, ["S", 16]>) {
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) {rotary_dim = 32 : i64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x16xf32, ["S", 16]>, tensor<?x16xf32, ["S", 16]>) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}

// -----

func.func @rotary_embedding_c1(%x: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %cos: tensor<?x32xf16, ["S", 32]>, %sin: tensor<?x32xf32, ["S", 32]>) {
  // expected-error@+1 {{'tcc.rotary_embedding': C1: x, cos and sin must have one float type}}
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x32xf16, ["S", 32]>, tensor<?x32xf32, ["S", 32]>) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}

// -----

func.func @rotary_embedding_c2(%x: tensor<?x64xf32, ["S", 64]>, %cos: tensor<?x32xf32, ["S", 32]>, %sin: tensor<?x32xf32, ["S", 32]>) {
  // expected-error@+1 {{'tcc.rotary_embedding': C2: operand 'x' must have rank 4, not 2}}
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) : (tensor<?x64xf32, ["S", 64]>, tensor<?x32xf32, ["S", 32]>, tensor<?x32xf32, ["S", 32]>) -> tensor<?x64xf32, ["S", 64]>
  return
}

// -----

func.func @rotary_embedding_c3(%x: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %cos: tensor<?x32xf32, ["S", 32]>, %sin: tensor<?x32xf32, ["S", 32]>) {
  // expected-error@+1 {{'tcc.rotary_embedding': C3: rotary_dim 66 must be even and at most '64'}}
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) {rotary_dim = 66 : i64} : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x32xf32, ["S", 32]>, tensor<?x32xf32, ["S", 32]>) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}

// -----

func.func @rotary_embedding_c4(%x: tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, %cos: tensor<?x64xf32, ["S", 64]>, %sin: tensor<?x32xf32, ["S", 32]>) {
  // expected-error@+1 {{'tcc.rotary_embedding': C4: size '64' of 'cos' on axis 1 does not broadcast to '32'}}
  %out = "tcc.rotary_embedding"(%x, %cos, %sin) : (tensor<?x8x?x64xf32, ["B", 8, "S", 64]>, tensor<?x64xf32, ["S", 64]>, tensor<?x32xf32, ["S", 32]>) -> tensor<?x8x?x64xf32, ["B", 8, "S", 64]>
  return
}
