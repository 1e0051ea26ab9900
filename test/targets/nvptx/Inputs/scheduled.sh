#!/usr/bin/env bash
# scheduled.sh PLACE CHIP RTOL SCHEDULE: the product that product.sh, the convolutions that conv.sh or the attention that attention.sh has left in PLACE once more, with this schedule; what its kernel did.
set -euo pipefail
place=$1 chip=$2 rtol=$3
tcc-opt --pipeline=default --target=nvptx,"$chip" "$place/model.mlir" |
  sed "s/tcc.kernel = \"\(con[a-z]*\|attention\)\"/&, tcc.schedule = {$4}/" >"$place/scheduled.mlir"
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --rtol="$rtol" --check "$place/scheduled.mlir" \
  --data "$place/data" | sed "s/^/$4: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
