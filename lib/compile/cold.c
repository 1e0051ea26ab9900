/* cold.c - which kernels a run spends next to no time in: little effort is made of their code (TCC_EFFORT_LITTLE).
 *
 * A training step of a CNN has hundreds of kernels, and a third of them see a tensor with an element for each channel: together a few
 * thousandths of the step, but a third of its compilation. What a kernel takes is guessed from its bytes and its operations, times
 * how often @main calls it, through regions and loops. Kernels are cold from the cheapest on, as long as all of them together are below
 * 1/SHARE of the sum: a bound on what slower code can cost, whatever the model. One whose sizes are symbols is not: it may be run with any. Models with few kernels
 * compile quickly as they are.
 *
 * What depends on weights alone is computed once, when they are bound: whatever the model, such a kernel is cold if it takes less than its compilation would.
 * Emitters are told so (tcc.cold). Of others when that is known: the code of a cold kernel may be that of one that is not, and is
 * then compiled once for both (kernels.c). */
#include "lib/compile/compile_internal.h"
#include "lib/ir/names.h"
#include <stdlib.h>

enum {
  SHARE = 256,
  MANY_KERNELS = 128,
  ONCE_NS = 20000, /* without optimisation ten times as long, at most; with it LLVM takes a millisecond more for the kernel */
  BYTES_A_NS = 16, /* of memory and operations that a thread does in a nanosecond: what matters is their quotient */
  FLOPS_A_NS = 32
};

typedef struct {
  MlirOperation function;
  bool is_kernel, known;
  double once, all; /* nanoseconds of a call, of all calls in a run */
} Cost;

typedef struct {
  TccIr *ir;
  TccMap *by_name; /* of functions -> Cost */
  TCC_VEC(Cost *) kernels;
} Costs;

static void read_kernel(Costs *c, Cost *cost) {
  const TccExpr *flops, *bytes;
  int64_t nflops, nbytes;
  tcc_kernel_work(c->ir, cost->function, &flops, &bytes);
  cost->known = flops && bytes && tcc_expr_is_const(flops, &nflops) && tcc_expr_is_const(bytes, &nbytes);
  if (cost->known) cost->once = (double)nflops / FLOPS_A_NS + (double)nbytes / BYTES_A_NS;
  TCC_VEC_PUSH(c->ir->arena, &c->kernels, cost);
}

static void read_functions(Costs *c, MlirOperation module) {
  TCC_EACH_FUNCTION (function, module) {
    Cost *cost = TCC_NEW(c->ir->arena, Cost);
    *cost = (Cost){.function = function, .is_kernel = tcc_kernel_kind(c->ir, function) != 0};
    tcc_map_put(c->by_name, tcc_function_name(function), NULL)->pointer = cost;
    if (cost->is_kernel) read_kernel(c, cost);
  }
}

/* A function that is no kernel, run so many times. Calls do not nest in themselves. */
static void count_calls(Costs *c, MlirOperation function, double times) {
  TCC_EACH_OP (op, tcc_func_body(function)) {
    if (!tcc_op_is_named(op, "func.call")) continue;
    Cost *callee = tcc_map_find(c->by_name, tcc_callee_name(op))->pointer;
    TccLoopCall loop;
    double trips = tcc_call_loop(c->ir, op, &loop) ? times * (double)tcc_ir_likely(c->ir, loop.trips) : times;
    if (callee->is_kernel) callee->all += trips * callee->once;
    else count_calls(c, callee->function, trips);
  }
}

/* Equal ones stay in the module's order, so that nothing depends on the library's sort. */
static int by_cost(const void *a, const void *b) {
  const Cost *x = *(Cost *const *)a, *y = *(Cost *const *)b;
  return x->all < y->all ? -1 : x->all > y->all;
}

static bool is_of_weights(const TccInit *init, MlirOperation function) {
  MlirBlock body = tcc_func_body(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (!tcc_init_is(init, mlirBlockGetArgument(body, i))) return false;
  return true;
}

TccPointerMap tcc_driver_cold(TccIr *ir, MlirOperation module) {
  TccPointerMap cold = {.arena = ir->arena};
  Costs c = {ir, tcc_map_create(ir->arena), {0}};
  read_functions(&c, module);
  TccMapEntry *main = tcc_map_find(c.by_name, tcc_str("main"));
  if (!main) return cold;
  MlirOperation entry = ((Cost *)main->pointer)->function;
  const bool has_inputs = mlirBlockGetNumArguments(tcc_func_body(entry)) > 0; /* else it is run for what depends on weights alone */
  const TccInit *init = has_inputs ? tcc_init_analyse(ir, module, ir->arena) : NULL;
  for (size_t i = 0; has_inputs && i < c.kernels.count; i++) {
    const Cost *cost = c.kernels.data[i];
    if (!cost->known || cost->once > ONCE_NS || !is_of_weights(init, cost->function)) continue;
    tcc_pointer_map_set(&cold, cost->function.ptr, cost->function.ptr);
    tcc_set_attribute(cost->function, "tcc.cold", mlirUnitAttrGet(ir->context));
  }
  if (c.kernels.count < MANY_KERNELS) return cold;
  count_calls(&c, entry, 1);
  double all = 0, sum = 0;
  for (size_t i = 0; i < c.kernels.count; i++) all += c.kernels.data[i]->all;
  qsort(c.kernels.data, c.kernels.count, sizeof *c.kernels.data, by_cost);
  for (size_t i = 0; i < c.kernels.count && (sum += c.kernels.data[i]->all) <= all / SHARE; i++)
    if (c.kernels.data[i]->known) tcc_pointer_map_set(&cold, c.kernels.data[i]->function.ptr, c.kernels.data[i]->function.ptr);
  return cold;
}
