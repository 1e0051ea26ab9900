#!/usr/bin/env bash
# sizes.sh MODEL DIR "SIZES" TOLERANCE OPTIONS...: with N of each of SIZES, what x86 with AVX2 alone and as this machine has it gives is the reference's,
# to TOLERANCE of a value or of 1.
set -eu
model=$1 dir=$2 sizes=$3 tolerance=$4
shift 4
rm -rf "$dir" && mkdir -p "$dir"
for n in $sizes; do
  tcc-run "$model" --no-cache --target=reference --random=1 --dim=N="$n" --save="$dir/$n" "$@" >/dev/null
  for target in x86,avx2 x86; do
    tcc-run "$model" --no-cache --target="$target" --random=1 --dim=N="$n" --data="$dir/$n" --check --rtol="$tolerance" --atol="$tolerance" "$@"
  done
done
