/* kernels_to_gpu.c - kernel functions become launches of functions in a gpu.module, as the target's emitters write them.
 *
 *   func @k0(%x: tensor<?xf32, ["S"]>) {tcc.kernel = "map"} { %0 = tcc.exp %x ; return %0 }   =>
 *   gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
 *     gpu.func @k_DIGEST_exp(%1: !llvm.ptr, %2: !llvm.ptr, %3: i64) kernel attributes {known_block_size} { ops of llvm } }
 *   func @k0(%x: tensor<?xf32, ["S"]>) {tcc.kernel = "map"} {
 *     %s = tcc.sizes {values = ["S", ...]} ; %r = gpu.alloc ; gpu.launch_func @kernels::@k_DIGEST_exp blocks in (...) threads in (...)
 *     args(pointers, then sizes) ; return %r }
 *
 * A kernel function keeps its type, so callers need not change; equal code is one gpu.func. Addresses of tensors and buffers are
 * unrealized casts: the run-time's plan says where they lie. From here upstream's passes go on: convert-gpu-to-nvvm,
 * gpu-module-to-binary. The driver compiles the same lists of ops without this detour (lib/compile).
 *
 * requires: fuse. ensures: no kernel function that the target emits has an op of its own left. keeps: all else. */
#include "lib/targets/nvptx/passes/passes.h"
#include "tcc/target.h"

typedef struct {
  TccPassRun *run;
  TccText *text;
  const TccKernelCode *code;
  MlirBlock body;
  TCC_VEC(const TccExpr *) sizes; /* of the function being written: those of the kernel first */
  intptr_t noperands, nresults;
  size_t nchecks;
} Launch;

static size_t add_size(Launch *l, const TccExpr *e) {
  TCC_VEC_PUSH(l->run->ir->arena, &l->sizes, e);
  return l->sizes.count - 1;
}

static MlirValue result_of(const Launch *l, intptr_t i) { return mlirOperationGetOperand(mlirBlockGetTerminator(l->body), i); }

/* "memref<?x8xf32>": the tensor's type without what its sizes are. */
static void put_buffer_type(Launch *l, MlirType type) {
  tcc_text_printf(l->text, "memref<");
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    int64_t size;
    if (tcc_expr_is_const(tcc_type_dim(l->run->ir, type, axis), &size)) tcc_text_printf(l->text, "%lldx", (long long)size);
    else tcc_text_printf(l->text, "?x");
  }
  mlirTypePrint(mlirShapedTypeGetElementType(type), tcc_append, l->text);
  tcc_text_printf(l->text, ">");
}

static void put_sizes(Launch *l) {
  if (!l->sizes.count) return;
  tcc_text_printf(l->text, "  %%sizes = \"tcc.sizes\"() {values = ");
  mlirAttributePrint(tcc_attr_exprs(l->run->ir, l->sizes.data, l->sizes.count), tcc_append, l->text);
  tcc_text_printf(l->text, "} : () -> tensor<%zuxi64>\n", l->sizes.count);
  for (size_t i = 0; i < l->sizes.count; i++)
    tcc_text_printf(l->text,
                    "  %%c%zu = arith.constant %zu : index\n  %%s%zu = tensor.extract %%sizes[%%c%zu] : tensor<%zuxi64>\n"
                    "  %%i%zu = arith.index_cast %%s%zu : i64 to index\n",
                    i, i, i, i, l->sizes.count, i, i);
}

/* The buffer of a result; first: its dynamic sizes among all. */
static void put_result_buffer(Launch *l, intptr_t r, size_t first) {
  MlirType type = tcc_value_type(result_of(l, r));
  const char *comma = "";
  tcc_text_printf(l->text, "  %%b%d = gpu.alloc (", (int)r);
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    if (tcc_expr_is_const(tcc_type_dim(l->run->ir, type, axis), NULL)) continue;
    tcc_text_printf(l->text, "%s%%i%zu", comma, first++);
    comma = ", ";
  }
  tcc_text_printf(l->text, ") : ");
  put_buffer_type(l, type);
  tcc_text_printf(l->text, "\n  %%q%d = builtin.unrealized_conversion_cast %%b%d : ", (int)r, (int)r);
  put_buffer_type(l, type);
  tcc_text_printf(l->text, " to !llvm.ptr\n");
}

