#!/usr/bin/env bash
# Makes a folder that measures tcc on a machine with an NVIDIA GPU, where nothing of tcc is installed: DIR/run.sh OUT.
#   bench/gpu/pack.sh DIR                a folder of less than 50 MB; DIR must not exist
#   bench/gpu/pack.sh --quick DIR        a few small cases: for a dry run with the emulated driver
#   bench/gpu/pack.sh --compiler DIR     the compiler as well, for whole models through torch.compile, and code for sm_90a alone; less than 64 MB
# TCC_BUILD: the build tree (build); TCC_ZOO: models (../shared/zoo); PYTHON: one with onnx and ml_dtypes (.venv/bin/python). Artifacts are for
# sm_80 and sm_90a, with cubins where ptxas is found.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
quick= zoo_models=(mlp gpt2 bert_dyn resnet resnet_qdq unet llama_decode llama_bf16 llama_int4 vit_f16 lstm_gru sparse train_mlp)
targets=(--target=nvptx,sm_80 --target=nvptx,sm_90a) compiler= limit=50000
[ "${1:-}" != --quick ] || { quick=--quick zoo_models=(mlp control_scan); shift; }
[ "${1:-}" != --compiler ] || { compiler=1 limit=64000 zoo_models=(mlp llama_bf16 vit_f16) targets=(--target=nvptx,sm_90a); shift; }
[ $# = 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1; exit 2; }
[ ! -e "$1" ] || { echo "pack.sh: $1 exists" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd) build=$(cd "${TCC_BUILD:-build}" && pwd) zoo=${TCC_ZOO:-../shared/zoo} python=${PYTHON:-.venv/bin/python}
compile=$build/bin/tcc-compile

say() { printf 'pack: %s\n' "$*" >&2; }
mkdir -p "$dir"/{bin,facts,artifacts,data,src}

say "sources and programs"
mkdir -p "$dir"/src/{lib,bench,test/emulate}
cp -r include "$dir/src/"
cp -r lib/base lib/image lib/runtime lib/tensor "$dir/src/lib/"
mkdir -p "$dir/src/bench/gpu" && cp bench/gpu/*.[ch] "$dir/src/bench/gpu/"
cp test/emulate/launches.[ch] "$dir/src/test/emulate/"
cp bench/gpu/build.sh bench/gpu/run.sh bench/gpu/peers.py bench/gpu/models.py bench/gpu/table.py "$dir/"
cp bench/torch_compile/models.py "$dir/torch_models.py"
cp "$build/test/gpu-runner" "$build/test/gpu-facts" "$dir/bin/"

if [ -n "$compiler" ]; then
  say "the compiler"
  [ -e "$build/lib/libtcccompiler-static.so" ] && [ -d "$build/python/tcc" ] || { echo "pack.sh: $build has no static compiler or no Python package" >&2; exit 1; }
  tcc=$(mktemp -d)
  mkdir -p "$tcc"/tcc/{lib,python}
  cp "$build"/lib/libtccrt.so "$build"/lib/libtcccompiler-static.so "$tcc/tcc/lib/"
  cp -rL "$build/python/tcc" "$tcc/tcc/python/" && rm -rf "$tcc/tcc/python/tcc/__pycache__"
  ldd "$build/lib/libtcccompiler-static.so" "$build/bin/tcc-run" | sed -n 's/.*=> \(.*lib\(jansson\|sqlite3\|z\|zstd\)\.so[^ ]*\) .*/\1/p' | sort -u |
    xargs -I{} cp -L {} "$tcc/tcc/lib/"
  tar -C "$tcc" -c tcc | xz -T0 > "$dir/tcc.tar.xz"
  rm -rf "$tcc"
fi

say "facts"
cp test/emulate/Inputs/*.ptx "$dir/facts/"
for file in "$dir"/facts/*.ptx; do
  TCC_CUDA_LIBRARY=$build/test/emulate/libcuda.so.1 "$dir/bin/gpu-facts" "$file" > "${file%.ptx}.txt"
done

say "generated models"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" bench/gpu/cases.py "$work" $quick
cp "$work/cases.json" "$dir/"
named() { "$python" -c "import json, sys; print(*(c['name'] for c in json.load(open(sys.argv[1])) if sys.argv[2] in c['parts']), sep='\n')" "$work/cases.json" "$1"; }
for part in check times candidates; do named $part > "$dir/cases.$part"; done
for folder in "$work"/*/; do
  name=$(basename "$folder")
  "$compile" "${targets[@]}" --embed-weights "$folder/model.onnx" -o "$dir/artifacts/$name.so"
  [ ! -d "$folder/data" ] || cp -r "$folder/data" "$dir/data/$name"
done
for name in $(cat "$dir/cases.candidates"); do
  "$compile" --target=nvptx,sm_80 "$work/$name/model.onnx" -o "$dir/artifacts/$name.sm_80.so"
  "$compile" --target=nvptx,sm_90a "$work/$name/model.onnx" -o "$dir/artifacts/$name.sm_90a.so"
  "$compile" --target=nvptx,sm_90a --numerics=direct "$work/$name/model.onnx" -o "$dir/artifacts/$name.direct.so"
done

# Shapes of products of warpgroups: of 16 bits {groups, columns, stages, cluster, band, parts}, of f32 {groups, columns, stages, band}.
halves=("2 256 4 2 8 1" "2 256 4 1 16 1" "2 256 3 2 4 1" "2 128 6 2 4 1" "2 128 4 1 8 1" "2 64 6 1 8 1" "1 256 5 1 16 1")
few=("2 64 6 1 8 1" "1 64 6 1 8 1" "1 64 6 1 8 2" "1 64 6 1 8 3" "1 64 6 1 8 5" "1 128 6 1 8 10" "2 64 6 1 8 6" "2 64 6 1 8 11") # of the products of few tiles
floats=("2 128 4 8" "2 128 3 8" "2 128 2 8" "2 128 4 4" "2 128 4 16" "2 64 4 16" "1 128 4 16")
for name in $(cat "$dir/cases.candidates"); do
  case $name in
  product-f32-*) shapes=("${floats[@]}") ;;
  product-*-128x*) shapes=("${few[@]}") ;;
  *) shapes=("${halves[@]}") ;;
  esac
  "$build/bin/tcc-translate" --import-onnx "$work/$name/model.onnx" |
    "$build/bin/tcc-opt" --pipeline=default --target=nvptx,sm_90a >"$work/$name/kernels.mlir"
  [ -z "$quick" ] || shapes=("${shapes[0]}")
  for shape in "${shapes[@]}"; do
    read -r groups columns stages cluster band parts <<<"$shape"
    schedule="groups = $groups, columns = $columns, stages = $stages, cluster = $cluster, band = $band, parts = $parts"
    [ -n "$band" ] || schedule="groups = $groups, columns = $columns, stages = $stages, band = $cluster"
    sed "s/tcc.kernel = \"contract\"/&, tcc.schedule = {$schedule}/" "$work/$name/kernels.mlir" >"$work/$name/scheduled.mlir"
    "$compile" --target=nvptx,sm_90a "$work/$name/scheduled.mlir" -o "$dir/artifacts/$name.${shape// /-}.so"
  done
