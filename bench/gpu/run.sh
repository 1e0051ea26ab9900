#!/usr/bin/env bash
# Runs a package of bench/gpu/pack.sh on the machine's GPU; ends within nine minutes.
#   DIR/run.sh OUT [PART...]      parts, in this order: facts check sanitizer times candidates peers models table
# OUT gets a file of JSON lines for each part, which grows while it runs, and table.md at the end, which is printed too. Nothing that fails ends
# the run; what the time does not suffice for is not in the table. GPU_SECONDS: time for all (520). GPU_SAMPLES: of each time (15; fewer than
# 5: one run each, for a dry run). GPU_PATIENCE: how many times the time that a case may take (1). GPU_LIMIT: seconds that any case may take at
# most (600). GPU_PYTHON: a Python with torch, for the peers (python3). Without any Python there is no table: import.sh makes it.
# A case that hangs is ended, one that crashes leaves a line; when three of a part have hung, its others get 8 seconds each.
set -uo pipefail
dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd)
shift
parts=" ${*:-facts check sanitizer times candidates peers models table} "
end=$((SECONDS + ${GPU_SECONDS:-520})) samples=${GPU_SAMPLES:-15} python=${GPU_PYTHON:-python3}
runner=$dir/bin/gpu-runner

hung=0
say() { printf '%3d s  %s\n' "$SECONDS" "$*" >&2; }
wanted() { [[ $parts == *" $1 "* ]]; }
left() { echo $((end - SECONDS)); }
# before SHARE LIMIT COMMAND...: unless SHARE percent of all time are over; LIMIT seconds at most. What fails leaves a line of JSON on standard output.
before() {
  local share=$1 limit=$2 name=$3 status error
  shift 3
  [ $((SECONDS * 100)) -lt $((${GPU_SECONDS:-520} * share)) ] && [ "$(left)" -gt 5 ] || { say "no time for $name"; return 1; }
  limit=$((limit * ${GPU_PATIENCE:-1}))
  [ $hung -lt 3 ] || limit=$((limit < 8 ? limit : 8))
  [ "$limit" -le "${GPU_LIMIT:-600}" ] || limit=${GPU_LIMIT:-600}
  [ "$(left)" -gt "$limit" ] || limit=$(left)
  timeout -k 5 "$limit" "$@" 2> "$out/stderr.txt"
  status=$?
  [ $status = 0 ] && return
  [ $status != 124 ] && [ $status != 137 ] || hung=$((hung + 1))
  error=$(tail -n 1 "$out/stderr.txt" | tr -d '"\\' | tr -c '[:print:]' ' ')
  printf '{"case": "%s", "error": "status %d %s"}\n' "$name" $status "$error"
}
names() { cat "$dir/cases.$1"; } # PART: cases that have it
part() { # NAME: whether it is wanted; then its file is empty
  wanted "$1" || return
  hung=0
  : > "$out/$1.jsonl"
}

[ -d "$dir/artifacts" ] || tar -C "$dir" -xJf "$dir/artifacts.tar.xz" || exit 1
"$runner" --version > /dev/null 2>&1 || { say "building"; "$dir/build.sh" || exit 1; }
timeout -k 5 60 "$runner" device > "$out/device.json" || exit $?
say "$(cat "$out/device.json")"

if part facts; then
  for file in "$dir"/facts/*.ptx; do
    name=$(basename "${file%.ptx}")
    before 10 20 "$name" "$dir/bin/gpu-facts" "$file" > "$out/fact.txt" || continue
    if cmp -s "$out/fact.txt" "${file%.ptx}.txt"; then same=true; else same=false; fi
    printf '{"fact": "%s", "as_emulated": %s, "got": "%s"}\n' "$name" $same "$($same || head -c 300 "$out/fact.txt" | tr -d '"\\' | tr '\n' ' ')" >> "$out/facts.jsonl"
  done
  say "facts: $(grep -c '"as_emulated": true' "$out/facts.jsonl") of $(wc -l < "$out/facts.jsonl") as in the emulator"
fi

if part check; then
  for data in "$dir"/data/*/; do
    name=$(basename "$data")
    before 35 30 "$name" "$runner" check "$name" "$dir/artifacts/$name.so" "${data%/}" >> "$out/check.jsonl"
  done
  say "checks: $(grep -c '"agrees": true' "$out/check.jsonl") agree, $(grep -c error "$out/check.jsonl") do not"
