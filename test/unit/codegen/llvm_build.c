/* The two sinks of a list of ops: what is built of each op is what MLIR makes of its text. A row of llvm_ops.def that the list here lacks
 * is a failure. Two lists in one module: what is seen from outside is one. */
#include "lib/codegen/object/llvm_build.h"
#include "lib/codegen/emit/emit.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (!ok) failures++, printf("failed: %s\n", what);
}

/* ---- a list with all ops ---- */

static const char *const binary[] = {"add",  "mul",  "sub",  "and",  "or",   "xor", "shl",
                                     "lshr", "ashr", "udiv", "urem", "sdiv", "srem"},
                         *const float_binary[] = {"fadd", "fmul", "fsub", "fdiv", "frem"}, *const icmp[] = {"slt", "eq",  "ne",
                                                                                                            "sle", "sgt", "sge",
                                                                                                            "ult", "ule", "ugt",
                                                                                                            "uge"},
                         *const fcmp[] = {"olt", "oeq", "ole", "ogt", "oge", "one", "ord",
                                          "uno", "une", "ueq", "ult", "ule", "ugt", "uge"},
                         *const of_one[] = {"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "roundeven"},
                         *const of_two[] = {"copysign", "maxnum", "minnum", "maximum", "minimum"},
                         *const of_integers[] = {"smax", "smin", "umax", "umin"}, *const of_integer[] = {"ctpop"};
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static void emit_arithmetic(TccEmit *e, const char *f32, const char *i32, TccVal x, TccVal n) {
  TccVal both[] = {x, x}, integers[] = {n, n};
  int lanes = tcc_emit_lanes(f32);
  const char *i64 = tcc_emit_vector(e, "i64", lanes), *f64 = tcc_emit_vector(e, "f64", lanes);
  for (int i = 0; i < COUNT(binary); i++) tcc_emit_bin(e, binary[i], i32, n, n);
  for (int eager = 0; eager < 2; eager++) { /* where the second may not be contracted with others */
    e->eager = eager;
    for (int i = 0; i < COUNT(float_binary); i++) tcc_emit_bin(e, float_binary[i], f32, x, x);
  }
  e->eager = false;
  for (int i = 0; i < COUNT(icmp); i++) tcc_emit_icmp(e, icmp[i], i32, n, n);
  for (int i = 0; i < COUNT(fcmp); i++) tcc_emit_fcmp(e, fcmp[i], f32, x, x);
  for (int i = 0; i < COUNT(of_one); i++) tcc_emit_intrinsic(e, of_one[i], f32, 1, both);
  for (int i = 0; i < COUNT(of_two); i++) tcc_emit_intrinsic(e, of_two[i], f32, 2, both);
  for (int i = 0; i < COUNT(of_integers); i++) tcc_emit_intrinsic(e, of_integers[i], i32, 2, integers);
  for (int i = 0; i < COUNT(of_integer); i++) tcc_emit_intrinsic(e, of_integer[i], i32, 1, integers);
  tcc_emit_fma(e, f32, x, x, x);
  tcc_emit_cast(e, "bitcast", f32, i32, x);
  tcc_emit_cast(e, "trunc", i64, i32, tcc_emit_cast(e, "zext", i32, i64, n));
  tcc_emit_cast(e, "fptosi", f32, i64, tcc_emit_cast(e, "sitofp", i32, f32, n));
  tcc_emit_cast(e, "fptoui", f32, i64, tcc_emit_cast(e, "uitofp", i32, f32, n));
  tcc_emit_cast(e, "fptrunc", f64, f32, tcc_emit_cast(e, "fpext", f32, f64, x));
  tcc_emit_cast(e, "sext", i32, i64, n);
  tcc_emit_select(e, f32, tcc_emit_fcmp(e, "olt", f32, x, tcc_emit_zero(e, f32)), x, tcc_emit_float(e, f32, -1.5));
}

static void emit_vectors(TccEmit *e, TccVal p, TccVal count) {
  const char *f32 = tcc_emit_vector(e, "f32", 16), *i32 = tcc_emit_vector(e, "i32", 16), *eight = tcc_emit_vector(e, "f32", 8);
  TccVal mask = tcc_emit_mask(e, count, 16), x = tcc_emit_masked_load(e, f32, p, mask), n = tcc_emit_iota(e, "i32", 16);
  emit_arithmetic(e, f32, i32, x, tcc_emit_cast(e, "bitcast", f32, i32, x));
  TccVal half = tcc_emit_slice(e, f32, x, 8, 8), whole = tcc_emit_insert_vector(e, eight, half, f32, tcc_emit_poison(e, f32), 8);
  whole = tcc_emit_even(e, f32, whole, tcc_emit_splat(e, f32, tcc_emit_extract(e, f32, x, 3)));
  tcc_emit_scatter(e, f32, tcc_emit_gather(e, f32, p, i32, n, mask), p, i32, n, 0);
  tcc_emit_masked_store(e, f32, whole, p, mask);
  tcc_emit_store(e, f32, x, tcc_emit_alloca(e, "f32", tcc_emit_i64(e, 16)));
  tcc_emit_call_intrinsic(e, "llvm.x86.avx512.permvar.sf.512", f32, 2, (TccVal[]){x, n}, (const char *const[]){f32, i32});
  tcc_emit_prefetch(e, p, true, 2);
}

static const char code[] = "\xc3\x0f", table[] = "\x01\xff";

/* NULL where a name is to be called that some other module defines. */
static void emit_all(TccEmit *e) {
  static const char *const params[] = {TCC_PTR " {llvm.noalias}", "i64"}, *const types[] = {TCC_PTR, "i64"};
  TccVal arg[2], own[2];
  tcc_emit_code(e, "code", (TccStr){code, 2});
  tcc_emit_function(e, "slice", true, 2, params, "i64", arg);
  tcc_emit_return(e, tcc_emit_min(e, arg[1], tcc_emit_i64(e, -8)), "i64");
  e->optnone = true;
  tcc_emit_function(e, "drive", true, 2, params, NULL, arg);
  tcc_emit_call(e, "slice", 2, arg, types, "i64");
  tcc_emit_call(e, "code", 2, arg, types, NULL);
  tcc_emit_return(e, 0, NULL);
  e->optnone = false;
  tcc_emit_function(e, "entry", false, 2, types, NULL, own);
  TccVal buffer = tcc_emit_load_once(e, TCC_PTR, own[0], 2), sum = tcc_emit_float(e, "f64", 0.1), next;
  const char *f64 = "f64";
  TccLoop loop;
  TccIf rare, plain;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), own[1], 1, 1, &sum, &f64);
  TccVal at = tcc_emit_gep(e, "f32", buffer, loop.iv), x = tcc_emit_load(e, "f32", at), on = tcc_emit_fcmp(e, "olt", "f32", x, x);
  emit_arithmetic(e, "f32", "i32", x, tcc_emit_cast(e, "bitcast", "f32", "i32", x));
  tcc_emit_if_rare(e, &rare, on, 0, NULL);
  emit_vectors(e, at, loop.iv);
  tcc_emit_end_if(e, &rare, NULL);
  tcc_emit_if(e, &plain, tcc_emit_bin(e, "and", "i1", on, tcc_emit_int(e, "i1", 1)), 1, &f64);
  next = tcc_emit_bin(e, "fadd", "f64", loop.in[0], tcc_emit_cast(e, "fpext", "f32", "f64", x));
  tcc_emit_else(e, &plain, &next);
  tcc_emit_call(e, "drive", 2, (TccVal[]){tcc_emit_data(e, table, 2), loop.iv}, types, NULL);
  tcc_emit_end_if(e, &plain, &loop.in[0]);
  tcc_emit_end_for(e, &loop, &plain.out[0]);
  TccVal random = tcc_emit_call_intrinsic(e, "llvm.x86.rdrand.32", "!llvm.struct<(i32, i32)>", 0, NULL, NULL);
  tcc_emit_extract_value(e, "!llvm.struct<(i32, i32)>", random, 1, "i32");
  tcc_emit_cast(e, "addrspacecast", TCC_PTR, "!llvm.ptr<1>", own[0]);
  TccVal address = tcc_emit_cast(e, "ptrtoint", TCC_PTR, "i64", own[0]);
  tcc_emit_inline_asm(e, "not $0", "=r,0", "i64", 1, &address, (const char *const[]){"i64"});
  tcc_emit_atomic_add(e, "i64", tcc_emit_at(e, "i64", own[0], 1), own[1]);
  tcc_emit_relaxed_store(e, own[1], own[0]);
  tcc_emit_return(e, 0, NULL);
}

