/* llvm_read_ops.c - the ops and constants that llvm_read.c knows: each becomes a call of LLVM's builder. */
#include "lib/codegen/object/llvm_read_words.h"

/* ---- constants ---- */

static LLVMValueRef take_scalar(Reader *r, LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (take(r, "true")) return LLVMConstInt(type, 1, false);
  if (take(r, "false")) return LLVMConstInt(type, 0, false);
  if (next_is(r, "0x")) {
    char *after;
    uint64_t bits = strtoull(r->at, &after, 16);
    r->at = after;
    unsigned width = kind == LLVMFloatTypeKind                                ? 32
                     : kind == LLVMDoubleTypeKind                             ? 64
                     : kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind ? 16
                                                                              : 0;
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

/* ---- ops ---- */

static LLVMValueRef call_intrinsic(Reader *r, const char *name, LLVMTypeRef *overloads, size_t noverloads, LLVMValueRef *args,
                                   int n) {
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
  LLVMAddCallSiteAttribute(call, index + 1,
                           LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName(name, sizeof name - 1), alignment));
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
  static const char *const known[] = {"fma",    "sqrt",   "fabs",    "copysign", "floor", "ceil", "trunc", "rint", "roundeven",
                                      "maxnum", "minnum", "maximum", "minimum",  "smax",  "smin", "umax",  "umin"};
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++)
    is_known = tcc_str_is((TccStr){word.data + 5, word.length - 5}, known[i]);
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
  return insert ? LLVMBuildInsertElement(r->builder, vector, v[0], index, "")
                : LLVMBuildExtractElement(r->builder, vector, index, "");
}

/* "llvm.intr.vector.insert %part, %whole[8] : T into U" */
static LLVMValueRef read_part(Reader *r) {
  LLVMValueRef v[3];
  want(r, " ");
  take_operands(r, 2, v);
  want(r, "[");
  LLVMValueRef args[3] = {v[1], v[0], LLVMConstInt(LLVMInt64TypeInContext(r->context), (unsigned)take_number(r), false)};
  want(r, "] : ");
  LLVMTypeRef part = take_type(r);
  want(r, " into ");
  LLVMTypeRef whole = take_type(r);
  same_type(r, v[0], part);
  return call_intrinsic(r, "llvm.vector.insert", (LLVMTypeRef[]){whole, part}, 2, args, 3);
}

