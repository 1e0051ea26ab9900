#!/usr/bin/env bash
# biases.sh PYTHON PLACE ROWS OPTION...: the layer of biases.py by tcc-run, and how far from f64 it is.
set -euo pipefail
python=$1 place=$2 rows=$3 inputs=$(dirname "$0")
shift 3
rm -rf "$place" && mkdir -p "$place"
"$python" "$inputs/biases.py" "$place" "$rows"
tcc-run --no-cache "$@" "$place/model.mlir" --data "$place" --save="$place"
"$python" "$inputs/biases.py" "$place" "$rows" check
