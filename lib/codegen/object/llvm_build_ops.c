/* llvm_build_ops.c - each op of a list becomes a call of LLVM's builder. See llvm_build.h. */
#include "lib/codegen/object/llvm_build_internal.h"
#include <assert.h>

static const int numbers[] = {
#define TCC_LLVM_OP(name, word, form, number) number,
#include "lib/codegen/emit/llvm_ops.def"
#undef TCC_LLVM_OP
};

static LLVMTypeRef i32(Build *b) { return LLVMInt32TypeInContext(b->context); }

/* ---- constants ---- */

static unsigned bits_of(LLVMTypeRef elem) {
  switch (LLVMGetTypeKind(elem)) {
  case LLVMDoubleTypeKind: return 64;
  case LLVMFloatTypeKind: return 32;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind: return 16;
  default: return LLVMGetIntTypeWidth(elem);
  }
}

/* Each lane of a vector, or the scalar itself. */
static LLVMValueRef splat(Build *b, const TccLlvmInst *inst, LLVMValueRef (*lane)(LLVMTypeRef, const TccLlvmInst *, unsigned)) {
  LLVMTypeRef type = llvm_build_type(b, inst->type);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return lane(type, inst, 0);
  LLVMValueRef v[BUILD_ARGS];
  unsigned lanes = LLVMGetVectorSize(type);
  assert(lanes <= BUILD_ARGS);
  for (unsigned i = 0; i < lanes; i++) v[i] = lane(LLVMGetElementType(type), inst, i);
  return LLVMConstVector(v, lanes);
}

static LLVMValueRef integer_lane(LLVMTypeRef type, const TccLlvmInst *inst, unsigned lane) {
  (void)lane;
  return LLVMConstInt(type, (unsigned long long)inst->number, true);
}

static LLVMValueRef iota_lane(LLVMTypeRef type, const TccLlvmInst *inst, unsigned lane) {
  (void)inst;
  return LLVMConstInt(type, lane, true);
}

static LLVMValueRef float_lane(LLVMTypeRef type, const TccLlvmInst *inst, unsigned lane) {
  (void)lane;
  LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(type), bits_of(type));
  return LLVMConstBitCast(LLVMConstInt(bits, (unsigned long long)inst->number, false), type);
}

/* The part of a vector's bytes that lane `i` of `bits` each has; lanes are integers or floats of whole bytes. */
static LLVMValueRef lane_of_bytes(const uint8_t *bytes, unsigned i, LLVMTypeRef type, unsigned bits) {
  uint64_t value = 0;
  memcpy(&value, bytes + i * (bits / 8), bits / 8); /* both machines are little-endian */
  return LLVMConstBitCast(LLVMConstInt(LLVMIntTypeInContext(LLVMGetTypeContext(type), bits), value, false), type);
}

/* LLVM's builder folds what needs no layout of memory. MLIR's folds more: here a constant vector that gets lanes of another width. */
static LLVMValueRef build_bitcast(Build *b, LLVMValueRef v, LLVMTypeRef type) {
  LLVMValueRef result = LLVMBuildBitCast(b->builder, v, type, ""), lanes[BUILD_ARGS];
  if (!LLVMIsAConstantExpr(result) || !LLVMIsAConstantDataVector(v) || LLVMGetTypeKind(type) != LLVMVectorTypeKind) return result;
  uint8_t bytes[BUILD_ARGS * 8];
  LLVMTypeRef from = LLVMGetElementType(LLVMTypeOf(v)), to = LLVMGetElementType(type);
  unsigned n = LLVMGetVectorSize(LLVMTypeOf(v)), bits = bits_of(from);
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef lane = LLVMConstBitCast(LLVMGetAggregateElement(v, i), LLVMIntTypeInContext(b->context, bits));
    uint64_t value = LLVMConstIntGetZExtValue(lane);
    memcpy(bytes + i * (bits / 8), &value, bits / 8);
  }
  n = n * bits / bits_of(to);
  for (unsigned i = 0; i < n; i++) lanes[i] = lane_of_bytes(bytes, i, to, bits_of(to));
  return LLVMConstVector(lanes, n);
}

