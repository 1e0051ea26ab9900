/* kernel_emit.c - see kernel_emit.h. */
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/emit/emit_internal.h"
#include "mlir-c/BuiltinAttributes.h"
#include "tcc/digest.h"
#include <inttypes.h>

static const char placeholder[] = "tcc_kernel_entry"; /* until the kernel is finished: its digest has it */

void tcc_kernel_init(TccKernelEmit *k, TccEmit *e, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel) {
  memset(k, 0, sizeof *k);
  tcc_emit_init(e, ir->arena);
  e->functions = target->of->scalars ? target->of->scalars(&target->machine) : NULL;
  e->eager = tcc_numerics(kernel) == TCC_NUMERICS_EAGER;
  k->ir = ir, k->e = e, k->machine = &target->machine, k->kernel = kernel;
}

static size_t slot_of(TccKernelEmit *k, const TccExpr *e) {
  for (size_t i = 0; i < k->sizes.count; i++)
    if (k->sizes.data[i] == e) return i;
  TCC_VEC_PUSH(k->ir->arena, &k->sizes, e);
  return k->sizes.count - 1;
}

static bool is_varied(const TccKernelEmit *k, const TccExpr *e) {
  for (size_t i = 0; i < k->varied.count; i++)
    if (k->varied.data[i] == e) return true;
  return false;
}

void tcc_kernel_vary(TccKernelEmit *k, const TccExpr *size) {
  int64_t known;
  if (tcc_expr_is_const(size, &known) && known > 1 && !is_varied(k, size)) TCC_VEC_PUSH(k->ir->arena, &k->varied, size);
}

void tcc_kernel_tell(TccKernelEmit *k, unsigned what) { k->tells = 1 + what; }

TccVal tcc_kernel_size(TccKernelEmit *k, const TccExpr *e) {
  int64_t known;
  if (tcc_expr_is_const(e, &known) && !is_varied(k, e)) return tcc_emit_i64(k->e, known);
  return tcc_kernel_slot_value(k, e);
}

TccVal tcc_kernel_slot_value(TccKernelEmit *k, const TccExpr *e) {
  size_t slot = slot_of(k, e);
  if (!k->first_size) return tcc_emit_load_once(k->e, "i64", k->size_pointer, (int64_t)slot);
  return slot < (size_t)k->most_sizes ? k->first_size + (TccVal)slot : k->first_size; /* too many: an error when it is finished */
}

TccVal tcc_kernel_argument(TccKernelEmit *k, int index) {
  if (k->chosen && k->chosen[index]) return k->chosen[index];
  return k->first_argument ? k->first_argument + index : tcc_emit_load_once(k->e, TCC_PTR, k->arguments, index);
}

void tcc_kernel_divide(TccKernelEmit *k, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest) {
  TccVal none;
  if (k->divide) {
    k->divide(k, v, size, quotient ? quotient : &none, rest ? rest : &none);
    return;
  }
  TccVal d = tcc_kernel_size(k, size);
  if (rest) *rest = tcc_emit_rem(k->e, v, d);
  if (quotient) *quotient = tcc_emit_div(k->e, v, d);
}

TccVal tcc_kernel_size_table(TccKernelEmit *k, const TccExpr *const *sizes, size_t count) {
  int64_t first = (int64_t)k->sizes.count;
  for (size_t i = 0; i < count; i++) TCC_VEC_PUSH(k->ir->arena, &k->sizes, sizes[i]);
  return tcc_emit_at(k->e, "i64", k->size_pointer, first);
}

const TccExpr *tcc_kernel_slot(TccKernelEmit *k, const TccExpr *e) {
  if (tcc_expr_is_const(e, NULL)) return e;
  return tcc_expr_symbol(k->ir->exprs, tcc_str(tcc_arena_printf(k->ir->arena, "$%zu", slot_of(k, e))));
}

