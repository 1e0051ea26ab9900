/* llvm_read.c - a quick reader for the part of the LLVM dialect that emit.c writes. See llvm_read.h.
 *
 * Parsing, verifying and translating a kernel by MLIR is a fifth of its compilation. The emitters' text is of a simple form: an
 * op a line, values and blocks by number, each value written before it is used; so each line becomes a call of LLVM's builder.
 * Two walks: functions and constants are declared, then bodies are read. Arguments of a block are phis, made when the block is
 * first seen, be it as a branch's target. Nothing is taken for granted: what does not fit ends the attempt. What is built is what
 * MLIR's translation builds (test/unit/codegen/llvm_read.c compares). Rare ops are left to MLIR. */
#include "lib/codegen/llvm_read.h"
#include "llvm-c/Core.h"
#include <setjmp.h>
#include <stdlib.h>

enum { MOST_ARGS = 128, MOST_NUMBER = 1 << 24 };
typedef struct Edge Edge;
struct Edge { Edge *next; LLVMBasicBlockRef from; LLVMValueRef *values; };
typedef struct { LLVMBasicBlockRef block; int nphis; LLVMValueRef *phi; Edge *edges; /* into it, the last first */ } Block;
typedef struct {
  const char *at, *end;
  TccArena *arena;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  TccMap *symbols;           /* of this text: name -> function or constant */
  LLVMValueRef function;
  LLVMValueRef *value;       /* of the function, by number */
  Block *block;
  size_t count;              /* of both */
  jmp_buf unknown;           /* what is not known here */
} Reader;

_Noreturn static void give_up(Reader *r) { longjmp(r->unknown, 1); }

/* ---- words ---- */

static bool next_is(const Reader *r, const char *word) {
  size_t n = strlen(word);
  return (size_t)(r->end - r->at) >= n && memcmp(r->at, word, n) == 0;
}

static bool take(Reader *r, const char *word) {
  if (!next_is(r, word)) return false;
  r->at += strlen(word);
  return true;
}

static void want(Reader *r, const char *word) {
  if (!take(r, word)) give_up(r);
}

static int64_t take_integer(Reader *r) {
  char *after;
  if (r->at == r->end || (*r->at != '-' && (*r->at < '0' || *r->at > '9'))) give_up(r); /* the text ends with a NUL or a line */
  int64_t v = strtoll(r->at, &after, 10);
  r->at = after;
  return v;
}

static int take_number(Reader *r) {
  int64_t v = take_integer(r);
  if (v < 0 || v >= MOST_NUMBER) give_up(r);
  return (int)v;
}

/* Letters, digits, '_' and '.'. */
static TccStr take_word(Reader *r) {
  const char *from = r->at;
  while (r->at < r->end && ((*r->at | 32) >= 'a' && (*r->at | 32) <= 'z' ? true : (*r->at >= '0' && *r->at <= '9') || *r->at == '_' || *r->at == '.')) r->at++;
  if (r->at == from) give_up(r);
  return (TccStr){from, (size_t)(r->at - from)};
}

static const char *copy(Reader *r, TccStr s) { return tcc_arena_copy(r->arena, s.data, s.length); }

/* ---- types ---- */