/* And here an address inside of constant bytes. */
static LLVMValueRef build_gep_at(Build *b, const TccLlvmInst *inst, LLVMTypeRef elem, LLVMValueRef p) {
  if (LLVMIsAGlobalVariable(p) && LLVMGetTypeKind(elem) != LLVMPointerTypeKind) {
    unsigned lanes = LLVMGetTypeKind(elem) == LLVMVectorTypeKind ? LLVMGetVectorSize(elem) : 1;
    int64_t offset = inst->number * lanes * bits_of(lanes > 1 ? LLVMGetElementType(elem) : elem) / 8;
    if (offset >= 0 && (uint64_t)offset <= LLVMGetArrayLength2(LLVMGlobalGetValueType(p))) {
      LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(b->context), (uint64_t)offset, false);
      return LLVMConstGEPWithNoWrapFlags(LLVMInt8TypeInContext(b->context), p, &at, 1, LLVMGEPFlagInBounds | LLVMGEPFlagNUW);
    }
  }
  LLVMValueRef index = LLVMConstInt(i32(b), (unsigned long long)inst->number, true);
  return LLVMBuildGEP2(b->builder, elem, p, &index, 1, "");
}

/* ---- calls ---- */

static LLVMValueRef symbol_of(Build *b, const TccLlvmInst *inst) {
  return tcc_map_find(b->symbols, tcc_str(inst->symbol))->pointer;
}

static void operands(Build *b, const TccLlvmInst *inst, LLVMValueRef *out) {
  assert(inst->n <= BUILD_ARGS);
  for (int i = 0; i < inst->n; i++) out[i] = b->value[inst->list[i]];
}

/* key: an address that no other intrinsic has. */
static LLVMValueRef call_intrinsic(Build *b, const char *key, const char *name, LLVMTypeRef *overloads, size_t noverloads,
                                   LLVMValueRef *args, int n) {
  LLVMTypeRef first = noverloads ? overloads[0] : NULL, second = noverloads > 1 ? overloads[1] : NULL;
  size_t slot = ((uintptr_t)key >> 2 ^ (uintptr_t)first >> 5) % BUILD_CALLEES;
  if (b->callees[slot].key != key || b->callees[slot].overloads[0] != first || b->callees[slot].overloads[1] != second) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    assert(id && LLVMIntrinsicIsOverloaded(id) == (noverloads > 0));
    b->callees[slot].key = key, b->callees[slot].overloads[0] = first, b->callees[slot].overloads[1] = second;
    b->callees[slot].callee = LLVMGetIntrinsicDeclaration(b->module, id, overloads, noverloads);
    b->callees[slot].type = LLVMIntrinsicGetType(b->context, id, overloads, noverloads);
  }
  return LLVMBuildCall2(b->builder, b->callees[slot].type, b->callees[slot].callee, args, (unsigned)n, "");
}

/* All operands of one type; the row's word is "intr.NAME". */
static LLVMValueRef build_intrinsic(Build *b, const TccLlvmInst *inst) {
  static const char intr[] = "intr.";
  LLVMValueRef v[BUILD_ARGS];
  LLVMTypeRef type = llvm_build_type(b, inst->type);
  char name[40];
  snprintf(name, sizeof name, "llvm.%s", tcc_llvm_rows[inst->op].word + sizeof intr - 1);
  operands(b, inst, v);
  return call_intrinsic(b, tcc_llvm_rows[inst->op].word, name, &type, 1, v, inst->n);
}

static LLVMValueRef build_call(Build *b, const TccLlvmInst *inst, LLVMValueRef callee) {
  LLVMValueRef v[BUILD_ARGS];
  LLVMTypeRef types[BUILD_ARGS];
  operands(b, inst, v);
  for (int i = 0; i < inst->n; i++) types[i] = llvm_build_type(b, inst->types[i]);
  LLVMTypeRef type = LLVMFunctionType(llvm_build_type(b, inst->type), types, inst->n, false);
  return LLVMBuildCall2(b->builder, type, callee, v, inst->n, "");
}

static LLVMValueRef build_inline_asm(Build *b, const TccLlvmInst *inst) {
  LLVMTypeRef types[BUILD_ARGS];
  assert(inst->n <= BUILD_ARGS);
  for (int i = 0; i < inst->n; i++) types[i] = llvm_build_type(b, inst->types[i]);
  LLVMTypeRef type = LLVMFunctionType(llvm_build_type(b, inst->type), types, inst->n, false);
  return build_call(b, inst,
                    LLVMGetInlineAsm(type, inst->symbol, strlen(inst->symbol), inst->other, strlen(inst->other), true, false,
                                     LLVMInlineAsmDialectATT, false));
}

/* ---- vectors and memory ---- */