static void emit_gpu(TccEmit *e, TccArena *arena) {
  static const char *const params[] = {"!llvm.ptr {llvm.noalias, llvm.readonly}", "!llvm.ptr {llvm.noalias}", "i64"};
  TccVal arg[3];
  TccText scratch = {0};
  tcc_emit_function(e, "kernel", false, 3, params, NULL, arg);
  tcc_emit_shared(e, "rows", 128, "f32", 1024);
  TccVal p = tcc_emit_shared_gep(e, "f32", tcc_emit_shared_address(e, "rows"), tcc_emit_load(e, "i64", arg[0]));
  tcc_emit_shared_store(e, "f32", tcc_emit_shared_load(e, "f32", p), p);
  tcc_emit_call_intrinsic(e, "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16", "!llvm.struct<(i32, i32)>", 1, &p,
                          (const char *const[]){"!llvm.ptr<3>"});
  TccVal address = tcc_emit_cast(e, "ptrtoint", "!llvm.ptr<3>", "i64", p);
  TccVal both = tcc_emit_inline_asm(e, "{ mov.b64 {$0, $1}, $2; }", "=r,=r,l,~{memory}", "!llvm.struct<(i32, i32)>", 1, &address,
                                    (const char *const[]){"i64"});
  tcc_emit_extract_value(e, "!llvm.struct<(i32, i32)>", both, 1, "i32");
  tcc_emit_inline_asm(e, "fence.proxy.async;", "~{memory}", NULL, 0, NULL, NULL);
  tcc_emit_return(e, 0, NULL);
  e->function = NULL;
  TccLlvmItem *kernel = e->module->items.data[1].item;
  kernel->role = TCC_LLVM_GPU_KERNEL, kernel->block[0] = 256, kernel->block[1] = kernel->block[2] = 1, e->module->gpu = true;
  tcc_llvm_rename(arena, e->module, "rows", "k_rows", &scratch);
  tcc_text_destroy(&scratch);
}