static LLVMTypeRef take_type(Reader *r) {
  LLVMContextRef c = r->context;
  if (take(r, "!llvm.ptr")) return LLVMPointerTypeInContext(c, 0);
  if (take(r, "vector<")) {
    int64_t lanes = take_integer(r);
    want(r, "x");
    LLVMTypeRef elem = take_type(r);
    want(r, ">");
    if (lanes < 1 || lanes > 4096 || LLVMGetTypeKind(elem) == LLVMVectorTypeKind) give_up(r);
    return LLVMVectorType(elem, (unsigned)lanes);
  }
  TccStr word = take_word(r);
  static const struct { const char *name; LLVMTypeRef (*get)(LLVMContextRef); } types[] = {
      {"i64", LLVMInt64TypeInContext}, {"f32", LLVMFloatTypeInContext}, {"i1", LLVMInt1TypeInContext},   {"i32", LLVMInt32TypeInContext},     {"i8", LLVMInt8TypeInContext},
      {"i16", LLVMInt16TypeInContext}, {"f64", LLVMDoubleTypeInContext}, {"f16", LLVMHalfTypeInContext}, {"bf16", LLVMBFloatTypeInContext}, {"i128", LLVMInt128TypeInContext}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (tcc_str_is(word, types[i].name)) return types[i].get(c);
  give_up(r);
}

/* "(T, T, ...)" */
static int take_types(Reader *r, LLVMTypeRef *types) {
  int n = 0;
  want(r, "(");
  while (!take(r, ")")) {
    if (n == MOST_ARGS || (n && !take(r, ", "))) give_up(r);
    types[n++] = take_type(r);
  }
  return n;
}

/* " -> T", or void for " -> ()" */
static LLVMTypeRef take_result(Reader *r) {
  want(r, " -> ");
  return take(r, "()") ? LLVMVoidTypeInContext(r->context) : take_type(r);
}

/* ---- values ---- */

static size_t place(Reader *r, int number) {
  if ((size_t)number >= r->count) {
    size_t n = 2 * (size_t)number + 64;
    r->value = tcc_arena_grow(r->arena, r->value, r->count * sizeof *r->value, n * sizeof *r->value);
    r->block = tcc_arena_grow(r->arena, r->block, r->count * sizeof *r->block, n * sizeof *r->block);
    memset(r->value + r->count, 0, (n - r->count) * sizeof *r->value);
    memset(r->block + r->count, 0, (n - r->count) * sizeof *r->block);
    r->count = n;
  }
  return (size_t)number;
}

static LLVMValueRef take_value(Reader *r) {
  want(r, "%");
  size_t at = place(r, take_number(r)); /* may move r->value */
  LLVMValueRef v = r->value[at];
  if (!v) give_up(r);
  return v;
}

/* "%1, %2, ..." up to `n` of them */
static void take_operands(Reader *r, int n, LLVMValueRef *out) {
  for (int i = 0; i < n; i++) {
    if (i) want(r, ", ");
    out[i] = take_value(r);
  }
}

static int take_arguments(Reader *r, LLVMValueRef *out) {
  int n = 0;
  want(r, "(");
  while (!take(r, ")")) {
    if (n == MOST_ARGS || (n && !take(r, ", "))) give_up(r);
    out[n++] = take_value(r);
  }
  return n;
}

static void same_type(Reader *r, LLVMValueRef v, LLVMTypeRef type) {
  if (LLVMTypeOf(v) != type) give_up(r);
}

/* ---- constants ---- */

static LLVMValueRef take_scalar(Reader *r, LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (take(r, "true")) return LLVMConstInt(type, 1, false);
  if (take(r, "false")) return LLVMConstInt(type, 0, false);
  if (next_is(r, "0x")) {
    char *after;
    uint64_t bits = strtoull(r->at, &after, 16);
    r->at = after;
    unsigned width = kind == LLVMFloatTypeKind ? 32 : kind == LLVMDoubleTypeKind ? 64 : kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ? 16 : 0;
    if (!width) give_up(r);
    return LLVMConstBitCast(LLVMConstInt(LLVMIntTypeInContext(r->context, width), bits, false), type);
  }
  if (kind != LLVMIntegerTypeKind) give_up(r);
  return LLVMConstInt(type, (unsigned long long)take_integer(r), true);
}

/* Behind "constant(". The type is said before the value is needed: the text is looked at twice. */
static LLVMValueRef take_constant(Reader *r) {
  const char *from = r->at, *close = memchr(r->at, '\n', (size_t)(r->end - r->at));
  if (!close) give_up(r);
  for (r->at = close; r->at > from && memcmp(r->at, " : ", 3) != 0;) r->at--;
  want(r, " : ");
  LLVMTypeRef type = take_type(r), elem = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
  if (r->at != close) give_up(r);
  r->at = from;
  LLVMValueRef v[4096], result;
  unsigned lanes = elem == type ? 1 : LLVMGetVectorSize(type);
  if (take(r, "dense<[")) {
    for (unsigned i = 0; i < lanes; i++) {
      if (i) want(r, ", ");
      v[i] = take_scalar(r, elem);
    }
    want(r, "]>");
    result = LLVMConstVector(v, lanes);
  } else if (take(r, "dense<")) {
    v[0] = take_scalar(r, elem);
    for (unsigned i = 1; i < lanes; i++) v[i] = v[0];
    want(r, ">");
    result = LLVMConstVector(v, lanes);
  } else {
    if (elem != type) give_up(r);
    result = take_scalar(r, type);
  }
  if (take(r, " : ") && take_type(r) != type) give_up(r);
  want(r, ")");
  r->at = close;
  return result;
}

static LLVMValueRef take_symbol(Reader *r) {
  want(r, "@");
  TccMapEntry *entry = tcc_map_find(r->symbols, take_word(r));
  if (!entry) give_up(r);
  return entry->pointer;
}

/* ---- blocks ---- */

/* Block `number`, whose arguments have these types. */
static Block *block_of(Reader *r, int number, int n, const LLVMTypeRef *types) {
  size_t at = place(r, number); /* may move r->block */
  Block *b = &r->block[at];
  if (b->block) {
    if (b->nphis != n) give_up(r);
    return b;
  }
  b->block = LLVMAppendBasicBlockInContext(r->context, r->function, "");
  b->nphis = n, b->phi = TCC_NEW_ARRAY(r->arena, LLVMValueRef, n + 1);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder);
  LLVMPositionBuilderAtEnd(r->builder, b->block);
  for (int i = 0; i < n; i++) b->phi[i] = LLVMBuildPhi(r->builder, types[i], "");
  LLVMPositionBuilderAtEnd(r->builder, here);
  return b;
}

