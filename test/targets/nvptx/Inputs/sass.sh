#!/usr/bin/env bash
# sass.sh PYTHON PTXAS NVDISASM PLACE SCRIPT ARGUMENT...: the model that SCRIPT.py makes, in sm_90a's machine code: how many kernels have products of
# warpgroups (HGMMA), and how many others have products of warps (HMMA) or more than 64 multiply-adds (FFMA).
set -euo pipefail
python=$1 ptxas=$2 nvdisasm=$3 place=$4
shift 4
bash "$(dirname "$0")/kernels_ptxas.sh" "$python" "$ptxas" "$place" sm_90a "$@" >/dev/null
"$nvdisasm" -c "$place/kernels.cubin" >"$place/sass"
awk -v what="$*" '/^\.text\./ { kernels++; groups[kernels] = warps[kernels] = scalars[kernels] = 0 }
  /HGMMA/ { groups[kernels]++ } / HMMA/ { warps[kernels]++ } / FFMA/ { scalars[kernels]++ }
  END { for (k = 1; k <= kernels; k++) if (groups[k]) with++; else if (warps[k] || scalars[k] > 64) without++
        printf "%s: %d by warpgroups, %d by others\n", what, with, without }' "$place/sass"
