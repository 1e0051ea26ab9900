// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @none() {
  %out = "tcc.none"() : () -> none
  return
}
