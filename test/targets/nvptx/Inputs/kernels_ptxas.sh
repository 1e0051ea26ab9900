#!/usr/bin/env bash
# kernels_ptxas.sh PYTHON PTXAS PLACE CHIP SCRIPT ARGUMENT...: the kernels of the model that SCRIPT.py makes as a cubin, PLACE/kernels.cubin: how many they are, how
# often ptxas complains, and how many of them spill or have a stack.
set -euo pipefail
python=$1 ptxas=$2 place=$3 chip=$4 script=$5
shift 5
"$python" "$(dirname "$0")/$script.py" "$place" "$@"
tcc-opt --pipeline=default --target=nvptx,"$chip" "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,"$chip" - >"$place/kernels.ptx"
"$ptxas" -arch="$chip" -v "$place/kernels.ptx" -o "$place/kernels.cubin" >"$place/said" 2>&1
echo "$*: $(grep -c '\.visible \.entry' "$place/kernels.ptx") kernels, $(grep -ciE 'warning|injected|serialized' "$place/said" || true) complaints, $(grep 'bytes stack frame' "$place/said" | grep -vc '^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' || true) spill"
