/* nvptx.c - the target nvptx: NVIDIA GPUs from sm_70 on. */
#include "lib/targets/nvptx/nvptx.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "lib/targets/targets.h"
#include <stdio.h>
#include <stdlib.h>

static TccStatus *machine(TccStr chip, TccMachine *out) {
  /* CUDA C++ programming guide, technical specifications by compute capability; multiprocessors of the largest chip. */
  static const struct {
    const char *chip, *ptx;
    TccGpu gpu;
    uint32_t l2_megabytes;
  } known[] = {
      {"sm_70", "+ptx70", {80, 2048, 65536, 96 << 10, 96 << 10}, 6},
      {"sm_75", "+ptx70", {72, 1024, 65536, 64 << 10, 64 << 10}, 6},
      {"sm_80", "+ptx70", {108, 2048, 65536, 164 << 10, 163 << 10}, 40},
      {"sm_86", "+ptx71", {84, 1536, 65536, 100 << 10, 99 << 10}, 6},
      {"sm_89", "+ptx78", {142, 1536, 65536, 100 << 10, 99 << 10}, 96},
      {"sm_90", "+ptx78", {132, 2048, 65536, 228 << 10, 227 << 10}, 50},
      {"sm_90a", "+ptx80", {132, 2048, 65536, 228 << 10, 227 << 10}, 50},
      {"sm_100", "+ptx86", {148, 2048, 65536, 228 << 10, 227 << 10}, 126},
  };
  if (!chip.length) chip = tcc_str("sm_80");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!tcc_str_is(chip, known[i].chip)) continue;
    *out = (TccMachine){.l1_bytes = known[i].gpu.shared, .l2_bytes = known[i].l2_megabytes << 20, .gpu = known[i].gpu};
    const char *number = known[i].chip + strlen("sm_");
    out->isa = tcc_isa_of_gpu((unsigned)strtoul(number, NULL, 10), strchr(number, 'a') != NULL);
    snprintf(out->triple, sizeof out->triple, "nvptx64-nvidia-cuda");
    snprintf(out->cpu, sizeof out->cpu, "%s", known[i].chip);
    snprintf(out->features, sizeof out->features, "%s", known[i].ptx);
    return NULL;
  }
  TccText names = {0};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) tcc_text_printf(&names, "%s%s", i ? ", " : "", known[i].chip);
  TccStatus *status = TCC_ERROR(TCC_INVALID, "unknown GPU '%.*s' (known: %s)", TCC_STR_ARG(chip), names.data);
  tcc_text_destroy(&names);
  return status;
}

static const TccEmitter emitters[] = {
    {TCC_KERNEL_MAP, nvptx_map},   {TCC_KERNEL_ROW, nvptx_row},         {TCC_KERNEL_CONTRACT, nvptx_contract},
    {TCC_KERNEL_CONV, nvptx_conv}, {TCC_KERNEL_POOL, nvptx_pool},       {TCC_KERNEL_SCATTER, nvptx_scatter},
    {TCC_KERNEL_SCAN, nvptx_scan}, {TCC_KERNEL_BUILTIN, nvptx_builtin}, {TCC_KERNEL_ATTENTION, nvptx_attention}};

static const TccPassInfo passes[] = {
#define TCC_PASS(function, name, summary, options) {name, summary, options, tcc_pass_##function},
#include "lib/targets/nvptx/passes/passes.def"
#undef TCC_PASS
};

const TccTarget tcc_target_nvptx = {
    .name = "nvptx",
    .machines = "sm_NN",
    .machine = machine,
    .layout = "tcc-decompose{only=batch_norm}",
    .kernels = "",
    .passes = passes,
    .npasses = sizeof passes / sizeof *passes,
    .keeps = nvptx_keeps,
    .emitters = emitters,
    .nemitters = sizeof emitters / sizeof *emitters,
    .space = TCC_SPACE_DEVICE,
};
