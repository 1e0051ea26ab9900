/* What of a kernel is compiled with optimisation and what without: functions that say so are in a module of their own, which declares the others and is declared
 * by them; one that is to stay near the others, or is seen in its own module alone, stays. */
#include "lib/codegen/emit/emit.h"
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (!ok) failures++, printf("failed: %s\n", what);
}

typedef struct {
  bool near, internal, nest_alone, entry_alone;
} Shape;

/* A nest with optimisation, and an entry without that calls it. */
static void part(TccArena *arena, Shape shape, TccLlvm out[TCC_EFFORT_COUNT]) {
  static const char *const types[] = {TCC_PTR, "i64"};
  TccEmit e;
  TccVal arg[2];
  tcc_emit_init(&e, arena);
  tcc_emit_code(&e, "code", tcc_str("code"));
  if (shape.internal) { /* what calls a function that is no routine is none */
    tcc_emit_function(&e, "inner", true, 2, types, NULL, arg);
    tcc_emit_call(&e, "elsewhere", 2, arg, types, NULL);
    tcc_emit_return(&e, 0, NULL);
  }
  e.optnone = shape.entry_alone;
  tcc_emit_function(&e, "nest", true, 2, types, NULL, arg);
  tcc_emit_store(&e, "f32", tcc_emit_float(&e, "f32", 2), arg[0]);
  tcc_emit_return(&e, 0, NULL);
  e.optnone = !shape.nest_alone, e.near = shape.near;
  tcc_emit_function(&e, "entry", false, 2, types, NULL, arg);
  tcc_emit_call(&e, "nest", 2, arg, types, NULL);
  tcc_emit_return(&e, 0, NULL);
  tcc_llvm_part(arena, &(TccLlvm){.module = e.module}, out);
  tcc_emit_destroy(&e);
}

/* The names that a module defines and, behind a bar, declares, each up to its digest. */
static const char *has(TccArena *arena, const TccLlvm *llvm) {
  const char *text = "";
  for (int declared = 0; llvm->module && declared < 2; declared++) {
    for (size_t i = 0; i < llvm->module->items.count; i++) {
      const TccLlvmEntry *entry = &llvm->module->items.data[i];
      if (entry->declared != declared) continue;
      text = tcc_arena_printf(arena, "%s%.*s ", text, (int)strcspn(entry->item->symbol, "_"), entry->item->symbol);
    }
    if (!declared) text = tcc_arena_printf(arena, "%s| ", text);
  }
  return text;
}

static void holds(TccArena *arena, Shape shape, const char *full, const char *little, const char *what) {
  TccLlvm parts[TCC_EFFORT_COUNT];
  part(arena, shape, parts);
  expect(strcmp(has(arena, &parts[TCC_EFFORT_FULL]), full) == 0, what);
  expect(strcmp(has(arena, &parts[TCC_EFFORT_LITTLE]), little) == 0, what);
}

int main(void) {
  TccArena *arena = tcc_arena_create();
  holds(arena, (Shape){0}, "code nest | ", "entry | code nest ", "an entry without optimisation");
  holds(arena, (Shape){.near = true}, "code nest entry | ", "", "one that stays near");
  holds(arena, (Shape){.nest_alone = true}, "code nest entry | ", "", "all with optimisation");
  holds(arena, (Shape){.entry_alone = true}, "", "code nest entry | ", "all without");
  holds(arena, (Shape){.internal = true}, "code inner nest entry | ", "", "a function that no other module sees");
  tcc_arena_destroy(arena);
  return failures != 0;
}
