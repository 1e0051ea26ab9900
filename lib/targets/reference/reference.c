/* reference.c - the target that is slow and complete: linalg on tensors, upstream bufferization and linalg-to-loops, libm.
 *
 * It shares no code with the emitters, which is what makes a comparison with it worth something. One kernel is one tile:
 * the wrapper with the kernel ABI builds memref descriptors from the buffers and sizes and calls the lowered function.
 * Unlike other kernels these allocate (malloc) and call libm; both are resolved when the artifact is loaded. */
#include "lib/targets/reference/linalg_text.h"
#include "lib/targets/reference/passes/passes.h"
#include "lib/targets/targets.h"
#include "lib/targets/x86/machine.h"
#include "lib/upstream/upstream.h"
#include "mlir-c/Dialect/Arith.h"
#include "tcc/plan.h"

/* Arguments are marked not writable, or a scatter would overwrite its operand. */
static const char lowering[] =
    "builtin.module(one-shot-bufferize{allow-return-allocs-from-loops=true buffer-alignment=64},"
    "func.func(convert-linalg-to-loops),expand-realloc,canonicalize,buffer-deallocation-pipeline,"
    "convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)";

static void put_memref(LinalgText *t, MlirType type) {
  if (linalg_packed(type)) {
    linalg_put(t, "memref<?xi8>");
    return;
  }
  linalg_put(t, "memref<");
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    int64_t size;
    if (tcc_expr_is_const(tcc_type_dim(t->ir, type, axis), &size)) linalg_put(t, "%lldx", (long long)size);
    else linalg_put(t, "?x");
  }
  const char *elem = linalg_elem(tcc_type_elem(type));
  linalg_put(t, "%s>", elem ? elem : "f32");
}

/* The argument as the tensor that the kernel's body reads. */
static int put_argument(LinalgText *t, MlirType type, intptr_t index) {
  int number = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = bufferization.to_tensor %%a%d restrict : ", number, (int)index);
  put_memref(t, type);
  linalg_put(t, " to ");
  if (linalg_packed(type)) linalg_put(t, "tensor<?xi8>");
  else linalg_put_type(t, type);
  linalg_put(t, "\n");
  return linalg_packed(type) ? linalg_unpack(t, type, number) : number;
}

/* func.func @impl over memrefs: operands, results, words for faults if there are checks, sizes. */
static TccStatus *write_function(TccIr *ir, MlirOperation kernel, TccText *text, size_t *out_slots,
                                 const TccExpr *const **out_exprs, size_t *out_faults) {
  LinalgText t;
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  TCC_TRY(linalg_text_begin(&t, ir, text, kernel));
  const TccIndexCheck *checks;
  *out_faults = t.faults = TCC_FAULT_WORDS * tcc_index_checks(ir, kernel, &checks);
  intptr_t n = mlirBlockGetNumArguments(block), nresults = mlirOperationGetNumOperands(end);
  linalg_put(&t, "func.func @impl(");
  for (intptr_t i = 0; i < n; i++) {
    linalg_put(&t, "%%a%d: ", (int)i);
    put_memref(&t, tcc_value_type(mlirBlockGetArgument(block, i)));
    linalg_put(&t, ", ");
  }
  for (intptr_t i = 0; i < nresults; i++) {
    linalg_put(&t, "%%r%d: ", (int)i);
    put_memref(&t, tcc_value_type(mlirOperationGetOperand(end, i)));
    linalg_put(&t, ", ");
  }
  if (t.faults) linalg_put(&t, "%%faults: memref<%zuxi64>, ", t.faults);
  linalg_put(&t, "%%sizes_memref: memref<%zuxi64>) attributes {llvm.linkage = #llvm.linkage<internal>} {\n", t.slots.count);
  linalg_put(&t, "  %%sizes = bufferization.to_tensor %%sizes_memref restrict : memref<%zuxi64> to tensor<%zuxi64>\n",
             t.slots.count, t.slots.count);
  linalg_text_sizes(&t, "%sizes");
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    linalg_text_bind(&t, argument, put_argument(&t, tcc_value_type(argument), i));
  }
  TCC_TRY(linalg_text_body(&t, kernel));
  for (intptr_t i = 0; i < nresults; i++) {
    MlirValue value = mlirOperationGetOperand(end, i);
    linalg_put(&t, "  bufferization.materialize_in_destination %%v%d in restrict writable %%r%d : (", linalg_text_number(&t, value),
               (int)i);
    linalg_put_type(&t, tcc_value_type(value));
    linalg_put(&t, ", ");
    put_memref(&t, tcc_value_type(value));
    linalg_put(&t, ") -> ()\n");
  }
  linalg_put(&t, "  return\n}\n");
  *out_slots = t.slots.count;
  *out_exprs = t.slots.data;
  return NULL;
}

/* Pushes the descriptor of one buffer onto the call: two pointers, offset, sizes, strides. */
typedef struct {
  TccText *text, arguments, types;
  int next;
} Wrapper;

