#!/usr/bin/env bash
# bytes.sh PYTHON PLACE CHIP ARGUMENT...: the model of bytes.py in the emulator beside NumPy, to the bit; what each kernel did (counters.sh), and the ways of products.
set -euo pipefail
python=$1 place=$2 chip=$3
shift 3
rm -rf "$place" && mkdir -p "$place"
"$python" "$(dirname "$0")/bytes.py" "$place" "$@"
model=$place/model.mlir
[ -e "$model" ] || model=$place/model.onnx
TCC_EMULATE_COUNTERS=$place/counters tcc-run --target=nvptx,"$chip" --emulate --no-cache --rtol=0 --check "$model" --data "$place/data" | sed "s/^/$*: /"
bash "$(dirname "$0")/counters.sh" "$place/counters"
tcc-explain --target=nvptx,"$chip" "$model" | sed -n 's/^ *schedule: /way: /p'
