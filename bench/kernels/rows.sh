#!/usr/bin/env bash
# Times row kernels, maps, transposes and gathers beside memcpy; prints Markdown and writes bench/results/kernels-rows-DATE.json.
#   bench/kernels/rows.sh                                    all, one thread
#   bench/kernels/rows.sh --only softmax,transpose --threads 1,2 --rounds 15
#   bench/kernels/rows.sh --compiler before=../old/build     artifacts of another build of tcc beside this one's
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ -x build/bin/tcc-compile ] || scripts/build.sh >&2
mkdir -p build/bench/rows
cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -I. -Iinclude bench/kernels/rows.c -o build/bench/rows/rows -Lbuild/lib -ltccrt -Wl,-rpath,"$PWD/build/lib" -lpthread -lm
exec python3 bench/kernels/rows.py "$@"
