#!/usr/bin/env bash
# conv.sh PYTHON PLACE CHIP RTOL ELEM BATCH ... (conv.py): one convolution in the emulator against f64; what its kernels did (counters.sh).
set -euo pipefail
python=$1 place=$2 chip=$3 rtol=$4
shift 4
rm -rf "$place/data"
"$python" "$(dirname "$0")/conv.py" "$place" "$@"
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --rtol="$rtol" --check \
  "$place/model.mlir" --data "$place/data" | sed "s/^/$*: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
