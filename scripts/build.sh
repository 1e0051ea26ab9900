#!/usr/bin/env bash
# Builds tcc: the commands in build/bin, the libraries in build/lib.
#   scripts/build.sh [PRESET [TARGET...]]    presets of CMakePresets.json; default release, everything
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
case ${1:-} in -*) sed -n '2,/^set/s/^# \{0,1\}//p' scripts/build.sh; exit 2 ;; esac # no option: what stands above
preset=${1:-release}
[ $# -eq 0 ] || shift
folder=build-$preset
[ "$preset" != release ] || folder=build
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
[ -e "$folder/build.ninja" ] || cmake --preset "$preset" "${launcher[@]}" >/dev/null
cmake --build "$folder" --target "${@:-all}"