/* "^b5" or "^b5(%1, %2 : T, T)", a branch from the open block. */
static LLVMBasicBlockRef take_target(Reader *r) {
  LLVMTypeRef types[MOST_ARGS] = {0};
  LLVMValueRef values[MOST_ARGS];
  int n = 0;
  want(r, "^b");
  int number = take_number(r);
  if (take(r, "(")) {
    do values[n++] = take_value(r);
    while (n < MOST_ARGS && take(r, ", "));
    want(r, " : ");
    for (int i = 0; i < n; i++) {
      if (i) want(r, ", ");
      same_type(r, values[i], types[i] = take_type(r));
    }
    want(r, ")");
  }
  Block *b = block_of(r, number, n, types);
  if (n == 0) return b->block;
  Edge *edge = TCC_NEW(r->arena, Edge);
  *edge = (Edge){b->edges, LLVMGetInsertBlock(r->builder), TCC_NEW_ARRAY(r->arena, LLVMValueRef, n)};
  memcpy(edge->values, values, (size_t)n * sizeof *values);
  b->edges = edge;
  for (int i = 0; i < n; i++) same_type(r, b->phi[i], types[i]);
  return b->block;
}

/* "^b5:" or "^b5(%6: T, %7: T):"; what follows goes there. */
static void read_label(Reader *r) {
  LLVMTypeRef types[MOST_ARGS] = {0};
  int names[MOST_ARGS], n = 0, number = take_number(r);
  if (take(r, "("))
    do {
      want(r, "%");
      names[n] = take_number(r);
      want(r, ": ");
      types[n++] = take_type(r);
    } while (n < MOST_ARGS && take(r, ", "));
  if (n) want(r, ")");
  want(r, ":");
  Block *b = block_of(r, number, n, types);
  LLVMBasicBlockRef last = LLVMGetLastBasicBlock(r->function);
  if (last != b->block) LLVMMoveBasicBlockAfter(b->block, last);
  LLVMPositionBuilderAtEnd(r->builder, b->block);
  for (int i = 0; i < n; i++) {
    same_type(r, b->phi[i], types[i]);
    size_t at = place(r, names[i]);
    r->value[at] = r->block[number].phi[i];
  }
}

/* Phis get their values, the block that was read last first, as MLIR does it. */
static void finish_body(Reader *r) {
  for (size_t i = 0; i < r->count; i++)
    for (const Edge *edge = r->block[i].edges; edge; edge = edge->next)
      for (int k = 0; k < r->block[i].nphis; k++) LLVMAddIncoming(r->block[i].phi[k], &edge->values[k], (LLVMBasicBlockRef[]){edge->from}, 1);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(r->function); b; b = LLVMGetNextBasicBlock(b))
    if (!LLVMGetBasicBlockTerminator(b)) give_up(r);
  memset(r->value, 0, r->count * sizeof *r->value);
  memset(r->block, 0, r->count * sizeof *r->block);
}

/* ---- ops ---- */

static LLVMValueRef call_intrinsic(Reader *r, const char *name, LLVMTypeRef *overloads, size_t noverloads, LLVMValueRef *args, int n) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  if (!id || LLVMIntrinsicIsOverloaded(id) != (noverloads > 0)) give_up(r);
  LLVMValueRef callee = LLVMGetIntrinsicDeclaration(r->module, id, overloads, noverloads);
  LLVMTypeRef type = LLVMIntrinsicGetType(r->context, id, overloads, noverloads), params[MOST_ARGS];
  if ((int)LLVMCountParamTypes(type) != n) give_up(r);
  LLVMGetParamTypes(type, params);
  for (int i = 0; i < n; i++) same_type(r, args[i], params[i]);
  return LLVMBuildCall2(r->builder, type, callee, args, (unsigned)n, "");
}

/* "{alignment = 4 : i64}" */
static unsigned take_alignment(Reader *r, const char *type) {
  want(r, "{alignment = ");
  int64_t v = take_integer(r);
  want(r, type);
  if (v < 1 || v > 4096 || (v & (v - 1))) give_up(r);
  return (unsigned)v;
}

