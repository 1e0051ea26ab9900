#!/usr/bin/env bash
# to_binary.sh CHIP PLACE ZOO [MODEL...]: kernels of each model (all whose import needs nothing else) by the pipeline gpu, then to PTX by upstream's pass
# alone, as one line each. test/targets/nvptx/Inputs/to_binary.sh sm_90a /tmp/binary ZOO tries all, in a minute.
set -uo pipefail
chip=$1 place=$2 zoo=$3
shift 3
[ $# -gt 0 ] || set -- $(cd "$zoo" && ls -d */ | tr -d /)
for model in "$@"; do
  tcc-translate --import-onnx "$zoo/$model/model.onnx" -o "$place.mlir" 2> "$place.said" || { echo "$model: not imported: $(head -1 "$place.said")"; continue; }
  if tcc-opt --pipeline=gpu --target=nvptx,"$chip" "$place.mlir" 2> "$place.said" |
    mlir-opt --allow-unregistered-dialect --gpu-module-to-binary=format=isa -o "$place.binary" 2>> "$place.said"; then
    echo "$model: $(grep -c . "$place.said") messages, $(grep -o '\.visible \.entry' "$place.binary" | wc -l) kernels"
  else
    echo "$model: $(head -1 "$place.said")"
  fi
done
