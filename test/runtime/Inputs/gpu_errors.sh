#!/usr/bin/env bash
# gpu_errors.sh ARTIFACT WEIGHTS LOOP LOOP_WEIGHTS LARGE LARGE_WEIGHTS PARTS: failure of the first calls of each function, and none. Some are called by
# loops or graphs alone; LARGE has weights that go through pinned memory, PARTS no weights, but tensor maps and counters that blocks share. Every failure must be said in one line that begins with the
# function's name, or is only of giving back.
set -uo pipefail
failures=0
quiet=" cuGetErrorName cuMemFree cuMemFreeHost cuMemAllocHost cuModuleUnload cuStreamDestroy cuEventDestroy cuGraphDestroy cuGraphExecDestroy cuDevicePrimaryCtxRelease cuCtxPopCurrent cuMemGetInfo "
try() { # ARTIFACT WEIGHTS FUNCTION; WEIGHTS -: it has none
  local n out status short=${3%%_*} data=(--weights="$2" --data "$2/test_data_set_0")
  [ "$2" != - ] || data=(--random)
  for n in 1 2 3; do
    out=$(TCC_EMULATE_FAIL=$3:$n:719 tcc-run --emulate $mode "$1" "${data[@]}" 2>&1)
    status=$?
    [ $status -lt 128 ] || { echo "$3 call $n: crashed with $status"; failures=1; }
    if [[ $quiet == *" $short "* ]]; then
      [ $status = 0 ] || { echo "$3 call $n: $out"; failures=1; }
    elif [ $status != 0 ]; then
      [ "$(grep -c . <<<"$out")" = 1 ] && grep -q "error: .*$short: CUDA_ERROR_LAUNCH_FAILED, for " <<<"$out" ||
        { echo "$3 call $n is not said in one line: $out"; failures=1; }
      seen="$seen $3"
    fi
  done
}
nothing_fails() { # ARTIFACT WEIGHTS
  local out data=(--weights="$2" --data "$2/test_data_set_0")
  [ "$2" != - ] || data=(--random)
  out=$(TCC_EMULATE_FAIL=cuInit:1000000:719 tcc-run --emulate $mode "$1" "${data[@]}" 2>&1) || { echo "no call fails, but the run of $1 does: $out"; failures=1; }
}
seen= mode=
nothing_fails "$1" "$2"; nothing_fails "$3" "$4"; nothing_fails "$5" "$6"; nothing_fails "$7" -
for function in $(sed -n 's/^TCC_CUDA(\([A-Za-z0-9_]*\),.*/\1/p' "$(dirname "$0")/../../../lib/runtime/cuda.def"); do
  try "$1" "$2" $function
  [[ $function != *DtoD* ]] || try "$3" "$4" $function
  [[ $function != cuEvent* && $function != *Host* ]] || try "$5" "$6" $function
  [[ $function != cuMemset* && $function != cuTensorMap* ]] || try "$7" - $function
done
mode="--mode=reduce-overhead --then $2/test_data_set_0"
nothing_fails "$1" "$2"
for function in cuStreamBeginCapture_v2 cuStreamEndCapture cuStreamGetCaptureInfo_v2 cuStreamUpdateCaptureDependencies cuGraphInstantiateWithFlags cuGraphLaunch cuGraphDestroy cuGraphExecDestroy; do
  try "$1" "$2" $function
done
for function in cuEventCreate cuEventRecord cuEventSynchronize cuStreamBeginCapture_v2 cuStreamEndCapture cuStreamGetCaptureInfo_v2 cuStreamUpdateCaptureDependencies cuGraphInstantiateWithFlags cuGraphLaunch cuInit cuDeviceGet cuMemAlloc_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyDtoDAsync_v2 cuMemsetD8Async cuTensorMapEncodeTiled cuModuleLoadData cuModuleGetFunction cuLaunchKernelEx cuStreamSynchronize; do
  [[ $seen == *" $function"* ]] || { echo "no failure of $function was seen"; failures=1; }
done
exit $failures