done

say "models of the zoo"
for name in "${zoo_models[@]}"; do
  "$compile" "${targets[@]}" --embed-weights "$zoo/$name/model.onnx" -o "$dir/artifacts/zoo-$name.so"
  mkdir "$dir/data/zoo-$name"
  for file in "$zoo/$name"/test_data_set_0/{input,output}_*; do
    [[ $file == *.pb && -e ${file%.pb}.npy ]] || cp "$file" "$dir/data/zoo-$name/"
  done
  "$python" - "$zoo/$name/tolerance.json" > "$dir/data/zoo-$name/limits" <<'LIMITS'
import json, os, sys
sets = json.load(open(sys.argv[1]))["sets"] if os.path.exists(sys.argv[1]) else [{"outputs": []}]
for output in sets[0]["outputs"]:
    print("rmse", output["limit"]) if isinstance(output.get("limit"), (int, float)) else print("rtol 0")
LIMITS
done

say "artifacts"
count=$(ls "$dir/artifacts" | wc -l)
tar -C "$dir" -c artifacts | xz -T0 > "$dir/artifacts.tar.xz" && rm -rf "$dir/artifacts"

kilobytes=$(du -sk "$dir" | cut -f1)
[ "$kilobytes" -lt $limit ] || { echo "pack.sh: $dir has $kilobytes kB, $limit is the limit" >&2; exit 1; }
say "$dir: $kilobytes kB, $count artifacts"
