/* llvm_build.c - items of a list to LLVM: symbols, functions, blocks. See llvm_build.h.
 *
 * Two walks: functions and constants are declared, then bodies are built. Arguments of a block are phis, made when the block is
 * first seen, be it as a branch's target; the order of blocks, phis and their values is that of MLIR's translation. */
#include "lib/codegen/object/llvm_build_internal.h"
#include <assert.h>
#include <stdlib.h>

/* ---- types ---- */

static LLVMTypeRef read_type(Build *b, const char *spelled, const char *end);

/* "!llvm.struct<(T, U)>", what intrinsics give; scalars in it. */
static LLVMTypeRef read_struct(Build *b, const char *spelled) {
  LLVMTypeRef types[BUILD_STRUCT];
  unsigned n = 0;
  for (const char *at = strchr(spelled, '(') + 1, *end; *at != '>'; at = end + strspn(end, ", )")) {
    assert(n < BUILD_STRUCT);
    end = at + strcspn(at, ",)");
    types[n++] = read_type(b, at, end);
  }
  return LLVMStructTypeInContext(b->context, types, n, false);
}

static LLVMTypeRef read_type(Build *b, const char *spelled, const char *end) {
  LLVMContextRef c = b->context;
  static const struct {
    const char *name;
    LLVMTypeRef (*get)(LLVMContextRef);
  } floats[] = {{"f32", LLVMFloatTypeInContext},
                {"f64", LLVMDoubleTypeInContext},
                {"f16", LLVMHalfTypeInContext},
                {"bf16", LLVMBFloatTypeInContext}};
  TccStr word = {spelled, (size_t)(end - spelled)};
  if (tcc_str_starts(word, "vector<"))
    return LLVMVectorType(read_type(b, strchr(spelled, 'x') + 1, end - 1), (unsigned)tcc_llvm_lanes(spelled));
  if (tcc_str_starts(word, "!llvm.struct<(")) return read_struct(b, spelled);
  if (tcc_str_is(word, "!llvm.ptr<1>")) return LLVMPointerTypeInContext(c, TCC_LLVM_GLOBAL_SPACE);
  if (tcc_str_is(word, "!llvm.ptr<3>")) return LLVMPointerTypeInContext(c, TCC_LLVM_SHARED_SPACE);
  if (tcc_str_starts(word, "!llvm.ptr")) return LLVMPointerTypeInContext(c, 0); /* a parameter's has attributes behind it */
  if (*spelled == 'i') return LLVMIntTypeInContext(c, (unsigned)atoi(spelled + 1));
  size_t i = 0;
  while (i + 1 < sizeof floats / sizeof *floats && !tcc_str_is(word, floats[i].name)) i++;
  assert(tcc_str_is(word, floats[i].name)); /* emitters write no others */
  return floats[i].get(c);
}

LLVMTypeRef llvm_build_type(Build *b, const char *spelled) {
  if (!spelled) return LLVMVoidTypeInContext(b->context);
  size_t slot = ((uintptr_t)spelled >> 4 ^ (uintptr_t)spelled >> 10) % BUILD_TYPES;
  if (b->types[slot].spelled != spelled) {
    b->types[slot].type = read_type(b, spelled, spelled + strlen(spelled));
    b->types[slot].spelled = spelled;
  }
  return b->types[slot].type;
}

/* ---- blocks ---- */

/* Block `number`, whose n arguments have the types of these values, or those that are spelled. */
static BuildBlock *block_of(Build *b, int32_t number, int n, const int32_t *values, const char *const *types) {
  BuildBlock *block = &b->block[number];
  if (block->block) {
    assert(block->nphis == n);
    return block;
  }
  block->block = LLVMAppendBasicBlockInContext(b->context, b->function, "");
  block->nphis = n, block->phi = TCC_NEW_ARRAY(b->arena, LLVMValueRef, n + 1);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(b->builder);
  LLVMPositionBuilderAtEnd(b->builder, block->block);
  for (int i = 0; i < n; i++)
    block->phi[i] = LLVMBuildPhi(b->builder, types ? llvm_build_type(b, types[i]) : LLVMTypeOf(b->value[values[i]]), "");
  LLVMPositionBuilderAtEnd(b->builder, here);
  return block;
}

LLVMBasicBlockRef llvm_build_target(Build *b, int32_t number, int n, const int32_t *values) {
  BuildBlock *block = block_of(b, number, n, values, NULL);
  if (n == 0) return block->block;
  BuildEdge *edge = TCC_NEW(b->arena, BuildEdge);
  *edge = (BuildEdge){block->edges, LLVMGetInsertBlock(b->builder), TCC_NEW_ARRAY(b->arena, LLVMValueRef, n)};
  for (int i = 0; i < n; i++) edge->values[i] = b->value[values[i]];
  block->edges = edge;
  return block->block;
}