static LLVMValueRef read_load(Reader *r) {
  want(r, " ");
  LLVMValueRef p = take_value(r);
  unsigned alignment = take(r, " ") && next_is(r, "{") ? take_alignment(r, " : i64} ") : 0;
  want(r, ": !llvm.ptr -> ");
  LLVMValueRef v = LLVMBuildLoad2(r->builder, take_type(r), p, "");
  if (alignment) LLVMSetAlignment(v, alignment);
  return v;
}

static void read_store(Reader *r) {
  LLVMValueRef v[2];
  want(r, " ");
  take_operands(r, 2, v);
  want(r, " ");
  unsigned alignment = take_alignment(r, " : i64} : ");
  same_type(r, v[0], take_type(r));
  want(r, ", !llvm.ptr");
  LLVMSetAlignment(LLVMBuildStore(r->builder, v[0], v[1]), alignment);
}

static void align_argument(Reader *r, LLVMValueRef call, unsigned index, unsigned alignment) {
  static const char name[] = "align";
  LLVMAddCallSiteAttribute(call, index + 1, LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName(name, sizeof name - 1), alignment));
}

/* Pointer, mask, what lanes that are off give. */
static LLVMValueRef read_masked_load(Reader *r, const char *name) {
  LLVMValueRef v[3];
  want(r, " ");
  take_operands(r, 3, v);
  want(r, " ");
  unsigned alignment = take_alignment(r, " : i32} : ");
  LLVMTypeRef types[MOST_ARGS], overloads[2];
  if (take_types(r, types) != 3) give_up(r);
  overloads[0] = take_result(r), overloads[1] = types[0];
  LLVMValueRef call = call_intrinsic(r, name, overloads, 2, v, 3);
  align_argument(r, call, 0, alignment);
  return call;
}

/* Value, pointer, mask. */
static void read_masked_store(Reader *r, const char *name) {
  LLVMValueRef v[3];
  want(r, " ");
  take_operands(r, 3, v);
  want(r, " ");
  unsigned alignment = take_alignment(r, " : i32} : ");
  LLVMTypeRef overloads[2] = {take_type(r)};
  want(r, ", ");
  take_type(r);
  want(r, " into ");
  overloads[1] = take_type(r);
  align_argument(r, call_intrinsic(r, name, overloads, 2, v, 3), 1, alignment);
}

/* "llvm.intr.NAME(%1, %2) : (T, T) -> T", all of one type. */
static LLVMValueRef read_intrinsic(Reader *r, TccStr word) {
  static const char *const known[] = {"fma", "sqrt", "fabs", "copysign", "floor", "ceil", "trunc", "rint", "roundeven", "maxnum", "minnum", "maximum", "minimum", "smax", "smin", "umax", "umin"};
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++) is_known = tcc_str_is((TccStr){word.data + 5, word.length - 5}, known[i]);
  if (!is_known) give_up(r);
  LLVMValueRef v[MOST_ARGS];
  LLVMTypeRef types[MOST_ARGS];
  int n = take_arguments(r, v);
  want(r, " : ");
  if (take_types(r, types) != n) give_up(r);
  LLVMTypeRef type = take_result(r);
  const char *name = tcc_arena_printf(r->arena, "llvm.%.*s", (int)word.length - 5, word.data + 5);
  return call_intrinsic(r, name, &type, 1, v, n);
}

/* "llvm.call_intrinsic "llvm.x86. ..."(%1) : (T) -> T" */
static LLVMValueRef read_call_intrinsic(Reader *r) {
  LLVMValueRef v[MOST_ARGS];
  LLVMTypeRef types[MOST_ARGS];
  want(r, " \"");
  const char *name = copy(r, take_word(r));
  want(r, "\"");
  int n = take_arguments(r, v);
  want(r, " : ");
  if (take_types(r, types) != n) give_up(r);
  take_result(r);
  return call_intrinsic(r, name, NULL, 0, v, n);
}

static void read_prefetch(Reader *r) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(r->context);
  LLVMValueRef v[4];
  want(r, "(");
  v[0] = take_value(r);
  want(r, ") {cache = ");
  v[3] = LLVMConstInt(i32, (unsigned)take_number(r), false);
  want(r, " : i32, hint = ");
  v[2] = LLVMConstInt(i32, (unsigned)take_number(r), false);
  want(r, " : i32, rw = ");
  v[1] = LLVMConstInt(i32, (unsigned)take_number(r), false);
  want(r, " : i32} : (!llvm.ptr) -> ()");
  LLVMTypeRef pointer = LLVMPointerTypeInContext(r->context, 0);
  call_intrinsic(r, "llvm.prefetch", &pointer, 1, v, 4);
}

