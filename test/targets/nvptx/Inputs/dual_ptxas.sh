#!/usr/bin/env bash
# dual_ptxas.sh PYTHON PTXAS PLACE CHIP ELEM M K N [t] [bias] [act]: a dual product (dual.py) as a cubin; how often ptxas complains, and what lies in memory.
set -euo pipefail
python=$1 ptxas=$2 place=$3 chip=$4
shift 4
"$python" "$(dirname "$0")/dual.py" "$place" "$@"
tcc-opt --pipeline=default --target=nvptx,"$chip" "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,"$chip" - >"$place/dual.ptx"
"$ptxas" -arch="$chip" -v "$place/dual.ptx" -o "$place/dual.cubin" >"$place/said" 2>&1
echo "$*: $(grep -ciE 'warning|injected|serialized' "$place/said" || true) complaints,$(grep 'bytes stack frame' "$place/said")"
