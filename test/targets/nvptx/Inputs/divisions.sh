#!/usr/bin/env bash
# divisions.sh CHIP ZOO: the kernels of all models whose weights lie beside them, and divisions of 64 bits in their PTX.
set -euo pipefail
models=0 kernels=0 divisions=0
for model in "$2"/*/model.onnx; do
  ptx=$(tcc-translate --to-ptx --target=nvptx,"$1" "$model" 2>/dev/null) || continue
  models=$((models + 1))
  kernels=$((kernels + $(grep -c '\.visible \.entry' <<<"$ptx")))
  divisions=$((divisions + $(grep -cE '(div|rem)\.[us]64' <<<"$ptx" || true)))
done
echo "$models models, $kernels kernels, $divisions divisions of 64 bits"