static LLVMValueRef read_call(Reader *r) {
  LLVMValueRef v[MOST_ARGS], callee;
  LLVMTypeRef types[MOST_ARGS];
  want(r, " ");
  bool named = next_is(r, "@");
  callee = named ? take_symbol(r) : take_value(r);
  int n = take_arguments(r, v);
  want(r, named ? " : " : " : !llvm.ptr, ");
  if (take_types(r, types) != n) give_up(r);
  for (int i = 0; i < n; i++) same_type(r, v[i], types[i]);
  LLVMTypeRef type = LLVMFunctionType(take_result(r), types, (unsigned)n, false);
  if (named && (!LLVMIsAFunction(callee) || LLVMGlobalGetValueType(callee) != type)) give_up(r);
  return LLVMBuildCall2(r->builder, type, callee, v, (unsigned)n, "");
}

static LLVMValueRef read_gep(Reader *r) {
  want(r, " ");
  LLVMValueRef p = take_value(r), index;
  want(r, "[");
  if (next_is(r, "%")) index = take_value(r);
  else index = LLVMConstInt(LLVMInt32TypeInContext(r->context), (unsigned long long)take_integer(r), true);
  want(r, "] : ");
  LLVMTypeRef types[MOST_ARGS];
  take_types(r, types);
  take_result(r);
  want(r, ", ");
  return LLVMBuildGEP2(r->builder, take_type(r), p, &index, 1, "");
}

static LLVMValueRef read_shuffle(Reader *r) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(r->context);
  LLVMValueRef v[2], mask[256];
  unsigned n = 0;
  want(r, " ");
  take_operands(r, 2, v);
  want(r, " [");
  do mask[n++] = LLVMConstInt(i32, (unsigned)take_number(r), false);
  while (n < 256 && take(r, ", "));
  want(r, "] : ");
  LLVMTypeRef type = take_type(r);
  same_type(r, v[0], type), same_type(r, v[1], type);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) give_up(r);
  return LLVMBuildShuffleVector(r->builder, v[0], v[1], LLVMConstVector(mask, n), "");
}

static LLVMValueRef read_element(Reader *r, bool insert) {
  LLVMValueRef v[2] = {0};
  want(r, " ");
  take_operands(r, insert ? 2 : 1, v);
  want(r, "[");
  LLVMValueRef index = take_value(r), vector = v[insert];
  want(r, " : i64] : ");
  same_type(r, vector, take_type(r));
  if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind) give_up(r);
  if (insert) same_type(r, v[0], LLVMGetElementType(LLVMTypeOf(vector)));
  return insert ? LLVMBuildInsertElement(r->builder, vector, v[0], index, "") : LLVMBuildExtractElement(r->builder, vector, index, "");
}

static LLVMValueRef read_alloca(Reader *r) {
  want(r, " ");
  LLVMValueRef size = take_value(r);
  want(r, " x ");
  LLVMTypeRef type = take_type(r);
  want(r, " ");
  unsigned alignment = take_alignment(r, " : i64} : (i64) -> !llvm.ptr");
  LLVMValueRef v = LLVMBuildArrayAlloca(r->builder, type, size, "");
  LLVMSetAlignment(v, alignment);
  return v;
}

static LLVMValueRef read_compare(Reader *r, bool integers) {
  static const struct { const char *name; int predicate; } of_integers[] = {
      {"slt", LLVMIntSLT}, {"eq", LLVMIntEQ}, {"ne", LLVMIntNE}, {"sle", LLVMIntSLE}, {"sgt", LLVMIntSGT}, {"sge", LLVMIntSGE},
      {"ult", LLVMIntULT}, {"ule", LLVMIntULE}, {"ugt", LLVMIntUGT}, {"uge", LLVMIntUGE}};
  static const struct { const char *name; int predicate; } of_floats[] = {
      {"olt", LLVMRealOLT}, {"oeq", LLVMRealOEQ}, {"une", LLVMRealUNE}, {"ole", LLVMRealOLE}, {"ogt", LLVMRealOGT}, {"oge", LLVMRealOGE}, {"uno", LLVMRealUNO},
      {"ord", LLVMRealORD}, {"one", LLVMRealONE}, {"ueq", LLVMRealUEQ}, {"ult", LLVMRealULT}, {"ule", LLVMRealULE}, {"ugt", LLVMRealUGT}, {"uge", LLVMRealUGE}};
  LLVMValueRef v[2];
  want(r, " \"");
  TccStr word = take_word(r);
  want(r, "\" ");
  take_operands(r, 2, v);
  want(r, " : ");
  LLVMTypeRef type = take_type(r);
  same_type(r, v[0], type), same_type(r, v[1], type);
  for (size_t i = 0; integers && i < sizeof of_integers / sizeof *of_integers; i++)
    if (tcc_str_is(word, of_integers[i].name)) return LLVMBuildICmp(r->builder, (LLVMIntPredicate)of_integers[i].predicate, v[0], v[1], "");
  for (size_t i = 0; !integers && i < sizeof of_floats / sizeof *of_floats; i++)
    if (tcc_str_is(word, of_floats[i].name)) return LLVMBuildFCmp(r->builder, (LLVMRealPredicate)of_floats[i].predicate, v[0], v[1], "");
  give_up(r);
}

