#!/usr/bin/env bash
# Measures tcc beside its peers, in one run on one machine; prints Markdown and writes bench/results/DATE.json. See bench/README.md.
#   bench/run.sh                                    all models, beside onnxruntime and OpenVINO
#   bench/run.sh --prime --peers all                what slow peers compile, for later runs
#   bench/run.sh --peers all --budget 1250 --tune bert --readme   every peer, then kernels, in half an hour; tables and figure into README.md and docs
#   bench/run.sh --quick --models minilm,resnet50   fewer rounds, some models
#   bench/run.sh --json F --resume                  go on with an interrupted run
#   bench/run.sh --torch --models bert,resnet50     torch.compile(backend="tcc") beside torch's own ways (torch_compile/run.py)
#   bench/run.sh --torch --starts-only --ways tcc,noop   its first calls alone
#   bench/run.sh --train --models mlp,resnet50      steps of tcc-train beside torch, JAX and llm.c (train.py)
#   bench/run.sh --ops 'conv*'                      single layers beside onnxruntime (ops.py)
#   bench/run.sh --sweep 'timm/*'                   models that nobody tuned for, right and beside peers (sweep.py)
#   bench/run.sh --shared                           tcc and peers beside a process that keeps a CPU busy (shared.py)
#   bench/run.sh where bert gpt2 --threads 1,2      no peers: what kinds of kernels a model's time goes to, and their share of the FMA peak (where.py)
# Peers are installed when asked for, into bench/.venv or $TCC_BENCH_VENV. Models, and what slow peers compile, are kept in
# build/bench or $TCC_BENCH_STATE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'bench: %s\n' "$*" >&2; }
peers=onnxruntime,openvino script=run.py
case "${1:-}" in
  where) script=where.py peers=; shift ;;
  --ops) script=ops.py peers=onnxruntime; shift ;;
  --shared) script=shared.py; shift ;;
  --sweep) script=sweep.py; shift ;;
  --torch) script=torch_compile/run.py peers=torch-regions; shift ;;
  --train) script=train.py; shift ;;
esac
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
  "$venv/bin/python" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$1') is None)" 2>/dev/null && return
  say "installing ${*:2} into $venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "${@:2}"
}
need numpy numpy
[ $script != train.py ] || peers=torch-train
if [ $script = torch_compile/run.py ] || [ $script = train.py ]; then
  need transformers transformers
  need timm timm
else
  need onnx onnx
  need onnxruntime onnxruntime # all results are held against its
fi
if [ $script = sweep.py ]; then
  need torch torch
  need transformers transformers
  need timm timm
  need onnxscript onnxscript
fi
case ",$peers," in *,all,* | *,openvino,*) need openvino openvino ;; esac
case ",$peers," in *,all,* | *,iree,*)
  need iree.runtime iree-base-runtime
  need iree.compiler iree-base-compiler ;;
esac
case ",$peers," in *,all,* | *,torch-*)
  # With its dependencies, gigabytes of CUDA libraries: without them this build of PyTorch does not load.
  need torch torch ;;
esac
case ",$peers," in *,all,* | *,torch-regions,*) need accelerate accelerate ;; esac
[ -e "${TCC_BENCH_STATE:-build/bench}/models/minilm/model.safetensors" ] || [ -e .venv/share/minilm/model.safetensors ] || TCC_QUIET=1 scripts/setup.sh >&2
[ -x build/bin/tcc-run ] || scripts/build.sh >&2
mkdir -p build/bench
serve=build/bench/serve
if [ ! -x $serve ] || [ -n "$(find bench/serve.c tools/profile_machine.c tools/profile_machine.h include/tcc/runtime.h -newer $serve)" ]; then
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I. -Iinclude bench/serve.c tools/profile_machine.c -o $serve -pthread -Lbuild/lib -ltccrt -Wl,-rpath,"$PWD/build/lib"
fi
exec "$venv/bin/python" "bench/$script" "${arguments[@]}"
