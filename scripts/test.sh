#!/usr/bin/env bash
# Sets up, builds and tests everything; ends with `N passed, N failed, N skipped` and exits 1 if anything failed.
#   1. the release build: all of test/ (IR, passes, run-time, end to end, lint)
#   2. the fuzz targets, TCC_FUZZ_SECONDS (60) shared among them, from the random seed TCC_FUZZ_SEED (1)
#   3. the address and undefined-behaviour sanitizers: all of test/ again, the run-time's part of it with the search for leaks
#   4. the thread sanitizer: the tests of the run-time and of images
#   5. the release build again, taken for machines with other caches and other numbers of threads: ops, code for x86, the run-time, whole models;
#      without the tests of devices, for which these change nothing. Where the CPU lacks AVX-512, ops and models have the code for it, lowered to AVX2
# TCC_STEPS="1 3" runs some of them. A machine that lacks something (models, GPU, Python packages) skips what needs it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
[ $# = 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' scripts/test.sh; exit 2; } # no arguments: what stands above
passed=0 failed=0 skipped=0
steps=${TCC_STEPS:-1 2 3 4 5}
jobs=$(nproc)

count() { # passed failed skipped, of one step
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}
finish() {
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
  exit
}
wanted() { case " $steps " in *" $1 "*) printf '== %s\n' "$2" ;; *) return 1 ;; esac; }
build() { # a build that breaks is one failed test
  scripts/build.sh "$@" >build-"$1".log 2>&1 && return
  grep -E 'error|warning|FAILED|undefined' build-"$1".log | head -40
  echo "the build '$*' failed: see build-$1.log"
  count 0 1 0
  return 1
}
lit() { # build folder, then tests; lit's summary is read from its JSON report
  local folder=$1
  shift
  local python=python3 limit=()
  ! .venv/bin/python -c 'import psutil' 2>/dev/null || { python=.venv/bin/python limit=(--timeout 600); }
  rm -f "$folder/lit.json"
  TCC_BUILD=$folder timeout 2400 "$python" "$llvm/bin/lit" -j "$jobs" "${limit[@]}" -v --output "$folder/lit.json" "$@" >"$folder/lit.log" 2>&1
  [ -e "$folder/lit.json" ] || { tail -n 20 "$folder/lit.log"; echo "lit did not finish"; count 0 1 0; return; }
  grep -vE '^(PASS|UNSUPPORTED|XFAIL): ' "$folder/lit.log" | tail -n 200
  # shellcheck disable=SC2046
  count $(python3 - "$folder/lit.json" <<'PY'
import collections, json, sys
codes = collections.Counter(test["code"] for test in json.load(open(sys.argv[1]))["tests"])
passed = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
skipped = codes["UNSUPPORTED"] + codes["SKIPPED"]
print(passed, sum(codes.values()) - passed - skipped - codes["EXCLUDED"], skipped)
PY
  )
}

scripts/setup.sh || { count 0 1 0; finish; }
build release || finish
llvm=$(sed -n 's/^TCC_LLVM_DIR:[A-Z]*=//p' build/CMakeCache.txt)

wanted 1 "tests" && lit build test

if wanted 2 "fuzz targets" && compgen -G 'test/fuzz/*.c' >/dev/null && build fuzz fuzz; then
  targets=(test/fuzz/*.c)
  seconds=$((${TCC_FUZZ_SECONDS:-60} / ${#targets[@]} + 1))
  for source in "${targets[@]}"; do
    name=$(basename "$source" .c)
    corpus=build-fuzz/corpus/$name
    mkdir -p "$corpus"
    seeds=test/fuzz/Inputs/$name
    [ -d "$seeds" ] || seeds=
    if [ "$name" = runtime_image ]; then
      mkdir -p build-fuzz/corpus/runtime_plan
      test/fuzz/plan_seeds.sh build build-fuzz/corpus/runtime_plan "$corpus" || count 0 1 0
    fi
    # shellcheck disable=SC2086
    if build-fuzz/test/fuzz/"$name" -seed="${TCC_FUZZ_SEED:-1}" -max_total_time=$seconds -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
      -artifact_prefix="$corpus/" "$corpus" $seeds >"$corpus.log" 2>&1; then
      count 1 0 0
      echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log") inputs"
    else
      count 0 1 0
      echo "$name failed:"
      tail -n 40 "$corpus.log"
    fi
  done
fi

if wanted 3 "address and undefined-behaviour sanitizers" && build asan-ubsan; then
  export UBSAN_OPTIONS=print_stacktrace=1
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 lit build-asan-ubsan test/unit/base test/unit/image test/unit/tensor test/unit/runtime test/runtime
  # The compiler's: LLVM and MLIR keep what they have made.
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 lit build-asan-ubsan --filter-out='tcc :: (unit/(base|image|tensor|runtime)|runtime)/' test
  unset UBSAN_OPTIONS
fi

if wanted 4 "thread sanitizer"; then
  targets=()
  for source in test/unit/{image,runtime}/*.c; do [ -e "$source" ] && targets+=("${source//[\/.]/_}"); done
  if [ ${#targets[@]} -gt 0 ] && build tsan "${targets[@]}"; then
    lit build-tsan test/unit/image test/unit/runtime
  fi
fi

if wanted 5 "machines with other caches, 1, 3 and 8 threads"; then
  as_if() { # threads, caches, tests
    export TCC_THREADS=$1 TCC_MACHINE=$2,cores=$1
    echo "$TCC_MACHINE"
    lit build --filter-out='device|gpu' "${@:3}"
    unset TCC_THREADS TCC_MACHINE
  }
  as_if 1 l1=32K,l2=256K,l3=4M test/e2e test/runtime
  lowered=
  grep -q avx512f /proc/cpuinfo || lowered=avx512,isa=avx2,
  as_if 3 "${lowered}l1=48K,l2=2M,l3=24M" test/e2e test/dialects
  as_if 8 l1=64K,l2=512K,l3=96M test/runtime test/targets/x86
fi
finish
