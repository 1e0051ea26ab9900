/* nvptx.c - the target nvptx: NVIDIA GPUs from sm_70 on. */
#include "lib/targets/nvptx/nvptx.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "lib/targets/nvptx/product_schedule.h"
#include "lib/targets/targets.h"
#include <stdio.h>

static TccStatus *machine(TccStr chip, TccMachine *out) {
  static const struct {
    unsigned number;
    const char *chip, *ptx;
    TccGpu gpu;
    uint32_t l2_megabytes;
  } known[] = {
#define TCC_GPU_CHIP(number, letter, ptx, processors, threads, registers, shared, block_shared, l2_megabytes)                      \
  {number, "sm_" #number letter, ptx, {processors, threads, registers, shared, block_shared}, l2_megabytes},
#include "tcc/gpu_chips.def"
#undef TCC_GPU_CHIP
  };
  if (!chip.length) chip = tcc_str("sm_80");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!tcc_str_is(chip, known[i].chip)) continue;
    *out = (TccMachine){.l1_bytes = known[i].gpu.shared, .l2_bytes = known[i].l2_megabytes << 20, .gpu = known[i].gpu};
    out->isa = tcc_isa_of_gpu(known[i].number, strchr(known[i].chip, 'a') != NULL);
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

static const TccEmitter emitters[] = {{TCC_KERNEL_MAP, nvptx_map},           {TCC_KERNEL_ROW, nvptx_row},
                                      {TCC_KERNEL_CONTRACT, nvptx_contract}, {TCC_KERNEL_CONV, nvptx_conv},
                                      {TCC_KERNEL_POOL, nvptx_pool},         {TCC_KERNEL_SCATTER, nvptx_scatter},
                                      {TCC_KERNEL_SCAN, nvptx_scan},         {TCC_KERNEL_SOLVE, nvptx_solve},
                                      {TCC_KERNEL_BUILTIN, nvptx_builtin},   {TCC_KERNEL_ATTENTION, nvptx_attention}};

/* Bytes of any sign are multiplied as they are, of few rows as fast as memory gives them; a convolution reads a fourth of what f32 has, whatever instruction does it.
 * One of differences of bytes, in i32, has no tensor cores, one in f32 has. */
static bool few_rows_of_bytes(const TccMachine *m, bool stored) {
  (void)m, (void)stored;
  return true;
}
static bool takes_conv_of_bytes(const TccMachine *m, TccIr *ir, MlirOperation conv) {
  (void)m, (void)ir, (void)conv;
  return true;
}
static const TccByteProducts bytes = {
    .any_sign = true, .float_sums = true, .rescales = true, .few_rows = few_rows_of_bytes, .takes_conv = takes_conv_of_bytes};

static const TccPassInfo passes[] = {
#define TCC_PASS(function, name, summary, options) {name, summary, options, tcc_pass_##function},
#include "lib/targets/nvptx/passes/passes.def"
#undef TCC_PASS
};

static const TccTunable *const tunables[] = {&nvptx_contract_tma,     &nvptx_contract_split, &nvptx_contract_ring,
                                             &nvptx_contract_few,     &nvptx_conv_tma,       &nvptx_conv_ring,
                                             &nvptx_attention_tunable};

const TccTarget tcc_target_nvptx = {
    .name = "nvptx",
    .machines = "sm_NN",
    .machine = machine,
    .lower = "tcc-lower-qdq,tcc-decompose{only=batch_norm}",
    .layout = "",
    .kernels =
        "tcc-channels-last,tcc-turn-bytes,tcc-fuse-weight-dequant,tcc-dual-products,tcc-group-products,tcc-group-maps,tcc-group-siblings,tcc-variants{count=0},"
        "tcc-select",
    .passes = passes,
    .npasses = sizeof passes / sizeof *passes,
    .keeps = nvptx_keeps,
    .reads_narrow = nvptx_contract_reads_narrow,
    .bytes = &bytes,
    .scalars = nvptx_scalars,
    .emitters = emitters,
    .nemitters = sizeof emitters / sizeof *emitters,
    .tunables = tunables,
    .ntunables = sizeof tunables / sizeof *tunables,
    .space = TCC_SPACE_DEVICE,
    .rows_in_place = true,
    .launch_operations = 5e7, /* 2.5 us between kernels on an H100, whose lanes do 3e13 operations a second */
};
