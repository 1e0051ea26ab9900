/* launch.c - what of a launch a chip has. */
#include "tcc/codegen.h"
#include <stdio.h>

static int failures;
static void expect(TccStatus *status, const char *part) {
  bool ok = part ? status && strstr(tcc_status_message(status), part) : !status;
  if (!ok) printf("failed: %s, want %s\n", status ? tcc_status_message(status) : "ok", part ? part : "ok"), failures++;
  tcc_status_destroy(status);
}

int main(void) {
  TccIr *ir = tcc_ir_create();
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0);
  const TccMachine machine = {.cpu = "sm_75", .gpu = {72, 1024, 65536, 64 << 10, 64 << 10}};
  TccKernelLaunch launch = {.block = {256, 2, 2}, .cluster = {1, 1, 1}, .static_shared = 64 << 10, .dynamic_shared = zero};
  expect(tcc_kernel_launch_check(&machine, &launch), NULL);
  launch.dynamic_shared = tcc_expr_const(ir->exprs, 4);
  expect(tcc_kernel_launch_check(&machine, &launch), "a block with 65540 bytes of shared memory, sm_75 has 65536 for it");
  launch.dynamic_shared = zero, launch.block[2] = 3;
  expect(tcc_kernel_launch_check(&machine, &launch), "a block of 1536 threads, sm_75 takes 1024");
  TccKernelCode code = {.launch = launch};
  TccText text = {0};
  tcc_kernel_launch_text(ir, &machine, &code, &text);
  if (text.length) printf("failed: a CPU's kernel has a launch: %s\n", text.data), failures++;
  tcc_text_destroy(&text);
  tcc_ir_destroy(ir);
  return failures != 0;
}
