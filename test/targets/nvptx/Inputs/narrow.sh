#!/usr/bin/env bash
# narrow.sh PYTHON PLACE CHIP ARGUMENT...: the model of narrow.py in the emulator beside the reference target, seven rows where their number is not known; what each kernel did
# (counters.sh), and the ways of products.
set -euo pipefail
python=$1 place=$2 chip=$3
shift 3
rm -rf "$place" && mkdir -p "$place/saved"
"$python" "$(dirname "$0")/narrow.py" "$place" "$@"
size=()
if [[ $3 == S ]]; then size=(--dim S=7); fi
tcc-run --target=reference --no-cache --random=1 "${size[@]}" --save="$place/saved" "$place/model.mlir" >/dev/null
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --random=1 "${size[@]}" --data="$place/saved" --check "$place/model.mlir" | sed "s/^/$*: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
tcc-explain --target=nvptx,"$chip" "$place/model.mlir" | sed -n 's/^ *schedule: /way: /p'
