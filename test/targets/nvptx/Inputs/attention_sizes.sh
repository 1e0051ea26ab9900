#!/usr/bin/env bash
# attention_sizes.sh PYTHON PLACE B H G S T D E causal=T-S [...]: the attention of attention.py with B, S and T as symbols, for sm_90a.
set -euo pipefail
python=$1 place=$2
shift 2
rm -rf "$place/data"
"$python" "$(dirname "$0")/attention.py" "$place" f16 "$@"
type() { echo "tensor<?x$1x?x64xf16, [\"B\", $1, \"$2\", 64]>"; }
q=$(type $2 S) k=$(type $3 T)
cat >"$place/sizes.mlir" <<END
func.func @main(%q: $q, %k: $k, %v: $k) -> $q {
  %mask = "tcc.none"() : () -> none
  %0 = "tcc.attention"(%q, %k, %v, %mask) {scale = 0.125 : f64, causal = true, offset = ["T - S"], zero_masked = true} : ($q, $k, $k, none) -> $q
  return %0 : $q
}
END
tcc-run --target=nvptx,sm_90a --emulate --no-cache --rtol=2e-3 --atol=2e-4 --check "$place/sizes.mlir" --data "$place/data"