static LLVMValueRef read_select(Reader *r) {
  LLVMValueRef v[3];
  want(r, " ");
  take_operands(r, 3, v);
  want(r, " : ");
  same_type(r, v[0], take_type(r));
  want(r, ", ");
  LLVMTypeRef type = take_type(r);
  same_type(r, v[1], type), same_type(r, v[2], type);
  return LLVMBuildSelect(r->builder, v[0], v[1], v[2], "");
}

/* Two operands of one type, or a conversion; NULL if it is neither. */
static LLVMValueRef read_arithmetic(Reader *r, TccStr word) {
  static const struct { const char *name; LLVMOpcode opcode; } of_two[] = {
      {"add", LLVMAdd}, {"mul", LLVMMul}, {"sub", LLVMSub}, {"fadd", LLVMFAdd}, {"fmul", LLVMFMul}, {"fsub", LLVMFSub}, {"fdiv", LLVMFDiv}, {"udiv", LLVMUDiv}, {"urem", LLVMURem},
      {"sdiv", LLVMSDiv}, {"srem", LLVMSRem}, {"and", LLVMAnd}, {"or", LLVMOr}, {"xor", LLVMXor}, {"shl", LLVMShl}, {"lshr", LLVMLShr}, {"ashr", LLVMAShr}, {"frem", LLVMFRem}};
  static const struct { const char *name; LLVMOpcode opcode; } of_one[] = {
      {"trunc", LLVMTrunc}, {"zext", LLVMZExt}, {"sext", LLVMSExt}, {"bitcast", LLVMBitCast}, {"sitofp", LLVMSIToFP}, {"fptosi", LLVMFPToSI}, {"fpext", LLVMFPExt}, {"fptrunc", LLVMFPTrunc},
      {"uitofp", LLVMUIToFP}, {"fptoui", LLVMFPToUI}};
  LLVMValueRef v[2];
  for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
    if (tcc_str_is(word, of_two[i].name)) {
      want(r, " ");
      take_operands(r, 2, v);
      bool contract = take(r, " {fastmathFlags = #llvm.fastmath<contract>}");
      want(r, " : ");
      LLVMTypeRef type = take_type(r);
      same_type(r, v[0], type), same_type(r, v[1], type);
      LLVMValueRef result = LLVMBuildBinOp(r->builder, of_two[i].opcode, v[0], v[1], "");
      if (contract && LLVMIsAInstruction(result)) LLVMSetFastMathFlags(result, LLVMFastMathAllowContract);
      return result;
    }
  for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
    if (tcc_str_is(word, of_one[i].name)) {
      want(r, " ");
      v[0] = take_value(r);
      want(r, " : ");
      same_type(r, v[0], take_type(r));
      want(r, " to ");
      return LLVMBuildCast(r->builder, of_one[i].opcode, v[0], take_type(r), "");
    }
  return NULL;
}

