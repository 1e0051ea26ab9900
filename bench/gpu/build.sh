#!/usr/bin/env bash
# Builds bin/gpu-runner and bin/gpu-facts from src, with a C compiler and nothing else: where the programs of the package do not start.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
flags=(-O2 -std=gnu11 -w -D_GNU_SOURCE '-DTCC_VERSION="bench"' '-DTCC_LLVM_VERSION="none"' '-DTCC_LLVM_LIBRARY="none"' -I"$PWD/src" -I"$PWD/src/include")
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p bin
compile() { # GROUP SOURCE...
  mkdir "$objects/$1"
  printf '%s\n' "${@:2}" | (cd "$objects/$1" && sed "s,^,$OLDPWD/," | xargs -P "$(nproc)" -n 8 "${CC:-cc}" "${flags[@]}" -c)
}
compile base src/lib/base/*.c src/lib/runtime/*.c src/bench/gpu/device.c
compile image src/lib/image/*.c
compile runner src/lib/tensor/*.c src/bench/gpu/runner.c
compile facts src/test/emulate/launches.c src/bench/gpu/facts.c
for program in runner facts; do
  "${CC:-cc}" "$objects"/{base,image}/*.o "$objects/$program"/*.o -o "bin/gpu-$program" -lpthread -ldl -lm
done
