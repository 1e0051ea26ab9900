#!/usr/bin/env bash
# scheduled_ptx.sh PLACE SCHEDULE: the PTX for sm_90a of PLACE/model.mlir, whose product or convolution has this schedule, as PLACE/body.ptx; prints that
# kernel's name.
set -euo pipefail
place=$1
tcc-opt --pipeline=default --target=nvptx,sm_90a "$place/model.mlir" |
  sed "s/tcc.kernel = \"con[a-z]*\"/&, tcc.schedule = {$2}/" >"$place/scheduled.mlir"
tcc-translate --to-ptx --target=nvptx,sm_90a "$place/scheduled.mlir" | sed '/^\/\/ launch/d' >"$place/body.ptx"
sed -n 's/^\.visible \.entry \(k_[^(]*_\(conv\|dot_general\)[^(]*\)(.*/\1/p' "$place/body.ptx"