fi

if part sanitizer; then
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2> /dev/null)
  [ -n "$sanitizer" ] || say "there is no compute-sanitizer"
  for tool in ${sanitizer:+memcheck racecheck}; do
    for name in $(names check | tr ' ' '\n' | grep -E '^(product-bf16|attention-f16|softmax-f32)' | head -n 4); do
      before 45 25 "$tool $name" "$sanitizer" --tool "$tool" --error-exitcode 9 "$runner" check "$tool $name" "$dir/artifacts/$name.so" \
        "$dir/data/$name" | grep '^{' >> "$out/sanitizer.jsonl"
    done
  done
fi

if part times; then
  for name in $(names times) $(cd "$dir/artifacts" && ls zoo-*.so | sed 's/\.so$//'); do
    before 65 30 "$name" "$runner" time "$name" "$dir/artifacts/$name.so" "$samples" >> "$out/times.jsonl"
  done
  say "times: $(grep -c median_us "$out/times.jsonl")"
fi

if part candidates; then
  for name in $(names candidates); do
    for file in "$dir/artifacts/$name".*.so; do
      way=$(basename "$file" .so)
      before 72 20 "$way" "$runner" time "$way" "$file" "$samples" >> "$out/candidates.jsonl"
    done
  done
fi

if part peers; then
  time=$(left)
  [ ! -e "$dir/tcc.tar.xz" ] || time=$((time / 3)) # models need it
  before 95 "$time" peers "$python" "$dir/peers.py" "$dir/cases.json" "$time" "$samples" > "$out/peers.jsonl"
  say "peers: $(grep -c median_us "$out/peers.jsonl")"
fi

if part models && [ -e "$dir/tcc.tar.xz" ]; then # all at once fill the caches and are held against f64, then one by one they are timed
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  tar -C "$work" -xJf "$dir/tcc.tar.xz"
  for library in "$work"/tcc/lib/lib{jansson,sqlite3,z,zstd}.so*; do ! ldconfig -p | grep -q "$(basename "$library")" || rm "$library"; done
  engines=eager,tcc,tcc-reduce-overhead,compile,compile-reduce-overhead
  env=(env PYTHONPATH="$work/tcc/python" LD_LIBRARY_PATH="$work/tcc/lib:${LD_LIBRARY_PATH:-}" XDG_CACHE_HOME="$work/cache"
       TORCHINDUCTOR_CACHE_DIR="$work/inductor" TORCHINDUCTOR_COMPILE_THREADS=4)
  [ $(($(left) * 2 / 5)) -lt 10 ] || "${env[@]}" "$python" "$dir/models.py" $(($(left) * 2 / 5)) 2 --jobs 7 --engines $engines 2> "$out/stderr.txt" |
    grep '"agrees"' > "$out/models.jsonl"
  [ "$(left)" -lt 10 ] || "${env[@]}" "$python" "$dir/models.py" $(($(left) - 5)) "$samples" --engines $engines 2> "$out/stderr.txt" >> "$out/models.jsonl"
  say "models: $(grep -c '"agrees": true' "$out/models.jsonl") agree, $(grep -c '"agrees": false' "$out/models.jsonl") do not"
fi
rm -f "$out/fact.txt" "$out/stderr.txt"
if wanted table && "$python" -c 0 2> /dev/null; then
  cp "$dir/cases.json" "$out/"
  "$python" "$dir/table.py" "$dir/cases.json" "$out" | tee "$out/table.md"
fi
exit 0