void tcc_kernel_entry(TccKernelEmit *k, TccKernelEntry *out) {
  static const char *const params[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64"};
  TccVal arg[5];
  tcc_emit_function(k->e, placeholder, false, 5, params, NULL, arg);
  k->arguments = arg[0], k->size_pointer = k->faults = arg[1], k->reports = true;
  *out = (TccKernelEntry){arg[2], arg[3], arg[4]};
}

void tcc_kernel_fault(TccKernelEmit *k, int check, TccVal index) {
  TccEmit *e = k->e;
  tcc_emit_relaxed_store(e, index, tcc_emit_at(e, "i64", k->faults, tcc_fault_word(check, TCC_FAULT_INDEX)));
  tcc_emit_relaxed_store(e, tcc_emit_i64(e, 1), tcc_emit_at(e, "i64", k->faults, tcc_fault_word(check, TCC_FAULT_SEEN)));
}

/* "k3_dot_general_add" -> "_dot_general_add": what follows the number that fuse gave. */
static TccStr ops_suffix(TccKernelEmit *k) {
  MlirAttribute attr = mlirOperationGetAttributeByName(k->kernel, mlirStringRefCreateFromCString("sym_name"));
  if (mlirAttributeIsNull(attr)) return tcc_str("");
  MlirStringRef name = mlirStringAttrGetValue(attr);
  size_t at = 0;
  while (at < name.length && name.data[at] != '_') at++;
  return (TccStr){name.data + at, name.length - at};
}

/* Names the entry of a module by what that does, and by the ops that the kernel is called by. */
static const char *name_entry(TccArena *arena, TccLlvmModule *module, TccStr ops) {
  TccLlvm llvm = {.module = module};
  TccText text = {0};
  tcc_llvm_identity(&llvm, &text);
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(text.data, text.length, digest);
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof number; i++) number = number << 8 | digest[i];
  const char *symbol = tcc_arena_printf(arena, "k_%016" PRIx64 "%.*s", number, TCC_STR_ARG(ops));
  tcc_llvm_rename(arena, module, placeholder, symbol, &text);
  tcc_text_destroy(&text);
  return symbol;
}

static TccLlvmItem *entry_of(const TccLlvmModule *module, const char *symbol) {
  for (size_t i = 0; i < module->items.count; i++)
    if (strcmp(module->items.data[i].item->symbol, symbol) == 0) return module->items.data[i].item;
  return NULL;
}

void tcc_kernel_told(TccIr *ir, const TccKernelCode *code, TccKernelCode *out) {
  enum { SIZES = 2 /* the number of the entry's second parameter */, DIGITS = 18 /* "k_" and a number */ };
  TccArena *arena = ir->arena;
  TccWords words = {.first = (int64_t)code->nsizes};
  TccText text = {0};
  const TccLlvmItem *entry = entry_of(code->llvm.module, code->symbol);
  TccLlvmItem *told = TCC_NEW(arena, TccLlvmItem);
  TccLlvmModule *module = TCC_NEW(arena, TccLlvmModule);
  *told = *entry, told->symbol = placeholder;
  emit_tell(arena, told, SIZES, code->tells - 1, &words);
  tcc_llvm_set_text(arena, told, &text);
  tcc_text_destroy(&text);
  module->gpu = code->llvm.module->gpu;
  for (size_t i = 0; i < code->llvm.module->items.count; i++) {
    TccLlvmEntry item = code->llvm.module->items.data[i];
    if (item.item == entry) item.item = told;
    TCC_VEC_PUSH(arena, &module->items, item);
  }
  const TccExpr **sizes = TCC_NEW_ARRAY(arena, const TccExpr *, code->nsizes + words.count);
  for (size_t i = 0; i < code->nsizes; i++) sizes[i] = code->sizes[i];
  for (size_t i = 0; i < words.count; i++) {
    const TccWord *word = &words.data[i];
    sizes[code->nsizes + i] = word->of < 0 ? tcc_expr_const(ir->exprs, word->number) : sizes[word->of];
  }
  *out = *code;
  out->symbol = name_entry(arena, module, tcc_str(code->symbol + DIGITS)), out->llvm = (TccLlvm){.module = module};
  out->sizes = sizes, out->nsizes = code->nsizes + words.count, out->tells = 0;
}

void tcc_kernel_finish(TccKernelEmit *k, const char *emitter, const char *schedule, const TccExpr *tiles,
                       const TccExpr *scratch_bytes, TccKernelCode *out) {
  TccLlvmModule *module = k->e->module;
  const size_t told_size = k->tells ? emit_told_size(entry_of(module, placeholder)) : 0;
  *out = (TccKernelCode){.symbol = name_entry(k->ir->arena, module, ops_suffix(k)),
                         .llvm = {.module = module},
                         .sizes = k->sizes.data,
                         .nsizes = k->sizes.count,
                         .tiles = tiles,
                         .scratch_bytes = scratch_bytes,
                         .emitter = emitter,
                         .schedule = schedule,
                         .tells = k->tells,
                         .told_size = told_size};
  tcc_emit_destroy(k->e);
}

void tcc_kernel_abandon(TccKernelEmit *k) { tcc_emit_destroy(k->e); }
