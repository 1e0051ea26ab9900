#!/usr/bin/env bash
# dual.sh PYTHON PLACE CHIP RTOL NUMERICS ELEM M K N [t] [bias] [act]: a dual product (dual.py) in the emulator against f64, by one launch; what its kernel did.
set -euo pipefail
python=$1 place=$2 chip=$3 rtol=$4 numerics=$5
shift 5
rm -rf "$place/data"
"$python" "$(dirname "$0")/dual.py" "$place" "$@"
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --numerics="$numerics" --rtol="$rtol" --check \
  "$place/model.mlir" --data "$place/data" | sed "s/^/$*: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
