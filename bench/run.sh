#!/usr/bin/env bash
# Measures tcc beside its peers, in one run on one machine; prints Markdown and writes bench/results/DATE.json. See bench/README.md.
#   bench/run.sh                                    all models, beside onnxruntime
#   bench/run.sh --peers all --readme               every peer; tables and figure into README.md
#   bench/run.sh --quick --models minilm,resnet50   fewer rounds, some models
#   bench/run.sh --json F --resume                  go on with an interrupted run
# Peers are installed when asked for, into bench/.venv or $TCC_BENCH_VENV.
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
venv=${TCC_BENCH_VENV:-bench/.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
need() { # module, then what pip installs for it
  "$venv/bin/python" -c "import $1" 2>/dev/null && return
  say "installing ${*:2} into $venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "${@:2}"
}
need numpy numpy
need onnx onnx
need onnxruntime onnxruntime # tcc's results are held against it
case ",$peers," in *,all,* | *,openvino,*) need openvino openvino ;; esac
case ",$peers," in *,all,* | *,iree,*)
  need iree.runtime iree-base-runtime
  need iree.compiler iree-base-compiler ;;
esac
case ",$peers," in *,all,* | *,torch-*)
  # With its dependencies, gigabytes of CUDA libraries: without them this build of PyTorch does not load.
  need torch torch ;;
esac
[ -e .venv/share/minilm/model.safetensors ] || TCC_QUIET=1 scripts/setup.sh >&2
[ -x build/bin/tcc-run ] || scripts/build.sh >&2
mkdir -p build/bench
[ build/bench/peak -nt bench/peak.c ] || ${CC:-cc} -O2 bench/peak.c -o build/bench/peak -pthread
exec "$venv/bin/python" bench/run.py "${arguments[@]}"
