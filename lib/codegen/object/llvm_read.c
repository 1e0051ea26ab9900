/* llvm_read.c - a quick reader for the part of the LLVM dialect that emit.c writes. See llvm_read.h.
 *
 * Parsing, verifying and translating a kernel by MLIR is a fifth of its compilation. The emitters' text is of a simple form: an
 * op a line, values and blocks by number, each value written before it is used; so each line becomes a call of LLVM's builder.
 * Two walks: functions and constants are declared, then bodies are read. Arguments of a block are phis, made when the block is
 * first seen, be it as a branch's target. Nothing is taken for granted: what does not fit ends the attempt. What is built is what
 * MLIR's translation builds (test/unit/codegen/llvm_read.c compares). Rare ops are left to MLIR. */
#include "lib/codegen/object/llvm_read.h"
#include "lib/codegen/object/llvm_read_words.h"

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

LLVMBasicBlockRef llvm_read_target(Reader *r) {
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
  if (take(r, "(")) do {
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
      for (int k = 0; k < r->block[i].nphis; k++)
        LLVMAddIncoming(r->block[i].phi[k], &edge->values[k], (LLVMBasicBlockRef[]){edge->from}, 1);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(r->function); b; b = LLVMGetNextBasicBlock(b))
    if (!LLVMGetBasicBlockTerminator(b)) give_up(r);
  memset(r->value, 0, r->count * sizeof *r->value);
  memset(r->block, 0, r->count * sizeof *r->block);
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
    LLVMValueRef v = llvm_read_op(r);
    if (number >= 0) {
      if (!v) give_up(r);
      size_t at = place(r, number);
      r->value[at] = v;
    }
  }
  want(r, "\n");
  return true;
}

/* ---- symbols ---- */

static void add_attribute(Reader *r, LLVMValueRef function, TccStr name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name.data, name.length);
  LLVMAttributeRef attribute = kind ? LLVMCreateEnumAttribute(r->context, kind, 0)
                                    : LLVMCreateStringAttribute(r->context, name.data, (unsigned)name.length, "", 0);
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
    if (noalias[i])
      LLVMAddAttributeAtIndex(r->function, (LLVMAttributeIndex)i + 1,
                              LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName(alias, sizeof alias - 1), 0));
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
  *r = (Reader){.arena = arena,
                .context = LLVMGetModuleContext(module),
                .module = module,
                .symbols = tcc_map_create(arena),
                .end = text.data + text.length};
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