static LLVMValueRef build_shuffle(Build *b, const TccLlvmInst *inst, LLVMValueRef x, LLVMValueRef y) {
  LLVMValueRef mask[BUILD_ARGS];
  assert(inst->n <= BUILD_ARGS);
  for (int i = 0; i < inst->n; i++) mask[i] = LLVMConstInt(i32(b), (unsigned)inst->list[i], false);
  return LLVMBuildShuffleVector(b->builder, x, y, LLVMConstVector(mask, inst->n), "");
}

static LLVMValueRef aligned(LLVMValueRef access, const TccLlvmInst *inst) {
  if (inst->number) LLVMSetAlignment(access, (unsigned)inst->number);
  return access;
}

/* llvm.masked.*: the pointer's alignment is an attribute of the call. */
static LLVMValueRef build_masked(Build *b, const TccLlvmInst *inst, const char *name, int pointer, LLVMValueRef *v) {
  static const char align[] = "align";
  LLVMTypeRef overloads[2] = {llvm_build_type(b, inst->type), LLVMTypeOf(v[pointer])};
  LLVMValueRef call = call_intrinsic(b, name, name, overloads, 2, v, 3);
  LLVMAddCallSiteAttribute(
      call, (LLVMAttributeIndex)pointer + 1,
      LLVMCreateEnumAttribute(b->context, LLVMGetEnumAttributeKindForName(align, sizeof align - 1), (uint64_t)inst->number));
  return call;
}

static void build_prefetch(Build *b, const TccLlvmInst *inst, LLVMValueRef p) {
  LLVMValueRef v[4] = {p, LLVMConstInt(i32(b), inst->flag, false), LLVMConstInt(i32(b), (unsigned)inst->number, false),
                       LLVMConstInt(i32(b), 1, false)};
  LLVMTypeRef pointer = LLVMPointerTypeInContext(b->context, 0);
  call_intrinsic(b, tcc_llvm_rows[TCC_LLVM_PREFETCH].word, "llvm.prefetch", &pointer, 1, v, 4);
}

static LLVMValueRef build_insert_vector(Build *b, const TccLlvmInst *inst, LLVMValueRef part, LLVMValueRef whole) {
  LLVMValueRef args[3] = {whole, part, LLVMConstInt(LLVMInt64TypeInContext(b->context), (unsigned)inst->number, false)};
  LLVMTypeRef overloads[2] = {llvm_build_type(b, inst->type), llvm_build_type(b, inst->other)};
  return call_intrinsic(b, tcc_llvm_rows[TCC_LLVM_INSERT_VECTOR].word, "llvm.vector.insert", overloads, 2, args, 3);
}

/* ---- branches ---- */

/* !prof !{!"branch_weights", i32 1, i32 1048575} */
static void set_rare(Build *b, LLVMValueRef branch) {
  LLVMMetadataRef parts[] = {LLVMMDStringInContext2(b->context, "branch_weights", 14),
                             LLVMValueAsMetadata(LLVMConstInt(i32(b), 1, false)),
                             LLVMValueAsMetadata(LLVMConstInt(i32(b), 1048575, false))};
  LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(b->context, "prof", 4),
                  LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, parts, 3)));
}

static void build_cond_br(Build *b, const TccLlvmInst *inst, LLVMValueRef condition) {
  LLVMBasicBlockRef then = llvm_build_target(b, inst->v[1], inst->n, inst->list),
                    otherwise = llvm_build_target(b, inst->v[2], (int)inst->number, inst->list + inst->n);
  LLVMValueRef branch = LLVMBuildCondBr(b->builder, condition, then, otherwise);
  if (inst->flag) set_rare(b, branch);
}

/* ---- ops ---- */

