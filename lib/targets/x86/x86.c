/* x86.c - the target x86: machines with AVX2 and FMA or more. */
#include "lib/ir/attention.h"
#include "lib/targets/targets.h"
#include "lib/targets/x86/attention/attention.h"
#include "lib/targets/x86/attention/attention_schedule.h"
#include "lib/targets/x86/code/scalar_avx512.h"
#include "lib/targets/x86/contract/contract.h"
#include "lib/targets/x86/contract/contract_schedule.h"
#include "lib/targets/x86/conv/conv.h"
#include "lib/targets/x86/conv/conv_filter_grad.h"
#include "lib/targets/x86/conv/conv_plan.h"
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/gemv/gemv.h"
#include "lib/targets/x86/gemv/gemv_panels.h"
#include "lib/targets/x86/gemv/gemv_schedule.h"
#include "lib/targets/x86/machine.h"
#include "lib/targets/x86/map/map.h"
#include "lib/targets/x86/map/map_schedule.h"
#include "lib/targets/x86/map/pool.h"
#include "lib/targets/x86/passes/passes.h"
#include "lib/targets/x86/row/row.h"
#include "lib/targets/x86/row/row_schedule.h"
#include "tcc/op_kinds.h"

static TccStatus *machine(TccStr name, TccMachine *out) {
  TCC_TRY(tcc_x86_machine(name, out));
  if (!(out->isa & TCC_ISA_AVX2) || !(out->isa & TCC_ISA_FMA))
    return TCC_ERROR(TCC_UNSUPPORTED, "x86 needs AVX2 and FMA, which %s lacks; use --target=reference", out->cpu);
  return NULL;
}

/* Composites stay whole where an emitter takes them: attention, with its online softmax, and the gradient of weights in small groups; or
 * where the run-time has a function for them: Fourier transforms.
 * Every other one becomes rows and maps. */
static bool keeps(const TccMachine *m, TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  return kind == TCC_OP_FFT || kind == TCC_OP_IRFFT || (tcc_is_attention(kind) && tcc_attention_keeps(ir, op)) ||
         (kind == TCC_OP_CONV_FILTER_GRAD && tcc_filter_grad_keeps(m, ir, op));
}

static bool wide_convolution(const TccMachine *m, TccElem narrow, TccOpKind kind) {
  return narrow != TCC_ELEM_BF16 || !tcc_conv_takes_pairs(m) || kind == TCC_OP_CONV_TRANSPOSE; /* which has no blocks of bf16 */
}

/* Few rows read a panel of bytes once: dot products of vectors keep up with it. Without them, and where it would be packed in the call, numbers are made
 * of the bytes where they lie. (1x768x3072, ms with one and two threads of an Emerald Rapids, that way and in packed bytes: 0.068, 0.052 and 0.059, 0.022;
 * made for a machine without tile registers 0.092, 0.050 and 0.070, 0.020.) */
static bool few_rows_of_bytes(const TccMachine *m, bool stored) { return (m->isa & TCC_ISA_AVX512_VNNI) && stored; }

static const TccByteProducts bytes = {.float_sums = true, .few_rows = few_rows_of_bytes, .takes_conv = tcc_conv_is_lowered};

static const TccPassInfo passes[] = {
#define TCC_PASS(function, name, summary, options) {name, summary, options, tcc_pass_##function},
#include "lib/targets/x86/passes/passes.def"
#undef TCC_PASS
};
static TccStatus *emit_contraction(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  if (tcc_gemv_accepts(&target->machine, ir, kernel)) return tcc_gemv_emit(target, ir, kernel, out);
  if (tcc_gemv_panels_accepts(&target->machine, ir, kernel)) return tcc_gemv_panels_emit(target, ir, kernel, out);
  return tcc_contract_emit(target, ir, kernel, out);
}

static const TccEmitter emitters[] = {
    {TCC_KERNEL_MAP, tcc_map_emit},
    {TCC_KERNEL_ROW, tcc_row_emit},
    {TCC_KERNEL_SCATTER, tcc_scatter_emit},
    {TCC_KERNEL_SCAN, tcc_scan_emit},
    {TCC_KERNEL_SOLVE, tcc_solve_emit},
    {TCC_KERNEL_CONTRACT, emit_contraction},
    {TCC_KERNEL_PACK, tcc_pack_emit},
    {TCC_KERNEL_ATTENTION, tcc_attention_emit},
    {TCC_KERNEL_CONV, tcc_conv_emit},
    {TCC_KERNEL_POOL, tcc_pool_emit},
    {TCC_KERNEL_FILTER_GRAD, tcc_filter_grad_emit},
};
/* With many rows a dequantisation is a small part of the product (gemv_panels.h). */
static bool reads_narrow(const TccTargetInfo *target, TccIr *ir, MlirOperation contraction) {
  return tcc_gemv_accepts(&target->machine, ir, contraction) || tcc_gemv_panels_accepts(&target->machine, ir, contraction);
}

static const TccTunable *const tunables[] = {&tcc_gemv_tunable, &tcc_contract_tunable, &tcc_attention_tunable,
                                             &tcc_conv_tunable, &tcc_map_tunable,      &tcc_row_tunable};

const TccTarget tcc_target_x86 = {
    .name = "x86",
    .machines = "MACHINE][,SIZES",
    .machine = machine,
    .lower = "tcc-lower-qdq,tcc-decompose{only=batch_norm}",
    .layout = "tcc-spread-windows,tcc-split-volumes,tcc-block-layout",
    .kernels = "tcc-fuse-weight-dequant,tcc-variants{count=0},tcc-select,tcc-winograd,tcc-pack-weights,tcc-relayout-weights,"
               "tcc-fuse-depth-first,tcc-concat-in-place",
    .passes = passes,
    .npasses = sizeof passes / sizeof *passes,
    .keeps = keeps,
    .joins = tcc_attention_joins,
    .reads_narrow = reads_narrow,
    .bytes = &bytes,
    .scalars = tcc_x86_scalars,
    .emitters = emitters,
    .nemitters = sizeof emitters / sizeof *emitters,
    .tunables = tunables,
    .ntunables = sizeof tunables / sizeof *tunables,
    .eager = true,
    .wide_convolution = wide_convolution,
    .row_sums = true, /* what reads each element of the matrix once has no use for panels of it */
    .fallback = &tcc_target_reference,
};
