#!/usr/bin/env bash
# product.sh PYTHON PLACE CHIP RTOL NUMERICS ELEM M K N [t] [inf] [x3 ...] [bias]: one product, or several of one left operand, in the emulator against f64; what its kernel did, with
# sectors of memory and wavefronts of shared memory as percent of the fewest that are possible. MODEL=dual: a dual product, with the arguments of dual.py.
set -euo pipefail
python=$1 place=$2 chip=$3 rtol=$4 numerics=$5
shift 5
rm -rf "$place/data"
"$python" "$(dirname "$0")/${MODEL:-product}.py" "$place" "$@"
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --numerics="$numerics" --rtol="$rtol" --check \
  "$place/model.mlir" --data "$place/data" | sed "s/^/$*: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