/* What follows goes there. */
static void begin_block(Build *b, const TccLlvmInst *label) {
  BuildBlock *block = block_of(b, label->v[0], label->n, NULL, label->types);
  LLVMBasicBlockRef last = LLVMGetLastBasicBlock(b->function);
  if (last != block->block) LLVMMoveBasicBlockAfter(block->block, last);
  LLVMPositionBuilderAtEnd(b->builder, block->block);
  for (int i = 0; i < label->n; i++) b->value[label->list[i]] = block->phi[i];
}

/* Phis get their values, the block that was built last first, as MLIR does it. */
static void finish_body(Build *b, int32_t numbers) {
  for (int32_t i = 0; i < numbers; i++)
    for (const BuildEdge *edge = b->block[i].edges; edge; edge = edge->next)
      for (int k = 0; k < b->block[i].nphis; k++)
        LLVMAddIncoming(b->block[i].phi[k], &edge->values[k], (LLVMBasicBlockRef[]){edge->from}, 1);
}

static void build_body(Build *b, const TccLlvmItem *item) {
  b->function = tcc_map_find(b->symbols, tcc_str(item->symbol))->pointer;
  b->value = TCC_NEW_ARRAY(b->arena, LLVMValueRef, item->numbers);
  b->block = TCC_NEW_ARRAY(b->arena, BuildBlock, item->numbers);
  for (int i = 0; i < item->nparams; i++) b->value[i + 1] = LLVMGetParam(b->function, (unsigned)i);
  LLVMPositionBuilderAtEnd(b->builder, LLVMAppendBasicBlockInContext(b->context, b->function, ""));
  for (size_t i = 0; i < item->ninsts; i++) {
    const TccLlvmInst *inst = &item->insts[i];
    if (inst->op == TCC_LLVM_LABEL) {
      begin_block(b, inst);
    } else {
      LLVMValueRef v = llvm_build_op(b, inst);
      if (inst->result) b->value[inst->result] = v;
    }
  }
  finish_body(b, item->numbers);
}

/* ---- symbols ---- */

static LLVMAttributeRef attribute(Build *b, const char *name) {
  size_t length = strlen(name);
  unsigned kind = LLVMGetEnumAttributeKindForName(name, length);
  return kind ? LLVMCreateEnumAttribute(b->context, kind, 0) : LLVMCreateStringAttribute(b->context, name, (unsigned)length, "", 0);
}

static void add_attributes(Build *b, LLVMValueRef function, TccLlvmRole role) {
  static const char *const roles[][4] = {[TCC_LLVM_ENTRY] = {"nounwind"},
                                         [TCC_LLVM_NEST] = {"noinline", "nounwind", "stackrealign"},
                                         [TCC_LLVM_OPTNONE] = {"noinline", "optnone", "nounwind"},
                                         [TCC_LLVM_GPU_KERNEL] = {"nounwind"}};
  enum { PTX_KERNEL = 71 }; /* llvm/IR/CallingConv.h */
  for (int i = 0; i < 4 && roles[role][i]; i++)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute(b, roles[role][i]));
  if (role == TCC_LLVM_GPU_KERNEL) LLVMSetFunctionCallConv(function, PTX_KERNEL);
}

static void add_string(Build *b, LLVMValueRef function, const char *name, const char *text) {
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(b->context, name, (unsigned)strlen(name), text, (unsigned)strlen(text)));
}

/* One block on a multiprocessor is enough: ptxas takes the registers that a kernel needs, and does not spill to have room for more. */
static void add_block(Build *b, LLVMValueRef function, const uint32_t *block) {
  char text[48];
  snprintf(text, sizeof text, "%u,%u,%u", block[0], block[1], block[2]);
  add_string(b, function, "nvvm.maxntid", text);
  add_string(b, function, "nvvm.minctasm", "1");
}

static LLVMAttributeRef byval_attribute(Build *b, unsigned bytes) {
  return LLVMCreateTypeAttribute(b->context, LLVMGetEnumAttributeKindForName("byval", 5),
                                 LLVMArrayType2(LLVMInt8TypeInContext(b->context), bytes));
}

/* What may stand behind a pointer (emit.h): "{llvm.noalias, llvm.readonly}", "llvm.align = N", and "llvm.byval = !llvm.array<N x i8>,
 * nvvm.grid_constant". */
