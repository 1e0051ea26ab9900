#!/usr/bin/env bash
# parts.sh PYTHON PLACE MODEL OUTPUTS DIM: a model in the emulator, with warps in two orders, and by the reference target: whether the bits of the first two
# are the same, which approximate functions may forbid, and how close the third is.
set -euo pipefail
python=$1 place=$2 model=$3 outputs=$4 dim=$5
rm -rf "$place" && mkdir -p "$place"
tcc-run --target=reference --no-cache --random --dim="$dim" "$model" --save="$place/0"
for seed in 1 7; do
  TCC_EMULATE_SEED=$seed tcc-run --target=nvptx,sm_80 --emulate --no-cache --random --dim="$dim" "$model" --save="$place/$seed"
done
diff -r "$place/1" "$place/7" >"$place/diff" && echo "$dim: the same bits" || echo "$dim: other bits"
"$python" - "$place" "$outputs" <<'END'
import sys
import numpy as np
for i in range(int(sys.argv[2])):
    a, b, c = (np.load(f"{sys.argv[1]}/{way}/output_{i}.npy") for way in "017")
    off = max(abs(a - b).max(), abs(a - c).max())  # NaN is not close either
    print("close" if off <= 1e-5 * abs(a).max() else f"output {i} differs by {off}")
END
