#!/usr/bin/env bash
# Times convolutions by tcc and oneDNN; prints Markdown and writes bench/results/kernels-conv-DATE.json.
#   bench/kernels/conv.sh                                    the layers of ResNet-50, MobileNetV3 and odd sizes, one thread
#   bench/kernels/conv.sh --shapes 1,64,56,56,64,3,1,1,1 resnet8 --threads 1,2 --rounds 15
#   bench/kernels/conv.sh --compiler before=../old/build     artifacts of another build of tcc beside this one's
# The library is Debian's; nothing of tcc depends on it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

dpkg -s libdnnl-dev >/dev/null 2>&1 || apt-get install -y -q libdnnl-dev >&2 || { echo "conv.sh: cannot install libdnnl-dev" >&2; exit 77; }
venv=bench/.venv
[ -x $venv/bin/python ] || python3 -m venv $venv
for package in numpy onnx; do
  $venv/bin/python -c "import $package" 2>/dev/null || $venv/bin/python -m pip install -q --disable-pip-version-check $package
done
[ -x build/bin/tcc-compile ] || scripts/build.sh >&2
mkdir -p build/bench/conv
cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I. -Iinclude bench/kernels/conv.c -o build/bench/conv/conv -Lbuild/lib -ltccrt -Wl,-rpath,"$PWD/build/lib" -ldnnl -lm
exec $venv/bin/python bench/kernels/conv.py "$@"