static void add_parameter_attributes(Build *b, LLVMValueRef function, unsigned index, const char *param) {
  static const char *const names[] = {"noalias", "readonly", "nvvm.grid_constant"};
  const char *at = strchr(param, '{'), *number;
  for (size_t i = 0; at && i < sizeof names / sizeof *names; i++)
    if (strstr(at, names[i])) LLVMAddAttributeAtIndex(function, index, attribute(b, names[i]));
  if (at && (number = strstr(at, "llvm.align = ")))
    LLVMAddAttributeAtIndex(function, index,
                            LLVMCreateEnumAttribute(b->context, LLVMGetEnumAttributeKindForName("align", 5),
                                                    strtoul(number + strlen("llvm.align = "), NULL, 10)));
  if (at && (number = strstr(at, "llvm.byval = !llvm.array<")))
    LLVMAddAttributeAtIndex(function, index,
                            byval_attribute(b, (unsigned)strtoul(number + strlen("llvm.byval = !llvm.array<"), NULL, 10)));
}

/* A list's own name may be another's too; what is seen from outside is one in all. */
static LLVMValueRef declare(Build *b, const TccLlvmItem *item, LLVMTypeRef type) {
  bool function = item->kind == TCC_LLVM_FUNCTION, internal = item->linkage == TCC_LLVM_INTERNAL;
  LLVMValueRef v = internal   ? NULL
                   : function ? LLVMGetNamedFunction(b->module, item->symbol)
                              : LLVMGetNamedGlobal(b->module, item->symbol);
  if (!v && function) v = LLVMAddFunction(b->module, item->symbol, type);
  else if (!v && item->kind == TCC_LLVM_SHARED)
    v = LLVMAddGlobalInAddressSpace(b->module, type, item->symbol, TCC_LLVM_SHARED_SPACE);
  else if (!v) v = LLVMAddGlobal(b->module, type, item->symbol);
  assert(LLVMGlobalGetValueType(v) == type);
  if (item->linkage == TCC_LLVM_HIDDEN) LLVMSetVisibility(v, LLVMHiddenVisibility);
  if (internal) LLVMSetLinkage(v, LLVMInternalLinkage);
  tcc_map_put(b->symbols, tcc_str(item->symbol), NULL)->pointer = v;
  return v;
}

static void declare_function(Build *b, const TccLlvmItem *item) {
  LLVMTypeRef types[BUILD_ARGS];
  assert(item->nparams <= BUILD_ARGS);
  for (int i = 0; i < item->nparams; i++) types[i] = llvm_build_type(b, item->params[i]);
  LLVMValueRef f = declare(b, item, LLVMFunctionType(llvm_build_type(b, item->result), types, (unsigned)item->nparams, false));
  for (int i = 0; i < item->nparams; i++) add_parameter_attributes(b, f, (unsigned)i + 1, item->params[i]);
  add_attributes(b, f, item->role);
  if (item->role == TCC_LLVM_GPU_KERNEL) add_block(b, f, item->block);
}

static void declare_global(Build *b, const TccLlvmItem *item, bool declared) {
  bool shared = item->kind == TCC_LLVM_SHARED;
  LLVMTypeRef elem = shared ? llvm_build_type(b, item->elem) : LLVMInt8TypeInContext(b->context),
              type = LLVMArrayType2(elem, shared ? item->count : item->bytes.length);
  LLVMValueRef global = declare(b, item, type);
  LLVMSetGlobalConstant(global, !shared);
  if (shared && item->count) LLVMSetInitializer(global, LLVMGetUndef(type));
  else if (!shared && !declared)
    LLVMSetInitializer(global, LLVMConstStringInContext2(b->context, item->bytes.data, item->bytes.length, true));
  LLVMSetAlignment(global, shared ? item->alignment : TCC_LLVM_ALIGNMENT);
  if (item->kind == TCC_LLVM_CODE) LLVMSetSection(global, TCC_CODE_SECTION);
}

void tcc_llvm_build(const TccLlvmModule *module, LLVMModuleRef out) {
  TccArena *arena = tcc_arena_create();
  Build *b = TCC_NEW(arena, Build);
  *b = (Build){.arena = arena, .context = LLVMGetModuleContext(out), .module = out, .symbols = tcc_map_create(arena)};
  b->builder = LLVMCreateBuilderInContext(b->context);
  const TccLlvmEntry *items = module->items.data;
  for (size_t i = 0; i < module->items.count; i++) {
    if (items[i].item->kind == TCC_LLVM_FUNCTION) declare_function(b, items[i].item);
    else declare_global(b, items[i].item, items[i].declared);
  }
  for (size_t i = 0; i < module->items.count; i++)
    if (items[i].item->kind == TCC_LLVM_FUNCTION && !items[i].declared) build_body(b, items[i].item);
  LLVMDisposeBuilder(b->builder);
  tcc_arena_destroy(arena);
}
