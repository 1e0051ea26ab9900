/* target.c - targets by name: x86[,MACHINE], reference, nvptx[,sm_NN]. */
#include "lib/codegen/attention/attention.h"
#include "lib/codegen/emitters.h"
#include "lib/target/nvptx/nvptx.h"
#include "lib/target/reference/reference.h"
#include "lib/target/x86/machine.h"

static const TccX86Emitter *emitter_of(TccStr kind) {
  for (size_t i = 0; i < tcc_x86_emitter_count; i++)
    if (tcc_str_is(kind, tcc_x86_emitters[i].kind)) return &tcc_x86_emitters[i];
  return NULL;
}

/* Composites stay whole where the emitter takes them: attention, with its online softmax. Every other one becomes rows and
 * maps. */
static bool x86_keeps(const TccTargetInfo *target, TccIr *ir, MlirOperation op) {
  (void)target;
  return tcc_op_kind(ir, op) == TCC_OP_ATTENTION && tcc_attention_takes(ir, op);
}

static bool x86_joins(const TccTargetInfo *target, TccIr *ir, MlirOperation attention) {
  return tcc_attention_joins(&target->machine, ir, attention);
}

static TccStatus *x86_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccStr kind = tcc_string(ir, kernel, "tcc.kernel");
  const TccX86Emitter *emitter = emitter_of(kind);
  if (emitter) return emitter->emit(target, ir, kernel, out);
  *out = (TccKernelCode){0};
  return TCC_ERROR(TCC_UNSUPPORTED, "x86 has no emitter for kernels of kind '%.*s'", TCC_STR_ARG(kind));
}

TccStatus *tcc_target_parse(TccArena *arena, const char *text, const TccTargetInfo **out) {
  *out = NULL;
  TccTargetInfo *target = TCC_NEW(arena, TccTargetInfo);
  TccStr all = tcc_str(text ? text : "x86");
  const char *comma = memchr(all.data, ',', all.length);
  TccStr name = {all.data, comma ? (size_t)(comma - all.data) : all.length};
  TccStr machine = {comma ? comma + 1 : NULL, comma ? all.length - name.length - 1 : 0};
  if (tcc_str_is(name, "nvptx")) {
    TCC_TRY(tcc_nvptx_machine(machine, &target->machine));
    *target = (TccTargetInfo){"nvptx", target->machine, tcc_reference_keeps, NULL, tcc_nvptx_emit};
    *out = target;
    return NULL;
  }
  if (machine.length) TCC_TRY(tcc_x86_machine_named(machine, &target->machine));
  else tcc_x86_machine_host(&target->machine);
  if (tcc_str_is(name, "x86")) {
    if (!(target->machine.isa & TCC_ISA_AVX2) || !(target->machine.isa & TCC_ISA_FMA))
      return TCC_ERROR(TCC_UNSUPPORTED, "x86 needs AVX2 and FMA, which %s lacks; use --target=reference", target->machine.cpu);
    *target = (TccTargetInfo){"x86", target->machine, x86_keeps, x86_joins, x86_emit};
  } else if (tcc_str_is(name, "reference")) {
    *target = (TccTargetInfo){"reference", target->machine, tcc_reference_keeps, NULL, tcc_reference_emit};
  } else {
    return TCC_ERROR(TCC_INVALID, "unknown target '%.*s' (known: x86[,MACHINE], nvptx[,sm_NN], reference)", TCC_STR_ARG(name));
  }
  *out = target;
  return NULL;
}