/* The op behind "llvm."; its value, or NULL. */
static LLVMValueRef read_op(Reader *r) {
  if (take(r, "mlir.")) {
    if (take(r, "constant(")) return take_constant(r);
    if (take(r, "addressof ")) {
      LLVMValueRef v = take_symbol(r);
      want(r, " : !llvm.ptr");
      return v;
    }
    bool zero = take(r, "zero");
    if (!zero) want(r, "poison");
    want(r, " : ");
    LLVMTypeRef type = take_type(r);
    return zero ? LLVMConstNull(type) : LLVMGetPoison(type);
  }
  TccStr word = take_word(r);
  LLVMValueRef v = read_arithmetic(r, word);
  if (v) return v;
  if (tcc_str_is(word, "getelementptr")) return read_gep(r);
  if (tcc_str_is(word, "load")) return read_load(r);
  if (tcc_str_is(word, "icmp") || tcc_str_is(word, "fcmp")) return read_compare(r, word.data[0] == 'i');
  if (tcc_str_is(word, "select")) return read_select(r);
  if (tcc_str_is(word, "shufflevector")) return read_shuffle(r);
  if (tcc_str_is(word, "insertelement") || tcc_str_is(word, "extractelement")) return read_element(r, word.data[0] == 'i');
  if (tcc_str_is(word, "call")) return read_call(r);
  if (tcc_str_is(word, "call_intrinsic")) return read_call_intrinsic(r);
  if (tcc_str_is(word, "alloca")) return read_alloca(r);
  if (tcc_str_is(word, "intr.masked.load")) return read_masked_load(r, "llvm.masked.load");
  if (tcc_str_is(word, "intr.masked.gather")) return read_masked_load(r, "llvm.masked.gather");
  if (word.length > 5 && memcmp(word.data, "intr.", 5) == 0 && next_is(r, "(")) return read_intrinsic(r, word);
  if (tcc_str_is(word, "store")) read_store(r);
  else if (tcc_str_is(word, "intr.masked.store")) read_masked_store(r, "llvm.masked.store");
  else if (tcc_str_is(word, "intr.masked.scatter")) read_masked_store(r, "llvm.masked.scatter");
  else if (tcc_str_is(word, "br")) {
    want(r, " ");
    LLVMBuildBr(r->builder, take_target(r));
  } else if (tcc_str_is(word, "cond_br")) {
    want(r, " ");
    LLVMValueRef condition = take_value(r);
    want(r, ", ");
    LLVMBasicBlockRef then = take_target(r);
    want(r, ", ");
    LLVMBuildCondBr(r->builder, condition, then, take_target(r));
  } else if (tcc_str_is(word, "return")) {
    if (!take(r, " ")) return LLVMBuildRetVoid(r->builder), NULL;
    LLVMValueRef given = take_value(r);
    want(r, " : ");
    same_type(r, given, take_type(r));
    LLVMBuildRet(r->builder, given);
  } else {
    give_up(r);
  }
  return NULL;
}

/* A line of a body; false for its end. */
static bool read_line(Reader *r) {
  int number = -1;
  if (take(r, "}\n")) return false;
  if (take(r, "^b")) {
    read_label(r);
  } else {
    if (take(r, "%")) {
      number = take_number(r);
      want(r, " = ");
    }
    if (take(r, "\"llvm.intr.prefetch\"")) {
      read_prefetch(r);
    } else {
      want(r, "llvm.");
      LLVMValueRef v = read_op(r);
      if (number >= 0 && !v) give_up(r);
      if (number >= 0) {
        size_t at = place(r, number);
        r->value[at] = v;
      }
    }
  }
  want(r, "\n");
  return true;
}

/* ---- symbols ---- */

static void add_attribute(Reader *r, LLVMValueRef function, TccStr name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name.data, name.length);
  LLVMAttributeRef attribute = kind ? LLVMCreateEnumAttribute(r->context, kind, 0) : LLVMCreateStringAttribute(r->context, name.data, (unsigned)name.length, "", 0);
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* A text's own name may be another's too; what is seen from outside is one in all texts. */
static LLVMValueRef declare(Reader *r, TccStr name, bool internal, bool hidden, LLVMTypeRef type) {
  const char *spelled = copy(r, name);
  bool function = LLVMGetTypeKind(type) == LLVMFunctionTypeKind, first;
  LLVMValueRef v = internal ? NULL : function ? LLVMGetNamedFunction(r->module, spelled) : LLVMGetNamedGlobal(r->module, spelled);
  if (v && LLVMGlobalGetValueType(v) != type) give_up(r);
  if (!v) v = function ? LLVMAddFunction(r->module, spelled, type) : LLVMAddGlobal(r->module, type, spelled);
  if (hidden) LLVMSetVisibility(v, LLVMHiddenVisibility);
  if (internal) LLVMSetLinkage(v, LLVMInternalLinkage);
  tcc_map_put(r->symbols, name, &first)->pointer = v;
  if (!first) give_up(r);
  return v;
}

/* "hidden @f(%1: T, ...) -> T attributes {passthrough = ["nounwind"]} {" or without a body: declares, or (`values`) finds again and takes
 * its arguments. True if a body follows. */