static void put_operand_pointer(Launch *l, intptr_t i) {
  tcc_text_printf(l->text, "  %%p%d = builtin.unrealized_conversion_cast %%a%d : ", (int)i, (int)i);
  mlirTypePrint(tcc_value_type(mlirBlockGetArgument(l->body, i)), tcc_append, l->text);
  tcc_text_printf(l->text, " to !llvm.ptr\n");
}

/* Words for faults, and the address behind them. */
static void put_faults(Launch *l) {
  size_t words = l->nchecks * TCC_FAULT_WORDS;
  tcc_text_printf(l->text, "  %%words = gpu.alloc () : memref<%zuxi64>\n", words);
  tcc_text_printf(l->text, "  %%first = builtin.unrealized_conversion_cast %%words : memref<%zuxi64> to !llvm.ptr\n", words);
  tcc_text_printf(l->text, "  %%faults = llvm.getelementptr %%first[%zu] : (!llvm.ptr) -> !llvm.ptr, i64\n", words);
}

static bool has_scratch(const Launch *l) {
  int64_t bytes;
  return !tcc_expr_is_const(l->code->scratch_bytes, &bytes) || bytes;
}

/* Scratch behind its counters, which are 0. bytes: which size it has. */
static void put_scratch(Launch *l, size_t bytes) {
  tcc_text_printf(l->text,
                  "  %%before = arith.constant %zu : index\n  %%zero = arith.constant 0 : i8\n"
                  "  %%room = arith.addi %%i%zu, %%before : index\n  %%space = gpu.alloc (%%room) : memref<?xi8>\n"
                  "  gpu.memset %%space, %%zero : memref<?xi8>, i8\n"
                  "  %%counters = builtin.unrealized_conversion_cast %%space : memref<?xi8> to !llvm.ptr\n"
                  "  %%scratch = llvm.getelementptr %%counters[%zu] : (!llvm.ptr) -> !llvm.ptr, i8\n",
                  TCC_SCRATCH_COUNTERS * sizeof(uint32_t), bytes, TCC_SCRATCH_COUNTERS * sizeof(uint32_t));
}

/* Tensor maps: what the run-time makes of the plan's description of them (TccPlanTensorMap). */
static void put_maps(Launch *l) {
  for (size_t i = 0; i < l->code->launch.nmaps; i++) {
    tcc_text_printf(l->text, "  %%g%zu = gpu.alloc () : memref<%dxi8>\n", i, TCC_TENSOR_MAP_BYTES);
    tcc_text_printf(l->text, "  %%m%zu = builtin.unrealized_conversion_cast %%g%zu : memref<%dxi8> to !llvm.ptr\n", i, i,
                    TCC_TENSOR_MAP_BYTES);
  }
}

static void put_launch(Launch *l, size_t grid) {
  const TccKernelLaunch *launch = &l->code->launch;
  const char *comma = "";
  for (int i = 0; i < 3; i++) tcc_text_printf(l->text, "  %%t%d = arith.constant %u : index\n", i, launch->block[i]);
  tcc_text_printf(l->text, "  %%shared = arith.trunci %%s%zu : i64 to i32\n", grid + 3);
  tcc_text_printf(l->text, "  gpu.launch_func @kernels::@%s blocks in (%%i%zu, %%i%zu, %%i%zu) threads in (%%t0, %%t1, %%t2)",
                  l->code->symbol, grid, grid + 1, grid + 2);
  tcc_text_printf(l->text, " dynamic_shared_memory_size %%shared args(");
  for (intptr_t i = 0; i < l->noperands; i++, comma = ", ") tcc_text_printf(l->text, "%s%%p%d : !llvm.ptr", comma, (int)i);
  for (intptr_t i = 0; i < l->nresults; i++, comma = ", ") tcc_text_printf(l->text, "%s%%q%d : !llvm.ptr", comma, (int)i);
  if (l->nchecks) tcc_text_printf(l->text, "%s%%faults : !llvm.ptr", comma);
  if (has_scratch(l)) tcc_text_printf(l->text, "%s%%scratch : !llvm.ptr", comma);
  for (size_t i = 0; i < launch->nmaps; i++) tcc_text_printf(l->text, ", %%m%zu : !llvm.ptr", i);
  for (size_t i = 0; i < l->code->nsizes; i++) tcc_text_printf(l->text, ", %%s%zu : i64", i);
  tcc_text_printf(l->text, ")\n");
}

