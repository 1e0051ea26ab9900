// RUN: tcc-opt --split-input-file --verify-diagnostics --tcc-verify %s -o /dev/null

func.func @sizes() {
  %out = "tcc.sizes"() {values = ["B*S + 1", 4]} : () -> tensor<2xi64>
  return
}

func.func @sizes_1() {
  %out = "tcc.sizes"() {values = []} : () -> tensor<0xi64>
  return
}