LLVMValueRef llvm_build_op(Build *b, const TccLlvmInst *inst) {
  LLVMBuilderRef builder = b->builder;
  LLVMValueRef v[3] = {b->value[inst->v[0]], b->value[inst->v[1]], b->value[inst->v[2]]}; /* of operands that are values */
  int number = numbers[inst->op];
  LLVMTypeRef type = inst->type ? llvm_build_type(b, inst->type) : NULL;
  switch (tcc_llvm_rows[inst->op].form) {
  case TCC_FORM_INT: return splat(b, inst, integer_lane);
  case TCC_FORM_FLOAT: return splat(b, inst, float_lane);
  case TCC_FORM_IOTA: return splat(b, inst, iota_lane);
  case TCC_FORM_PLAIN: return inst->op == TCC_LLVM_ZERO ? LLVMConstNull(type) : LLVMGetPoison(type);
  case TCC_FORM_ADDRESS: return symbol_of(b, inst);
  case TCC_FORM_BINARY: return LLVMBuildBinOp(builder, (LLVMOpcode)number, v[0], v[1], "");
  case TCC_FORM_FLOAT_BINARY: {
    LLVMValueRef result = LLVMBuildBinOp(builder, (LLVMOpcode)number, v[0], v[1], "");
    if (LLVMIsAInstruction(result)) LLVMSetFastMathFlags(result, LLVMFastMathAllowContract);
    return result;
  }
  case TCC_FORM_CAST:
    if (inst->op == TCC_LLVM_BITCAST) return build_bitcast(b, v[0], type);
    return LLVMBuildCast(builder, (LLVMOpcode)number, v[0], type, "");
  case TCC_FORM_ICMP: return LLVMBuildICmp(builder, (LLVMIntPredicate)number, v[0], v[1], "");
  case TCC_FORM_FCMP: return LLVMBuildFCmp(builder, (LLVMRealPredicate)number, v[0], v[1], "");
  case TCC_FORM_SELECT: return LLVMBuildSelect(builder, v[0], v[1], v[2], "");
  case TCC_FORM_INTRINSIC: return build_intrinsic(b, inst);
  case TCC_FORM_CALL_INTRINSIC: {
    LLVMValueRef args[BUILD_ARGS];
    operands(b, inst, args);
    LLVMTypeRef overload = inst->n ? LLVMTypeOf(args[0]) : NULL;
    bool overloaded = LLVMIntrinsicIsOverloaded(LLVMLookupIntrinsicID(inst->symbol, strlen(inst->symbol)));
    return call_intrinsic(b, inst->symbol, inst->symbol, &overload, overloaded, args, inst->n);
  }
  case TCC_FORM_INLINE_ASM: return build_inline_asm(b, inst);
  case TCC_FORM_CALL: return build_call(b, inst, symbol_of(b, inst));
  case TCC_FORM_CALL_POINTER: return build_call(b, inst, v[0]);
  case TCC_FORM_INSERT: return LLVMBuildInsertElement(builder, v[1], v[0], v[2], "");
  case TCC_FORM_EXTRACT: return LLVMBuildExtractElement(builder, v[0], v[1], "");
  case TCC_FORM_EXTRACT_VALUE: return LLVMBuildExtractValue(builder, v[0], (unsigned)inst->number, "");
  case TCC_FORM_SHUFFLE: return build_shuffle(b, inst, v[0], v[1]);
  case TCC_FORM_INSERT_VECTOR: return build_insert_vector(b, inst, v[0], v[1]);
  case TCC_FORM_GEP: return LLVMBuildGEP2(builder, type, v[0], &v[1], 1, "");
  case TCC_FORM_GEP_AT: return build_gep_at(b, inst, type, v[0]);
  case TCC_FORM_LOAD: return aligned(LLVMBuildLoad2(builder, type, v[0], ""), inst);
  case TCC_FORM_STORE: return aligned(LLVMBuildStore(builder, v[0], v[1]), inst);
  case TCC_FORM_MASKED_LOAD:
    return build_masked(b, inst, inst->op == TCC_LLVM_GATHER ? "llvm.masked.gather" : "llvm.masked.load", 0, v);
  case TCC_FORM_MASKED_STORE:
    return build_masked(b, inst, inst->op == TCC_LLVM_SCATTER ? "llvm.masked.scatter" : "llvm.masked.store", 1, v);
  case TCC_FORM_PREFETCH: build_prefetch(b, inst, v[0]); return NULL;
  case TCC_FORM_ALLOCA: return aligned(LLVMBuildArrayAlloca(builder, type, v[0], ""), inst);
  case TCC_FORM_STORE_RELAXED: {
    LLVMValueRef store = aligned(LLVMBuildStore(builder, v[0], v[1]), inst);
    LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
    return store;
  }
  case TCC_FORM_ATOMIC_ADD:
    return LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd, v[0], v[1], LLVMAtomicOrderingAcquireRelease, false);
  case TCC_FORM_BR: LLVMBuildBr(builder, llvm_build_target(b, inst->v[0], inst->n, inst->list)); return NULL;
  case TCC_FORM_COND_BR: build_cond_br(b, inst, v[0]); return NULL;
  case TCC_FORM_RETURN: return type ? LLVMBuildRet(builder, v[0]) : LLVMBuildRetVoid(builder);
  case TCC_FORM_LABEL: break; /* llvm_build.c */
  }
  return NULL;
}
