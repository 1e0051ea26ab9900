#include <stdio.h>
#include <tcc/runtime.h>

int main(void) {
  puts(tcc_runtime_version());
  return 0;
}