/* ---- both sinks ---- */

/* From the first constant or function to the flags of the module; what blocks come before a block has no fixed order. */
static char *printed(LLVMModuleRef module) {
  char *text = LLVMPrintModuleToString(module), *from = strstr(text, "\n@"), *flags = strstr(text, "\n!llvm.module.flags"), *preds;
  char *weights = strstr(text, "\n!0 = !{!\"branch_weights\"");
  if (flags) *flags = 0;
  if (weights) *weights = 0;
  memmove(text, from, strlen(from) + 1);
  while ((preds = strstr(text, "; preds"))) memmove(preds, strchr(preds, '\n'), strlen(strchr(preds, '\n')) + 1);
  while ((preds = strstr(text, "!prof !"))) memmove(preds, preds + 8, strlen(preds + 8) + 1);
  return text;
}

static void compare(const char *what, const TccLlvmModule *module) {
  MlirContext mlir = mlirContextCreateWithThreading(false);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__llvm__(), mlir);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__gpu__(), mlir);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__nvvm__(), mlir);
  mlirRegisterAllLLVMTranslations(mlir);
  TccText text = {0};
  tcc_llvm_text(&(TccLlvm){.module = module}, &text);
  LLVMContextRef context = LLVMContextCreate();
  MlirModule parsed = mlirModuleCreateParse(mlir, mlirStringRefCreate(text.data, text.length));
  MlirOperation top = mlirModuleGetOperation(parsed);
  LLVMModuleRef want =
                    mlirTranslateModuleToLLVMIR(module->gpu ? mlirBlockGetFirstOperation(mlirModuleGetBody(parsed)) : top, context),
                is = LLVMModuleCreateWithNameInContext("kernel", context);
  tcc_llvm_build(module, is);
  char *a = printed(want), *b = printed(is), *message = NULL;
  expect(!LLVMVerifyModule(is, LLVMReturnStatusAction, &message), message);
  if (strcmp(a, b) != 0) failures++, printf("failed: %s\n%s\n-- in place of --\n%s\n", what, b, a);
  LLVMDisposeMessage(a), LLVMDisposeMessage(b), LLVMDisposeMessage(message);
  LLVMDisposeModule(want), LLVMDisposeModule(is);
  LLVMContextDispose(context);
  mlirModuleDestroy(parsed);
  mlirContextDestroy(mlir);
  tcc_text_destroy(&text);
}

