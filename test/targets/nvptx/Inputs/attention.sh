#!/usr/bin/env bash
# attention.sh PYTHON PLACE CHIP RTOL ATOL ELEM B H G S T D E [...]: one attention in the emulator against f64; what its kernel did, with sectors
# of memory and wavefronts of shared memory as percent of the fewest that are possible.
set -euo pipefail
python=$1 place=$2 chip=$3 rtol=$4 atol=$5
shift 5
rm -rf "$place/data"
here=$(dirname "$0")
"$python" "$here/attention.py" "$place" "$@"
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --rtol="$rtol" --atol="$atol" --check \
  "$place/model.mlir" --data "$place/data" | sed "s/^/$*: /"
bash "$here/counters.sh" "$place/counters"