static int wrapper_op(Wrapper *w, const char *format, ...) TCC_PRINTF(2, 3);
static int wrapper_op(Wrapper *w, const char *format, ...) {
  tcc_text_printf(w->text, "  %%w%d = ", w->next);
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(w->text, format, args);
  va_end(args);
  tcc_text_put(w->text, "\n", 1);
  return w->next++;
}

static void pass(Wrapper *w, int value, const char *type) {
  tcc_text_printf(&w->arguments, "%s%%w%d", w->arguments.length ? ", " : "", value);
  tcc_text_printf(&w->types, "%s%s", w->types.length ? ", " : "", type);
}

static int wrapper_size(Wrapper *w, const TccExpr *e, const TccExpr *const *slots, size_t nslots) {
  int64_t value;
  if (tcc_expr_is_const(e, &value)) return wrapper_op(w, "llvm.mlir.constant(%lld : i64) : i64", (long long)value);
  size_t slot = 0;
  while (slot < nslots && slots[slot] != e) slot++;
  int at = wrapper_op(w, "llvm.getelementptr %%sizes[%zu] : (!llvm.ptr) -> !llvm.ptr, i64", slot);
  return wrapper_op(w, "llvm.load %%w%d : !llvm.ptr -> i64", at);
}

static void pass_buffer(Wrapper *w, TccIr *ir, MlirType type, size_t index, const TccExpr *const *slots, size_t nslots) {
  int rank = tcc_type_rank(type), sizes[TCC_MAX_RANK], strides[TCC_MAX_RANK];
  int at = wrapper_op(w, "llvm.getelementptr %%arguments[%zu] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr", index);
  int buffer = wrapper_op(w, "llvm.load %%w%d : !llvm.ptr -> !llvm.ptr", at);
  int stride = wrapper_op(w, "llvm.mlir.constant(1 : i64) : i64");
  if (linalg_packed(type)) { /* its bytes; how many of them is nobody's question */
    pass(w, buffer, "!llvm.ptr");
    pass(w, buffer, "!llvm.ptr");
    pass(w, wrapper_op(w, "llvm.mlir.constant(0 : i64) : i64"), "i64");
    pass(w, wrapper_op(w, "llvm.mlir.constant(%lld : i64) : i64", (long long)INT64_MAX), "i64");
    pass(w, stride, "i64");
    return;
  }
  for (int axis = rank; axis-- > 0;) {
    sizes[axis] = wrapper_size(w, tcc_type_dim(ir, type, axis), slots, nslots);
    strides[axis] = stride;
    if (axis) stride = wrapper_op(w, "llvm.mul %%w%d, %%w%d : i64", stride, sizes[axis]);
  }
  pass(w, buffer, "!llvm.ptr");
  pass(w, buffer, "!llvm.ptr");
  pass(w, wrapper_op(w, "llvm.mlir.constant(0 : i64) : i64"), "i64");
  for (int axis = 0; axis < rank; axis++) pass(w, sizes[axis], "i64");
  for (int axis = 0; axis < rank; axis++) pass(w, strides[axis], "i64");
}

/* A memref of words. */
static void pass_words(Wrapper *w, int pointer, int count, int zero, int one) {
  pass(w, pointer, "!llvm.ptr");
  pass(w, pointer, "!llvm.ptr");
  pass(w, zero, "i64");
  pass(w, count, "i64");
  pass(w, one, "i64");
}

static void write_wrapper(TccIr *ir, MlirOperation kernel, const char *symbol, TccText *text, const TccExpr *const *slots,
                          size_t nslots, size_t faults) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  Wrapper w = {.text = text};
  tcc_text_printf(text,
                  "llvm.func @%s(%%arguments: !llvm.ptr, %%sizes: !llvm.ptr, %%scratch: !llvm.ptr, %%begin: i64, %%end: i64) {\n",
                  symbol);
  size_t index = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    pass_buffer(&w, ir, tcc_value_type(mlirBlockGetArgument(block, i)), index++, slots, nslots);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    pass_buffer(&w, ir, tcc_value_type(mlirOperationGetOperand(end, i)), index++, slots, nslots);
  int zero = wrapper_op(&w, "llvm.mlir.constant(0 : i64) : i64"), one = wrapper_op(&w, "llvm.mlir.constant(1 : i64) : i64");
  if (faults) {
    int count = wrapper_op(&w, "llvm.mlir.constant(%zu : i64) : i64", faults);
    pass_words(&w, wrapper_op(&w, "llvm.getelementptr %%sizes[-%zu] : (!llvm.ptr) -> !llvm.ptr, i64", faults), count, zero, one);
  }
  int sizes = wrapper_op(&w, "llvm.getelementptr %%sizes[0] : (!llvm.ptr) -> !llvm.ptr, i64");
  pass_words(&w, sizes, wrapper_op(&w, "llvm.mlir.constant(%zu : i64) : i64", nslots), zero, one);
  tcc_text_printf(text, "  llvm.call @impl(%s) : (%s) -> ()\n  llvm.return\n}\n", w.arguments.data, w.types.data);
  tcc_text_destroy(&w.arguments);
  tcc_text_destroy(&w.types);
}