static void put_return(Launch *l) {
  for (intptr_t i = 0; i < l->nresults; i++) {
    tcc_text_printf(l->text, "  %%r%d = builtin.unrealized_conversion_cast %%b%d : ", (int)i, (int)i);
    put_buffer_type(l, tcc_value_type(result_of(l, i)));
    tcc_text_printf(l->text, " to ");
    mlirTypePrint(tcc_value_type(result_of(l, i)), tcc_append, l->text);
    tcc_text_printf(l->text, "\n");
  }
  tcc_text_printf(l->text, "  return ");
  for (intptr_t i = 0; i < l->nresults; i++) tcc_text_printf(l->text, "%s%%r%d", i ? ", " : "", (int)i);
  for (intptr_t i = 0; i < l->nresults; i++) {
    tcc_text_printf(l->text, i ? ", " : " : ");
    mlirTypePrint(tcc_value_type(result_of(l, i)), tcc_append, l->text);
  }
  tcc_text_printf(l->text, "\n}\n");
}

static void put_signature(Launch *l, MlirOperation kernel) {
  TccIr *ir = l->run->ir;
  tcc_text_printf(l->text, "func.func private @%.*s(", TCC_STR_ARG(tcc_string(ir, kernel, "sym_name")));
  for (intptr_t i = 0; i < l->noperands; i++) {
    tcc_text_printf(l->text, "%s%%a%d: ", i ? ", " : "", (int)i);
    mlirTypePrint(tcc_value_type(mlirBlockGetArgument(l->body, i)), tcc_append, l->text);
  }
  tcc_text_printf(l->text, ") -> (");
  for (intptr_t i = 0; i < l->nresults; i++) {
    if (i) tcc_text_printf(l->text, ", ");
    mlirTypePrint(tcc_value_type(result_of(l, i)), tcc_append, l->text);
  }
  tcc_text_printf(l->text, ") attributes {tcc.kernel = \"%.*s\"} {\n", TCC_STR_ARG(tcc_string(ir, kernel, "tcc.kernel")));
}

static void put_function(Launch *l, MlirOperation kernel) {
  TccIr *ir = l->run->ir;
  const TccIndexCheck *checks;
  l->body = tcc_func_body(kernel);
  l->noperands = mlirBlockGetNumArguments(l->body), l->nresults = mlirOperationGetNumOperands(mlirBlockGetTerminator(l->body));
  l->nchecks = tcc_index_checks(ir, kernel, &checks);
  for (size_t i = 0; i < l->code->nsizes; i++) add_size(l, l->code->sizes[i]);
  size_t grid = l->sizes.count,
         *buffers = TCC_NEW_ARRAY(ir->arena, size_t, l->nresults + 1); /* dynamic sizes of a result: the first of them */
  for (int i = 0; i < 3; i++) add_size(l, tcc_kernel_code_expr(ir, l->code, l->code->launch.grid[i]));
  add_size(l, tcc_kernel_code_expr(ir, l->code, l->code->launch.dynamic_shared));
  if (has_scratch(l)) add_size(l, tcc_kernel_code_expr(ir, l->code, l->code->scratch_bytes));
  for (intptr_t r = 0; r < l->nresults; r++) {
    MlirType type = tcc_value_type(result_of(l, r));
    buffers[r] = l->sizes.count;
    for (int axis = 0; axis < tcc_type_rank(type); axis++)
      if (!tcc_expr_is_const(tcc_type_dim(ir, type, axis), NULL)) add_size(l, tcc_type_dim(ir, type, axis));
  }
  put_signature(l, kernel);
  put_sizes(l);
  for (intptr_t i = 0; i < l->noperands; i++) put_operand_pointer(l, i);
  for (intptr_t r = 0; r < l->nresults; r++) put_result_buffer(l, r, buffers[r]);
  if (l->nchecks) put_faults(l);
  if (has_scratch(l)) put_scratch(l, grid + 4);
  put_maps(l);
  put_launch(l, grid);
  put_return(l);
}

