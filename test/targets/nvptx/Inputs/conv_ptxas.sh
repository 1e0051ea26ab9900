#!/usr/bin/env bash
# conv_ptxas.sh PYTHON PTXAS PLACE CHIP ELEM BATCH ... (conv.py): kernels of a convolution as a cubin, PLACE/conv.cubin; how often ptxas complains, and which
# of them have a stack or spill.
set -euo pipefail
python=$1 ptxas=$2 place=$3 chip=$4
shift 4
"$python" "$(dirname "$0")/conv.py" "$place" "$@"
tcc-opt --pipeline=default --target=nvptx,"$chip" "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,"$chip" - >"$place/conv.ptx"
"$ptxas" -arch="$chip" -v "$place/conv.ptx" -o "$place/conv.cubin" >"$place/said" 2>&1
echo "$*: $(grep -ciE 'warning|injected|serialized' "$place/said" || true) complaints, $(grep 'bytes stack frame' "$place/said" | grep -vc '^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' || true) spill"