static bool read_signature(Reader *r, bool values) {
  LLVMTypeRef types[MOST_ARGS], result = LLVMVoidTypeInContext(r->context);
  int numbers[MOST_ARGS], n = 0;
  bool noalias[MOST_ARGS] = {0}, internal = take(r, "internal "), hidden = !internal && take(r, "hidden ");
  want(r, "@");
  TccStr name = take_word(r);
  want(r, "(");
  while (!take(r, ")")) {
    if (n == MOST_ARGS || (n && !take(r, ", "))) give_up(r);
    want(r, "%");
    numbers[n] = take_number(r);
    want(r, ": ");
    types[n] = take_type(r);
    noalias[n++] = take(r, " {llvm.noalias}");
  }
  if (take(r, " -> ")) result = take_type(r);
  if (values) r->function = tcc_map_find(r->symbols, name)->pointer;
  else r->function = declare(r, name, internal, hidden, LLVMFunctionType(result, types, (unsigned)n, false));
  static const char alias[] = "noalias";
  for (int i = 0; !values && i < n; i++)
    if (noalias[i]) LLVMAddAttributeAtIndex(r->function, (LLVMAttributeIndex)i + 1, LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName(alias, sizeof alias - 1), 0));
  for (int i = 0; values && i < n; i++) {
    size_t at = place(r, numbers[i]);
    r->value[at] = LLVMGetParam(r->function, (unsigned)i);
  }
  if (take(r, " attributes {passthrough = [\"")) {
    do {
      TccStr word = take_word(r);
      if (!values) add_attribute(r, r->function, word);
      want(r, "\"");
    } while (take(r, ", \""));
    want(r, "]}");
  }
  bool body = take(r, " {");
  want(r, "\n");
  return body;
}

/* "hidden constant @name("\00 ...") {addr_space = 0 : i32, alignment = 64 : i64, section = "..."} : !llvm.array<N x i8>" */
static void read_global(Reader *r) {
  bool internal = take(r, "internal "), hidden = !internal && take(r, "hidden ");
  want(r, "constant @");
  TccStr name = take_word(r);
  const char *section = NULL;
  want(r, "(");
  char *bytes = NULL;
  size_t length = 0;
  if (take(r, "\"")) {
    bytes = tcc_arena_alloc(r->arena, (size_t)(r->end - r->at) / 3 + 1);
    for (; r->end - r->at > 3 && *r->at == '\\'; r->at += 3) {
      int high = r->at[1], low = r->at[2];
      bytes[length++] = (char)((high <= '9' ? high - '0' : high - 'A' + 10) << 4 | (low <= '9' ? low - '0' : low - 'A' + 10));
    }
    want(r, "\"");
  }
  want(r, ") {addr_space = 0 : i32, alignment = ");
  int alignment = take_number(r);
  want(r, " : i64");
  if (take(r, ", section = \"")) {
    section = copy(r, take_word(r));
    want(r, "\"");
  }
  want(r, "} : !llvm.array<");
  int64_t size = take_integer(r);
  want(r, " x i8>\n");
  if (bytes && (size_t)size != length) give_up(r);
  LLVMValueRef global = declare(r, name, internal, hidden, LLVMArrayType2(LLVMInt8TypeInContext(r->context), (uint64_t)size));
  LLVMSetGlobalConstant(global, true);
  if (bytes) LLVMSetInitializer(global, LLVMConstStringInContext2(r->context, bytes, length, true));
  LLVMSetAlignment(global, (unsigned)alignment);
  if (section) LLVMSetSection(global, section);
}

static void skip_body(Reader *r) {
  static const char close[] = "\n}\n";
  const char *at = memmem(r->at - 1, (size_t)(r->end - r->at) + 1, close, sizeof close - 1);
  if (!at) give_up(r);
  r->at = at + sizeof close - 1;
}

static void read_module(Reader *r, bool bodies) {
  while (r->at < r->end) {
    if (take(r, "\n")) continue;
    if (take(r, "llvm.mlir.global ")) {
      if (!bodies) {
        read_global(r);
      } else {
        r->at = memchr(r->at, '\n', (size_t)(r->end - r->at)); /* the first walk has seen it */
      }
      continue;
    }
    want(r, "llvm.func ");
    if (!read_signature(r, bodies)) continue;
    if (!bodies) {
      skip_body(r);
      continue;
    }
    if (LLVMCountBasicBlocks(r->function)) give_up(r);
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, r->function, ""));
    while (read_line(r)) {}
    finish_body(r);
  }
}

bool tcc_llvm_read(TccStr text, LLVMModuleRef module) {
  if (text.length == 0 || text.data[text.length - 1] != '\n') return false;
  TccArena *arena = tcc_arena_create();
  Reader *r = TCC_NEW(arena, Reader);
  *r = (Reader){.arena = arena, .context = LLVMGetModuleContext(module), .module = module, .symbols = tcc_map_create(arena), .end = text.data + text.length};
  r->builder = LLVMCreateBuilderInContext(r->context);
  volatile bool known = false;
  if (!setjmp(r->unknown)) {
    place(r, 0);
    for (int bodies = 0; bodies < 2; bodies++) {
      r->at = text.data;
      read_module(r, bodies);
    }
    known = true;
  }
  LLVMDisposeBuilder(r->builder);
  tcc_arena_destroy(arena);
  return known;
}
