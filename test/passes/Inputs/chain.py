"""chain.py N: a module of N ops, each of which reads the one before it, and their sum."""
import sys

n = int(sys.argv[1])
print('func.func @main(%v0: tensor<4xf32> {tcc.name = "x"}) -> (tensor<f32> {tcc.name = "loss"}) {')
for i in range(n):
    print(f'  %v{i + 1} = "tcc.{"exp" if i % 2 else "tanh"}"(%v{i}) : (tensor<4xf32>) -> tensor<4xf32>')
print(f'  %l = "tcc.reduce"(%v{n}) {{kind = "sum", axes = array<i64: 0>, keepdims = false}} : (tensor<4xf32>) -> tensor<f32>')
print("  return %l : tensor<f32>\n}")