/* Rounding to bf16, to the nearest and ties to even, is a call (see machine), and the compiler's library on a user's machine may be too
 * old to have the function: kernels bring their own, as a part that they share. */
static const char round_bf16[] = "llvm.func hidden @__truncsfbf2(%x: f32) -> bf16 {\n"
                                 "  %bits = llvm.bitcast %x : f32 to i32\n"
                                 "  %half = llvm.mlir.constant(32767 : i32) : i32\n"
                                 "  %one = llvm.mlir.constant(1 : i32) : i32\n"
                                 "  %sixteen = llvm.mlir.constant(16 : i32) : i32\n"
                                 "  %quiet = llvm.mlir.constant(64 : i32) : i32\n"
                                 "  %top = llvm.lshr %bits, %sixteen : i32\n"
                                 "  %odd = llvm.and %top, %one : i32\n"
                                 "  %more = llvm.add %odd, %half : i32\n"
                                 "  %sum = llvm.add %bits, %more : i32\n"
                                 "  %rounded = llvm.lshr %sum, %sixteen : i32\n"
                                 "  %nan = llvm.or %top, %quiet : i32\n"
                                 "  %is_nan = llvm.fcmp \"uno\" %x, %x : f32\n"
                                 "  %r = llvm.select %is_nan, %nan, %rounded : i1, i32\n"
                                 "  %narrow = llvm.trunc %r : i32 to i16\n"
                                 "  %y = llvm.bitcast %narrow : i16 to bf16\n"
                                 "  llvm.return %y : bf16\n}\n";

/* Lowers the function's text to the LLVM dialect; out is the module's text without its closing brace. */
static TccStatus *lower(const TccText *function, TccText *out) {
  TCC_TRY(tcc_upstream_lower((TccStr){function->data, function->length}, lowering, out));
  size_t end = out->length;
  while (end > 0 && out->data[end - 1] != '}') end--;
  if (end > 0) out->data[out->length = end - 1] = 0;
  return NULL;
}

static TccStatus *emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  (void)target;
  *out = (TccKernelCode){0};
  TccText function = {0}, text = {0};
  size_t nslots = 0, faults = 0;
  const TccExpr *const *slots = NULL;
  TccStatus *status = write_function(ir, kernel, &function, &nslots, &slots, &faults);
  if (!status) {
    char hex[2 * TCC_DIGEST_BYTES + 1];
    tcc_digest_hex(function.data, function.length, hex);
    out->symbol = tcc_arena_printf(ir->arena, "r_%.16s", hex);
    status = lower(&function, &text);
  }
  if (!status) {
    write_wrapper(ir, kernel, out->symbol, &text, slots, nslots, faults);
    if (strstr(function.data, "bf16")) {
      tcc_text_printf(&text, "\n%s", round_bf16);
      out->llvm.routine = tcc_str("__truncsfbf2");
    }
    tcc_text_printf(&text, "}\n");
    out->llvm.text = (TccStr){tcc_arena_copy(ir->arena, text.data, text.length), text.length};
    out->sizes = slots;
    out->nsizes = nslots;
    out->tiles = tcc_expr_const(ir->exprs, 1);
    out->scratch_bytes = tcc_expr_const(ir->exprs, 0);
    out->emitter = "reference";
    out->schedule = "";
  }
  tcc_text_destroy(&function);
  tcc_text_destroy(&text);
  return status;
}

/* It runs where the compiler runs, or on a named machine of the same kind, but without the instructions that round to bf16: they take
 * subnormals for zero, and LLVM selects them where they are. */
static TccStatus *machine(TccStr text, TccMachine *out) {
  TCC_TRY(tcc_x86_machine(text, out));
  static const char *const flush[] = {"+avx512bf16", "+avxneconvert", "+avx10.2-256", "+avx10.2-512", "+avx10.2"};
  for (size_t i = 0; i < sizeof flush / sizeof *flush; i++)
    for (char *at = strstr(out->features, flush[i]); at; at = strstr(at + 1, flush[i])) *at = '-';
  out->isa &= ~(uint64_t)TCC_ISA_AVX512_BF16;
  return NULL;
}

static const TccPassInfo passes[] = {
#define TCC_PASS(function, name, summary, options) {name, summary, options, tcc_pass_##function},
#include "lib/targets/reference/passes/passes.def"
#undef TCC_PASS
};
static const TccEmitter emitters[] = {{TCC_KERNEL_NONE, emit}};

const TccTarget tcc_target_reference = {
    .name = "reference",
    .machines = "MACHINE",
    .machine = machine,
    .lower = "tcc-decompose{only=batch_norm}",
    .layout = "",
    .kernels = "",
    .passes = passes,
    .npasses = sizeof passes / sizeof *passes,
    .emitters = emitters,
    .nemitters = sizeof emitters / sizeof *emitters,
    .calls_libc = true,
};
