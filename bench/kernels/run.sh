#!/usr/bin/env bash
# Times kernels by tcc beside oneDNN, OpenBLAS and memcpy; prints Markdown, writes bench/results/kernels-DATE.json and .md.
#   bench/kernels/run.sh                                     all: products, convolutions, rows and maps; one thread
#   bench/kernels/run.sh gemm --only 128x768x768 --threads 1,2 --rounds 15
#   bench/kernels/run.sh conv --only resnet8 1,64,56,56,64,3,1,1,1
#   bench/kernels/run.sh rows --only softmax transpose
#   bench/kernels/run.sh conv --compiler before=../old/build artifacts of another build of tcc beside this one's
#   bench/kernels/run.sh conv --avx2                          as on a machine without AVX-512
# The libraries are Debian's; nothing of tcc depends on them. Python's are in bench/.venv or $TCC_BENCH_VENV.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for package in libdnnl-dev libopenblas-dev; do
  dpkg -s $package >/dev/null 2>&1 || apt-get install -y -q $package >&2 || { echo "run.sh: cannot install $package" >&2; exit 77; }
done
venv=${TCC_BENCH_VENV:-bench/.venv}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
for package in numpy onnx; do
  "$venv/bin/python" -c "import $package" 2>/dev/null || "$venv/bin/python" -m pip install -q --disable-pip-version-check $package
done
[ -x build/bin/tcc-compile ] || scripts/build.sh >&2
build() { # name, libraries
  mkdir -p "build/bench/$1"
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I. -Iinclude "bench/kernels/$1.c" -o "build/bench/$1/$1" -Lbuild/lib -ltccrt \
    -Wl,-rpath,"$PWD/build/lib" "${@:2}" -lm
}
build gemm -ldnnl -lopenblas
build conv -ldnnl
build rows -lpthread
exec "$venv/bin/python" bench/kernels/run.py "$@"
