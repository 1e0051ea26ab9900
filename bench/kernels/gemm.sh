#!/usr/bin/env bash
# Times matrix products by tcc, oneDNN and OpenBLAS; prints Markdown and writes bench/results/kernels-gemm-DATE.json.
#   bench/kernels/gemm.sh                                    the shapes of the table, one thread
#   bench/kernels/gemm.sh --shapes 128x768x768 --threads 1,2 --rounds 15 --kinds packed,dynamic,in-call
#   bench/kernels/gemm.sh --compiler before=../old/build     artifacts of another build of tcc beside this one's
# The libraries are Debian's; nothing of tcc depends on them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for package in libdnnl-dev libopenblas-dev; do
  dpkg -s $package >/dev/null 2>&1 || apt-get install -y -q $package >&2 || { echo "gemm.sh: cannot install $package" >&2; exit 77; }
done
venv=bench/.venv
[ -x $venv/bin/python ] || python3 -m venv $venv
for package in numpy onnx; do
  $venv/bin/python -c "import $package" 2>/dev/null || $venv/bin/python -m pip install -q --disable-pip-version-check $package
done
[ -x build/bin/tcc-compile ] || scripts/build.sh >&2
mkdir -p build/bench/gemm
cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I. -Iinclude bench/kernels/gemm.c -o build/bench/gemm/gemm -Lbuild/lib -ltccrt -Wl,-rpath,"$PWD/build/lib" \
  -ldnnl -lopenblas -lm
exec $venv/bin/python bench/kernels/gemm.py "$@"
