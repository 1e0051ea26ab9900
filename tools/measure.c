/* measure.c - tcc-measure: times kernels on a device for the process that started it (include/tcc/measure.h). No command for users: it lies beside
 * the run-time's library, and all that it is told comes by its descriptors. */
#include "lib/runtime/measure_child.h"
#include <unistd.h>

int main(void) { return tcc_gpu_measure(TCC_MEASURE_FILE, STDIN_FILENO, STDOUT_FILENO); }
