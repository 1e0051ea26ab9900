/* targets.c - the table of targets, targets by name, and what is asked of one. */
#include "lib/targets/targets.h"

enum {
#define TCC_TARGET(name) +1
  OWN = 0
#include "lib/targets/targets.def"
  ,
#undef TCC_TARGET
  MOST_REGISTERED = 8
};
static const TccTarget *targets[OWN + MOST_REGISTERED] = {
#define TCC_TARGET(name) &tcc_target_##name,
#include "lib/targets/targets.def"
#undef TCC_TARGET
};
static size_t ntargets = OWN;

const TccTarget *const *tcc_target_table(size_t *out_count) {
  *out_count = ntargets;
  return targets;
}

TccStatus *tcc_target_register(const TccTarget *target) {
  for (size_t i = 0; i < ntargets; i++)
    if (strcmp(targets[i]->name, target->name) == 0) return TCC_ERROR(TCC_INVALID, "a target '%s' is there already", target->name);
  if (ntargets == OWN + MOST_REGISTERED)
    return TCC_ERROR(TCC_INVALID, "target '%s' is one more than the %d that can be registered", target->name, MOST_REGISTERED);
  targets[ntargets++] = target;
  return NULL;
}

static TccStatus *unknown(TccStr name) {
  TccText names = {0};
  for (size_t i = 0; i < ntargets; i++)
    tcc_text_printf(&names, "%s%s%s%s%s", i ? ", " : "", targets[i]->name, targets[i]->machines ? "[," : "",
                    targets[i]->machines ? targets[i]->machines : "", targets[i]->machines ? "]" : "");
  TccStatus *status = TCC_ERROR(TCC_INVALID, "unknown target '%.*s' (known: %s)", TCC_STR_ARG(name), names.data);
  tcc_text_destroy(&names);
  return status;
}

TccStatus *tcc_target_parse(TccArena *arena, const char *text, const TccTargetInfo **out) {
  *out = NULL;
  TccStr all = tcc_str(text ? text : targets[0]->name);
  const char *comma = memchr(all.data, ',', all.length);
  TccStr name = {all.data, comma ? (size_t)(comma - all.data) : all.length};
  TccStr machine = {comma ? comma + 1 : "", comma ? all.length - name.length - 1 : 0};
  if (comma && !machine.length)
    return TCC_ERROR(TCC_INVALID, "target '%.*s' ends in a comma; a machine follows it, or nothing", TCC_STR_ARG(all));
  for (size_t i = 0; i < ntargets; i++) {
    if (!tcc_str_is(name, targets[i]->name)) continue;
    TccTargetInfo *target = TCC_NEW(arena, TccTargetInfo);
    target->of = targets[i];
    TCC_TRY(targets[i]->machine(machine, &target->machine));
    *out = target;
    return NULL;
  }
  return unknown(name);
}

const TccPassInfo *tcc_target_pass_at(size_t index, const TccTarget **out_owner) {
  size_t count;
  const TccPassInfo *table = tcc_pass_table(&count);
  const TccTarget *owner = NULL;
  for (size_t i = 0; index >= count && i < ntargets; i++) {
    index -= count;
    owner = targets[i];
    table = owner->passes;
    count = owner->npasses;
  }
  if (out_owner) *out_owner = owner;
  return index < count ? &table[index] : NULL;
}

const TccPassInfo *tcc_target_pass(TccStr name, const TccTarget **out_owner) {
  const TccPassInfo *pass;
  for (size_t i = 0; (pass = tcc_target_pass_at(i, out_owner)); i++)
    if (tcc_str_is(name, pass->name)) break;
  return pass;
}

bool tcc_target_keeps(const TccTargetInfo *target, TccIr *ir, MlirOperation op) {
  return target->of->keeps && target->of->keeps(&target->machine, ir, op);
}

bool tcc_target_joins(const TccTargetInfo *target, TccIr *ir, MlirOperation attention) {
  return target->of->joins && target->of->joins(&target->machine, ir, attention);
}

/* A kernel whose floats must be those of PyTorch, where the target's would be others. */
static bool rounds_otherwise(const TccTargetInfo *target, MlirOperation kernel) {
  if (target->of->eager || tcc_numerics(kernel) != TCC_NUMERICS_EAGER) return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      if (tcc_elem_is_float(tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, i))))) return true;
  return false;
}

bool tcc_target_emits(const TccTargetInfo *target, TccKernelKind kind) {
  bool emits = !tcc_kernel_is_builtin(kind);
  for (size_t i = 0; i < target->of->nemitters; i++) emits |= target->of->emitters[i].kind == kind;
  return emits;
}

TccStatus *tcc_target_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccKernelKind kind = tcc_kernel_kind(ir, kernel);
  MlirOperation unknown;
  int axis;
  *out = (TccKernelCode){0};
  if (!tcc_sizes_known(ir, kernel, &unknown, &axis)) return TCC_ERROR(TCC_INVALID, TCC_SIZE_UNKNOWN, axis);
  if (rounds_otherwise(target, kernel))
    return TCC_ERROR(TCC_UNSUPPORTED, "%s does not round as numerics 'eager' asks", target->of->name);
  for (size_t i = 0; i < target->of->nemitters; i++) {
    const TccEmitter *emitter = &target->of->emitters[i];
    if (!emitter->kind || emitter->kind == kind) return emitter->emit(target, ir, kernel, out);
  }
  return TCC_ERROR(TCC_UNSUPPORTED, "%s has no emitter for kernels of kind '%s'", target->of->name, tcc_kernel_kind_name(kind));
}

const TccTunable *tcc_target_tunable(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, void **out_read) {
  TccKernelKind kind = tcc_kernel_kind(ir, kernel);
  MlirOperation unknown;
  int axis;
  *out_read = NULL;
  if (!tcc_sizes_known(ir, kernel, &unknown, &axis)) return NULL; /* whoever emits it gets the error */
  for (size_t i = 0; i < target->of->ntunables; i++) {
    const TccTunable *tunable = target->of->tunables[i];
    if (tunable->kind == kind && (*out_read = tunable->read(target, ir, kernel))) return tunable;
  }
  return NULL;
}
