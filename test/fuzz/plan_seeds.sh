#!/usr/bin/env bash
# Writes seeds of the fuzz targets runtime_plan and runtime_image: what this compiler makes of some of the tests' models, as plans
# alone and as whole artifacts, the latter without a first word for runtime_image. Kept files would be refused by their version after the next change of the format, and nothing behind that be reached.
#   test/fuzz/plan_seeds.sh BUILD FOLDER IMAGES
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1 folder=$2 images=$3
artifact=$(mktemp)
trap 'rm -f "$artifact"' EXIT
for model in test/runtime/loop.mlir test/runtime/loop-sizes.mlir test/runtime/concat-in-place.mlir test/runtime/Inputs/model.mlir; do
  name=$(basename "$model" .mlir)
  "$build/bin/tcc-compile" "$model" --no-cache --quiet -o "$artifact"
  at=$(LC_ALL=C grep -abom1 TCCPLAN1 "$artifact" | cut -d: -f1)
  size=$(od -An -t u8 -j $((at + 16)) -N 8 "$artifact" | tr -d ' ')
  { head -c 8 /dev/zero; head -c $((at + size)) "$artifact" | tail -c "$size"; } >"$folder/plan-$name"
  { printf '\1\0\0\0\0\0\0\0'; cat "$artifact"; } >"$folder/artifact-$name"
  cp "$artifact" "$images/$name"
done