typedef struct {
  TccPassRun *run;
  TccText kernels, functions; /* the gpu.module's; those that launch them */
  TccMap *symbols;            /* kernels that the gpu.module has */
  TCC_VEC(MlirOperation) lowered;
  bool failed;
} Lowering;

static void lower(Lowering *g, MlirOperation kernel) {
  TccKernelCode *code = TCC_NEW(g->run->ir->arena, TccKernelCode);
  TccStatus *status = tcc_target_emit(g->run->target, g->run->ir, kernel, code);
  if (status) {
    (void)tcc_status_emit(status, mlirOperationGetLocation(kernel));
    g->failed = true; /* report every kernel that the target lacks */
    return;
  }
  bool inserted;
  tcc_map_put(g->symbols, tcc_str(code->symbol), &inserted);
  if (inserted) tcc_llvm_gpu_text(&code->llvm, &g->kernels);
  Launch launch = {.run = g->run, .text = &g->functions, .code = code};
  put_function(&launch, kernel);
  TCC_VEC_PUSH(g->run->scratch, &g->lowered, kernel);
}

/* What was written takes the place of the kernel functions. One module, since a launch is valid only beside what it launches. */
static bool replace_kernels(Lowering *g, MlirOperation module) {
  MlirContext context = g->run->ir->context;
  const TccMachine *machine = &g->run->target->machine;
  TccText text = {0};
  tcc_text_printf(&text,
                  "module attributes {gpu.container_module} {\ngpu.module @kernels [#nvvm.target<O = 3, chip = \"%s\", features = "
                  "\"%s\">] {\n%s}\n%s}\n",
                  machine->cpu, machine->features, g->kernels.data, g->functions.data);
  MlirModule parsed = mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length));
  tcc_text_destroy(&text);
  if (mlirModuleIsNull(parsed)) return false; /* the parser has said why */
  MlirBlock from = mlirModuleGetBody(parsed), to = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (size_t i = 0; i < g->lowered.count; i++) mlirOperationDestroy(g->lowered.data[i]);
  mlirOperationSetAttributeByName(module, mlirStringRefCreateFromCString("gpu.container_module"), mlirUnitAttrGet(context));
  MlirOperation before = mlirBlockGetFirstOperation(to), op;
  while (!mlirOperationIsNull(op = mlirBlockGetFirstOperation(from))) {
    mlirOperationRemoveFromParent(op);
    if (mlirOperationIsNull(before)) mlirBlockAppendOwnedOperation(to, op);
    else mlirBlockInsertOwnedOperationBefore(to, before, op);
  }
  mlirModuleDestroy(parsed);
  return true;
}

MlirLogicalResult tcc_pass_kernels_to_gpu(TccPassRun *run, MlirOperation module) {
  Lowering g = {.run = run, .symbols = tcc_map_create(run->scratch)};
  TCC_EACH_OP (op, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0))) {
    TccKernelKind kind = tcc_kernel_kind(run->ir, op);
    if (kind && tcc_target_emits(run->target, kind)) lower(&g, op);
  }
  if (!g.failed && g.lowered.count) g.failed = !replace_kernels(&g, module);
  tcc_text_destroy(&g.kernels);
  tcc_text_destroy(&g.functions);
  return g.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
