#!/usr/bin/env bash
# assemble.sh CHIP PLACE ZOO MODEL...: PTX of each model, and what ptxas says of it, as one line each.
set -uo pipefail
chip=$1 place=$2 zoo=$3
shift 3
for model in "$@"; do
  ptx=$place.$chip.$model.ptx said=$place.$chip.$model.txt
  tcc-translate --to-ptx --target=nvptx,"$chip" "$zoo/$model/model.onnx" -o "$ptx" 2> "$said" || { cat "$said"; exit 1; }
  missing=$(grep -c 'not translated' "$said")
  ptxas -arch="$chip" -v "$ptx" -o "$ptx.cubin" > "$said" 2>&1 || { cat "$said"; exit 1; }
  spills=$(grep 'bytes stack frame' "$said" | grep -vc ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads')
  echo "$model: $(grep -c '\.visible \.entry' "$ptx") kernels, $missing missing, $(grep -ci warning "$said") warnings, $spills with spills or a stack, $(grep -cE "(div|rem)\.[us]64" "$ptx") divisions of 64 bits"
done
