/* llvm_list.c - the table of ops, and changes to a finished list. See llvm_list.h. */
#include "lib/codegen/emit/llvm_list.h"
#include <stdlib.h>

const struct TccLlvmRow tcc_llvm_rows[] = {
#define TCC_LLVM_OP(name, word, form, number) {word, TCC_FORM_##form},
#include "lib/codegen/emit/llvm_ops.def"
#undef TCC_LLVM_OP
};

int tcc_llvm_lanes(const char *type) { return strncmp(type, "vector<", 7) == 0 ? atoi(type + 7) : 1; }

bool tcc_llvm_names_item(const TccLlvmInst *inst) { return inst->op == TCC_LLVM_ADDRESS || inst->op == TCC_LLVM_CALL; }

void tcc_llvm_rename(TccArena *arena, TccLlvmModule *module, const char *symbol, const char *to, TccText *scratch) {
  for (size_t i = 0; i < module->items.count; i++) {
    TccLlvmItem *item = module->items.data[i].item;
    bool changed = strcmp(item->symbol, symbol) == 0;
    if (changed) item->symbol = to;
    for (size_t k = 0; k < item->ninsts; k++) {
      TccLlvmInst *inst = &item->insts[k];
      if (!tcc_llvm_names_item(inst) || strcmp(inst->symbol, symbol) != 0) continue;
      inst->symbol = to, changed = true;
    }
    if (changed) tcc_llvm_set_text(arena, item, scratch);
  }
}

/* The last function of a text, but for its first line, is left out. */
static TccLlvm declare_last(TccArena *arena, const TccLlvm *llvm) {
  TccText text = {0};
  tcc_text_printf(&text, "llvm.func hidden @%.*s(", TCC_STR_ARG(llvm->routine));
  const char *end = llvm->text.data + llvm->text.length,
             *function = memmem(llvm->text.data, llvm->text.length, text.data, text.length),
             *body = memmem(function, (size_t)(end - function), " {\n", 3);
  tcc_text_clear(&text);
  tcc_text_printf(&text, "%.*s\n}\n", (int)(body - llvm->text.data), llvm->text.data);
  TccLlvm out = {.text = {tcc_arena_copy(arena, text.data, text.length), text.length}};
  tcc_text_destroy(&text);
  return out;
}

/* Vectors of 64-bit elements have no register that holds them, and taking them apart takes as long again (MiniLM: a mask gathered by
 * 64-bit indices takes as long as a contraction of three times the text). */
static size_t work_of_text(TccStr text) {
  static const char constant[] = "llvm.mlir.global ", wide[] = "xi64>";
  size_t work = 0;
  for (const char *at = text.data, *end = at + text.length, *line; at < end; at = line) {
    line = memchr(at, '\n', (size_t)(end - at));
    line = line ? line + 1 : end;
    if ((size_t)(line - at) < sizeof constant || memcmp(at, constant, sizeof constant - 1) != 0)
      work += (size_t)(line - at) << (memmem(at, (size_t)(line - at), wide, sizeof wide - 1) != NULL);
  }
  return work;
}

size_t tcc_llvm_work(const TccLlvm *llvm) {
  if (!llvm->module) return work_of_text(llvm->text);
  size_t work = 0;
  for (size_t i = 0; i < llvm->module->items.count; i++) {
    const TccLlvmEntry *entry = &llvm->module->items.data[i];
    if (entry->item->kind == TCC_LLVM_FUNCTION && !entry->declared) work += work_of_text(entry->item->text);
  }
  return work;
}

TccLlvm tcc_llvm_declare_routines(TccArena *arena, TccMap *routines, const TccLlvm *llvm) {
  if (!llvm->module) {
    bool only = true;
    if (llvm->routine.length) tcc_map_put(routines, llvm->routine, &only);
    return only ? *llvm : declare_last(arena, llvm);
  }
  TccLlvmModule *out = TCC_NEW(arena, TccLlvmModule);
  out->gpu = llvm->module->gpu;
  for (size_t i = 0; i < llvm->module->items.count; i++) {
    TccLlvmEntry entry = llvm->module->items.data[i];
    bool first = true;
    if (entry.item->linkage == TCC_LLVM_HIDDEN) tcc_map_put(routines, tcc_str(entry.item->symbol), &first);
    entry.declared = !first;
    TCC_VEC_PUSH(arena, &out->items, entry);
  }
  return (TccLlvm){.module = out};
}

static bool takes_little(const TccLlvmItem *item) {
  return item->kind == TCC_LLVM_FUNCTION && item->role == TCC_LLVM_OPTNONE && !item->near;
}

/* Whether a module's functions see each other from other modules as well. */
static bool can_part(const TccLlvmModule *module) {
  for (size_t i = 0; i < module->items.count; i++)
    if (module->items.data[i].item->linkage == TCC_LLVM_INTERNAL) return false;
  return true;
}

void tcc_llvm_part(TccArena *arena, const TccLlvm *llvm, TccLlvm out[TCC_EFFORT_COUNT]) {
  size_t defined[TCC_EFFORT_COUNT] = {0};
  for (size_t i = 0; llvm->module && i < llvm->module->items.count; i++) {
    const TccLlvmEntry *entry = &llvm->module->items.data[i];
    if (entry->item->kind == TCC_LLVM_FUNCTION && !entry->declared)
      defined[takes_little(entry->item) ? TCC_EFFORT_LITTLE : TCC_EFFORT_FULL]++;
  }
  bool parts = defined[TCC_EFFORT_LITTLE] && can_part(llvm->module);
  for (TccEffort effort = 0; effort < TCC_EFFORT_COUNT; effort++) out[effort] = (TccLlvm){0};
  if (!parts || !defined[TCC_EFFORT_FULL]) {
    out[parts ? TCC_EFFORT_LITTLE : TCC_EFFORT_FULL] = *llvm;
    return;
  }
  for (TccEffort effort = 0; effort < TCC_EFFORT_COUNT; effort++) {
    TccLlvmModule *module = TCC_NEW(arena, TccLlvmModule);
    for (size_t i = 0; i < llvm->module->items.count; i++) {
      TccLlvmEntry entry = llvm->module->items.data[i];
      bool here = takes_little(entry.item) == (effort == TCC_EFFORT_LITTLE);
      if (!here && entry.item->linkage == TCC_LLVM_EXTERNAL) continue; /* a kernel's entry, which nothing calls */
      entry.declared |= !here;
      TCC_VEC_PUSH(arena, &module->items, entry);
    }
    out[effort] = (TccLlvm){.module = module};
  }
}
