# 64 sums of six tensors: 384 buffers and 64 results, of which one launch has at most 440.
function name(i, j) { return j == 1 ? "%x" i "_0" : "%s" i "_" j - 1 }
BEGIN {
  n = 64; k = 6
  printf "module {\n  func.func @main("
  for (i = 0; i < n; i++)
    for (j = 0; j < k; j++) printf "%s%%x%d_%d: tensor<%dxf32>", i + j ? ", " : "", i, j, 8 * (i + 1)
  printf ") -> ("
  for (i = 0; i < n; i++) printf "%stensor<%dxf32>", i ? ", " : "", 8 * (i + 1)
  print ") {"
  for (i = 0; i < n; i++)
    for (j = 1; j < k; j++) {
      type = "tensor<" 8 * (i + 1) "xf32>"
      print "    %s" i "_" j " = \"tcc.add\"(" name(i, j) ", %x" i "_" j ") : (" type ", " type ") -> " type
    }
  printf "    return "
  for (i = 0; i < n; i++) printf "%s%s", i ? ", " : "", name(i, k)
  printf " : "
  for (i = 0; i < n; i++) printf "%stensor<%dxf32>", i ? ", " : "", 8 * (i + 1)
  print "\n  }\n}"
}
