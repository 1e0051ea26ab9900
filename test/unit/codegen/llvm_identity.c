/* What tells lists of ops apart: shared routines and machine code stand there by symbols, which say what is in them, all else by its text;
 * whether a module defines or declares them is a difference. Code that a list has once is there once, whatever its name's end. */
#include "lib/codegen/emit/emit.h"
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (!ok) failures++, printf("failed: %s\n", what);
}

/* Two routines of equal content, of whose names the ends differ, code of its own, and an entry. */
static void emit(TccEmit *e, TccArena *arena, double factor, const char *code) {
  static const char *const types[] = {TCC_PTR, "i64"};
  TccVal arg[2];
  tcc_emit_init(e, arena);
  tcc_emit_code(e, "code", tcc_str(code));
  for (int i = 0; i < 2; i++) {
    tcc_emit_function(e, i ? "scale.b" : "scale.a", true, 2, types, NULL, arg);
    tcc_emit_store(e, "f32", tcc_emit_float(e, "f32", factor), arg[0]);
    tcc_emit_return(e, 0, NULL);
  }
  tcc_emit_function(e, "entry", false, 2, types, NULL, arg);
  tcc_emit_call(e, "code", 2, arg, types, NULL);
  tcc_emit_call(e, "scale.a", 2, arg, types, NULL);
  tcc_emit_call(e, "scale.b", 2, arg, types, NULL);
  tcc_emit_return(e, 0, NULL);
}

static TccText identity(TccArena *arena, double factor, const char *code, TccMap *routines) {
  TccEmit e;
  TccText text = {0};
  emit(&e, arena, factor, code);
  TccLlvm llvm = {.module = e.module};
  if (routines) llvm = tcc_llvm_declare_routines(arena, routines, &llvm);
  tcc_llvm_identity(&llvm, &text);
  tcc_emit_destroy(&e);
  return text;
}

static bool equal(TccText a, TccText b) { return a.length == b.length && memcmp(a.data, b.data, a.length) == 0; }

static int count(const char *text, const char *word) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, word)); at++) n++;
  return n;
}

int main(void) {
  TccArena *arena = tcc_arena_create();
  TccMap *routines = tcc_map_create(arena);
  TccText base = identity(arena, 2, "code", NULL), same = identity(arena, 2, "code", NULL),
          other = identity(arena, 3, "code", NULL), coded = identity(arena, 2, "more", NULL),
          defined = identity(arena, 2, "code", routines), declared = identity(arena, 2, "code", routines),
          *all[] = {&base, &same, &other, &coded, &defined, &declared};
  expect(equal(base, same) && equal(base, defined), "equal lists");
  expect(!equal(base, other), "another routine");
  expect(!equal(base, coded), "other code");
  expect(!equal(base, declared), "declared routines");
  expect(count(base.data, "define @scale_") == 1 && count(base.data, "define @code_") == 1, "routines by symbols, once");
  expect(count(declared.data, "declare @") == 2 && count(declared.data, "define @") == 0, "declared by symbols");
  expect(count(base.data, "llvm.store") == 0 && count(base.data, "\\63") == 0, "no content of routines");
  expect(count(base.data, "llvm.func @entry(") == 1 && count(base.data, "llvm.call @scale_") == 2, "the entry's text");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) tcc_text_destroy(all[i]);
  tcc_arena_destroy(arena);
  return failures != 0;
}
