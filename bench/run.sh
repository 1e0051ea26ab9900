#!/usr/bin/env bash
# Measures tcc beside its peers, in one run on one machine; prints Markdown and writes bench/results/DATE.json. See bench/README.md.
#   bench/run.sh                                    all models
#   bench/run.sh --quick --models minilm,resnet50   fewer rounds, some models
#   bench/run.sh --peers onnxruntime,openvino       peers beyond the default, onnxruntime; installed when asked for
#   bench/run.sh --threads 1,2 --rounds 9
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'bench: %s\n' "$*" >&2; }
peers=onnxruntime
arguments=("$@")
while [ $# -gt 0 ]; do
  case "$1" in
    --peers) peers=${2:-}; shift ;;
    --peers=*) peers=${1#*=} ;;
  esac
  shift
done

# The peers live in an environment of their own: nothing of tcc depends on it.
venv=bench/.venv
[ -x $venv/bin/python ] || python3 -m venv $venv
for package in numpy onnx ${peers//,/ }; do
  $venv/bin/python -c "import $package" 2>/dev/null && continue
  say "installing $package into $venv"
  $venv/bin/python -m pip install -q --disable-pip-version-check "$package"
done
[ -e .venv/share/minilm/model.safetensors ] || TCC_QUIET=1 scripts/setup.sh >&2
[ -x build/bin/tcc-run ] || scripts/build.sh >&2
mkdir -p build/bench
[ build/bench/peak -nt bench/peak.c ] || ${CC:-cc} -O2 bench/peak.c -o build/bench/peak -pthread
exec $venv/bin/python bench/run.py "${arguments[@]}"
