/* explain.c - what a step of training keeps for its backward and why, and the memory that it needs for each price of a byte. */
#include "lib/ir/names.h"
#include "lib/train/trainer.h"
#include "tcc/op_kinds.h"
#include <stdlib.h>
#include <string.h>

static MlirAttribute entry(MlirAttribute dict, const char *name) {
  return mlirDictionaryAttrGetElementByName(dict, mlirStringRefCreateFromCString(name));
}

static const char *text(TccTrainer *t, MlirAttribute dict, const char *name) {
  MlirStringRef value = mlirStringAttrGetValue(entry(dict, name));
  return tcc_arena_copy(t->arena, value.data, value.length);
}

static int64_t number(MlirAttribute dict, const char *name) { return mlirIntegerAttrGetValueInt(entry(dict, name)); }

/* How often a function runs in a run of the other one, by calls of calls; functions do not call themselves. */
static int64_t times_called(TccIr *ir, MlirOperation module, TccStr from, const char *function) {
  int64_t times = tcc_str_is(from, function);
  MlirOperation caller = tcc_module_find(ir, module, from);
  if (times || mlirOperationIsNull(caller)) return times;
  TCC_EACH_OP (op, tcc_func_body(caller)) {
    if (!tcc_op_is_named(op, "func.call")) continue;
    TccLoopCall loop;
    int64_t each = tcc_call_loop(ir, op, &loop) ? tcc_ir_likely(ir, loop.trips) : 1;
    times += each * times_called(ir, module, tcc_callee_name(op), function);
  }
  return times;
}

void train_note_saved(TccTrainer *t, TccIr *ir, MlirOperation module) {
  TrainSaved *s = &t->saved;
  MlirAttribute saved = tcc_attribute(module, "tcc.saved"), recomputed = tcc_attribute(module, "tcc.recomputed");
  *s = (TrainSaved){.count = (size_t)mlirArrayAttrGetNumElements(saved)};
  s->list = TCC_NEW_ARRAY(t->arena, TccSavedTensor, s->count + 1);
  for (size_t i = 0; i < s->count; i++) {
    MlirAttribute dict = mlirArrayAttrGetElement(saved, (intptr_t)i);
    const char *function = text(t, dict, "function");
    int64_t times = times_called(ir, module, tcc_str("main"), function);
    s->list[i] = (TccSavedTensor){function, text(t, dict, "node"), text(t, dict, "op"),  text(t, dict, "type"),
                                  times,    number(dict, "bytes"), number(dict, "keep"), number(dict, "again")};
    s->bytes += times * s->list[i].bytes;
  }
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(recomputed); i++) {
    MlirAttribute dict = mlirArrayAttrGetElement(recomputed, i);
    s->again += times_called(ir, module, tcc_str("main"), text(t, dict, "function")) * number(dict, "again");
  }
  mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString("tcc.saved"));
  mlirOperationRemoveAttributeByName(module, mlirStringRefCreateFromCString("tcc.recomputed"));
}

static int by_bytes(const void *a, const void *b) {
  const TccSavedTensor *x = a, *y = b;
  int64_t left = x->bytes * x->times, right = y->bytes * y->times;
  if (left != right) return left < right ? 1 : -1;
  int order = strcmp(x->function, y->function);
  return order ? order : strcmp(x->node, y->node);
}

static void note_choice(TccTrainExplanation *out, size_t at) {
  TccTrainer *t = out->trainer;
  memmove(out->choices + at + 1, out->choices + at, (out->nchoices++ - at) * sizeof *out->choices);
  out->choices[at] = (TccMemoryChoice){t->recompute, t->row_blocks, t->planned, t->saved.bytes, t->saved.again};
}

/* Those of memory.c, in its order: whole, in blocks of rows where that is less, then by rising price, whether they are within the limit or not. */
static TccStatus *try_all(TccTrainExplanation *out) {
  TccTrainer *t = out->trainer;
  const size_t limit = t->options.memory ? t->options.memory : SIZE_MAX;
  bool chosen = false, blocks = false;
  for (size_t i = 0; i < TRAIN_PRICES + 1; i++) {
    TCC_TRY(train_compile_at(t, train_prices[i ? i - 1 : 0], i == 1 || blocks));
    if (i == 1 && t->planned >= out->choices[0].planned) continue;
    blocks = blocks || i == 1;
    note_choice(out, out->nchoices);
    if (chosen || t->planned > limit) continue;
    chosen = true;
    out->chosen = out->nchoices - 1, out->saved = t->saved.list, out->nsaved = t->saved.count;
    if (i < 2) continue;
    TCC_TRY(train_refine(t, train_prices[i - 2], train_prices[i - 1]));
    out->saved = t->saved.list, out->nsaved = t->saved.count;
    if (t->recompute != train_prices[i - 1]) note_choice(out, out->chosen);
  }
  if (!chosen) out->chosen = out->nchoices, out->saved = t->saved.list, out->nsaved = t->saved.count;
  return NULL;
}

TccStatus *tcc_train_explain(const char *model, const TccTrainOptions *options, TccTrainExplanation *out) {
  TccTrainer *t = train_new(model, options);
  *out = (TccTrainExplanation){.trainer = t};
  t->explain = true;
  out->choices = TCC_NEW_ARRAY(t->arena, TccMemoryChoice, TRAIN_PRICES + 2);
  TccStatus *status = try_all(out);
  if (status) {
    tcc_train_explanation_destroy(out);
    return status;
  }
  qsort(out->saved, out->nsaved, sizeof *out->saved, by_bytes);
  return NULL;
}

void tcc_train_explanation_destroy(TccTrainExplanation *explanation) {
  tcc_trainer_destroy(explanation->trainer);
  *explanation = (TccTrainExplanation){0};
}