/* "llvm.atomicrmw add %pointer, %value acq_rel : !llvm.ptr, T" */
static LLVMValueRef read_atomic(Reader *r) {
  LLVMValueRef v[2];
  want(r, " add ");
  take_operands(r, 2, v);
  want(r, " acq_rel : !llvm.ptr, ");
  same_type(r, v[0], LLVMPointerTypeInContext(r->context, 0)), same_type(r, v[1], take_type(r));
  if (LLVMGetTypeKind(LLVMTypeOf(v[1])) != LLVMIntegerTypeKind) give_up(r);
  return LLVMBuildAtomicRMW(r->builder, LLVMAtomicRMWBinOpAdd, v[0], v[1], LLVMAtomicOrderingAcquireRelease, false);
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
  static const struct {
    const char *name;
    int predicate;
  } of_integers[] = {{"slt", LLVMIntSLT}, {"eq", LLVMIntEQ},   {"ne", LLVMIntNE},   {"sle", LLVMIntSLE}, {"sgt", LLVMIntSGT},
                     {"sge", LLVMIntSGE}, {"ult", LLVMIntULT}, {"ule", LLVMIntULE}, {"ugt", LLVMIntUGT}, {"uge", LLVMIntUGE}};
  static const struct {
    const char *name;
    int predicate;
  } of_floats[] = {{"olt", LLVMRealOLT}, {"oeq", LLVMRealOEQ}, {"une", LLVMRealUNE}, {"ole", LLVMRealOLE}, {"ogt", LLVMRealOGT},
                   {"oge", LLVMRealOGE}, {"uno", LLVMRealUNO}, {"ord", LLVMRealORD}, {"one", LLVMRealONE}, {"ueq", LLVMRealUEQ},
                   {"ult", LLVMRealULT}, {"ule", LLVMRealULE}, {"ugt", LLVMRealUGT}, {"uge", LLVMRealUGE}};
  LLVMValueRef v[2];
  want(r, " \"");
  TccStr word = take_word(r);
  want(r, "\" ");
  take_operands(r, 2, v);
  want(r, " : ");
  LLVMTypeRef type = take_type(r);
  same_type(r, v[0], type), same_type(r, v[1], type);
  for (size_t i = 0; integers && i < sizeof of_integers / sizeof *of_integers; i++)
    if (tcc_str_is(word, of_integers[i].name))
      return LLVMBuildICmp(r->builder, (LLVMIntPredicate)of_integers[i].predicate, v[0], v[1], "");
  for (size_t i = 0; !integers && i < sizeof of_floats / sizeof *of_floats; i++)
    if (tcc_str_is(word, of_floats[i].name))
      return LLVMBuildFCmp(r->builder, (LLVMRealPredicate)of_floats[i].predicate, v[0], v[1], "");
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
  static const struct {
    const char *name;
    LLVMOpcode opcode;
  } of_two[] = {{"add", LLVMAdd},   {"mul", LLVMMul},   {"sub", LLVMSub},   {"fadd", LLVMFAdd}, {"fmul", LLVMFMul},
                {"fsub", LLVMFSub}, {"fdiv", LLVMFDiv}, {"udiv", LLVMUDiv}, {"urem", LLVMURem}, {"sdiv", LLVMSDiv},
                {"srem", LLVMSRem}, {"and", LLVMAnd},   {"or", LLVMOr},     {"xor", LLVMXor},   {"shl", LLVMShl},
                {"lshr", LLVMLShr}, {"ashr", LLVMAShr}, {"frem", LLVMFRem}};
  static const struct {
    const char *name;
    LLVMOpcode opcode;
  } of_one[] = {{"trunc", LLVMTrunc},   {"zext", LLVMZExt},     {"sext", LLVMSExt},   {"bitcast", LLVMBitCast},
                {"sitofp", LLVMSIToFP}, {"fptosi", LLVMFPToSI}, {"fpext", LLVMFPExt}, {"fptrunc", LLVMFPTrunc},
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

LLVMValueRef llvm_read_op(Reader *r) {
  if (take(r, "\"llvm.intr.prefetch\"")) return read_prefetch(r), NULL;
  want(r, "llvm.");
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
  if (tcc_str_is(word, "atomicrmw")) return read_atomic(r);
  if (tcc_str_is(word, "intr.vector.insert")) return read_part(r);
  if (tcc_str_is(word, "intr.masked.load")) return read_masked_load(r, "llvm.masked.load");
  if (tcc_str_is(word, "intr.masked.gather")) return read_masked_load(r, "llvm.masked.gather");
  if (word.length > 5 && memcmp(word.data, "intr.", 5) == 0 && next_is(r, "(")) return read_intrinsic(r, word);
  if (tcc_str_is(word, "store")) read_store(r);
  else if (tcc_str_is(word, "intr.masked.store")) read_masked_store(r, "llvm.masked.store");
  else if (tcc_str_is(word, "intr.masked.scatter")) read_masked_store(r, "llvm.masked.scatter");
  else if (tcc_str_is(word, "br")) {
    want(r, " ");
    LLVMBuildBr(r->builder, llvm_read_target(r));
  } else if (tcc_str_is(word, "cond_br")) {
    want(r, " ");
    LLVMValueRef condition = take_value(r);
    want(r, ", ");
    LLVMBasicBlockRef then = llvm_read_target(r);
    want(r, ", ");
    LLVMBuildCondBr(r->builder, condition, then, llvm_read_target(r));
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
