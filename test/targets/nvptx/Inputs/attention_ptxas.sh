#!/usr/bin/env bash
# attention_ptxas.sh PYTHON PTXAS PLACE ELEM B H G S T D E [...]: an attention for sm_90a as a cubin, PLACE/attention.cubin; how often ptxas complains, and what
# lies in memory.
set -euo pipefail
python=$1 ptxas=$2 place=$3
shift 3
"$python" "$(dirname "$0")/attention.py" "$place" "$@"
tcc-opt --pipeline=default --target=nvptx,sm_90a "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,sm_90a - >"$place/attention.ptx"
"$ptxas" -arch=sm_90a -v "$place/attention.ptx" -o "$place/attention.cubin" >"$place/said" 2>&1
echo "$*: $(grep -ciE 'warning|injected|serialized' "$place/said" || true) complaints,$(grep 'bytes stack frame' "$place/said")"