static void has_all_ops(const TccLlvmModule *module) {
  static const char *const names[] = {
#define TCC_LLVM_OP(name, word, form, number) #name,
#include "lib/codegen/emit/llvm_ops.def"
#undef TCC_LLVM_OP
  };
  bool seen[TCC_LLVM_OPS] = {0};
  for (size_t i = 0; i < module->items.count; i++)
    for (size_t k = 0; k < module->items.data[i].item->ninsts; k++) seen[module->items.data[i].item->insts[k].op] = true;
  for (int i = 0; i < TCC_LLVM_OPS; i++)
    if (!seen[i]) failures++, printf("failed: no op %s in this test\n", names[i]);
}

/* Twice the same list, once with its parts declared; entries have names of their own. */
static void share(TccArena *arena, TccLlvmModule *module) {
  TccMap *parts = tcc_map_create(arena);
  TccText scratch = {0};
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef all = LLVMModuleCreateWithNameInContext("kernel", context);
  TccLlvm llvm = {.module = module}, first = tcc_llvm_declare_routines(arena, parts, &llvm),
          second = tcc_llvm_declare_routines(arena, parts, &llvm);
  tcc_llvm_build(first.module, all);
  tcc_llvm_rename(arena, module, "entry", "other", &scratch);
  tcc_llvm_build(second.module, all);
  expect(!LLVMVerifyModule(all, LLVMReturnStatusAction, NULL), "two lists in one module");
  expect(LLVMGetNamedFunction(all, "entry") && LLVMGetNamedFunction(all, "other"), "the functions of two lists");
  int functions = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(all); f; f = LLVMGetNextFunction(f)) functions += LLVMCountBasicBlocks(f) > 0;
  expect(functions == 4, "parts are defined once");
  compare("with declarations", second.module);
  tcc_text_destroy(&scratch);
  LLVMDisposeModule(all);
  LLVMContextDispose(context);
}

int main(void) {
  TccArena *arena = tcc_arena_create();
  TccEmit e, gpu;
  tcc_emit_init(&e, arena);
  emit_all(&e);
  has_all_ops(e.module);
  compare("all ops", e.module);
  share(arena, e.module);
  tcc_emit_init(&gpu, arena);
  emit_gpu(&gpu, arena);
  compare("a kernel of a GPU", gpu.module);
  tcc_emit_destroy(&e), tcc_emit_destroy(&gpu);
  tcc_arena_destroy(arena);
  return failures != 0;
}
