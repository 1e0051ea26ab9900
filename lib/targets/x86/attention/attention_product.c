/* attention_product.c - the register tile of attention's two products.
 *
 * Operands are in the caches, so instructions are what it costs: two steps of k in an iteration, four with sixteen registers, and some rows of the tile by multiply-adds
 * that repeat an element themselves (product.h). A thread whose core another one shares issues two instructions a cycle, of which a
 * step of 13 x 2 in LLVM's hands takes 47 for 26 multiply-adds, and this 41. No operand is padded: what is left of k goes step by step. */
#include "lib/targets/x86/attention/attention_internal.h"
#include "lib/targets/x86/contract/product.h"

/* The whole function as machine code; false where it is left to LLVM. */
static bool emit_code(TccEmit *e, const char *name, const Attention *a, int64_t lda, int64_t k_stride, bool accumulate,
                      int prefetches) {
  enum {
    A = TCC_RDI,
    B = TCC_RSI,
    C = TCC_RDX,
    STEPS = TCC_RCX,
    PREFETCH = TCC_R8,
    STEP = TCC_R9,
    TAKEN = TCC_RAX,
    REST = TCC_R10
  };
  int unroll = a->plan.type.registers < 32 ? 4 : 2;
  int64_t bytes = a->plan.type.acc_bytes, step = k_stride * bytes;
  bool f64 = a->plan.type.acc_elem == TCC_ELEM_F64;
  TccX86 x = {.arena = e->arena, .vector = a->plan.type.lanes * a->plan.type.acc_bytes};
  TccProduct p = {.rows = a->plan.rows,
                  .vectors = a->plan.vectors,
                  .registers = a->plan.type.registers,
                  .broadcast = f64 ? TCC_X86_BROADCAST64 : TCC_X86_BROADCAST32,
                  .multiply = f64 ? TCC_X86_FMADD_PD : TCC_X86_FMADD_PS,
                  .unroll = unroll,
                  .a_step = step,
                  .b_step = a->plan.nr * bytes,
                  .npointers = 1,
                  .a = {A},
                  .b = B,
                  .folds = true,
                  .prefetch = PREFETCH,
                  .taken = TAKEN,
                  .bytes = STEPS};
  for (int r = 0; r < a->plan.rows; r++) p.offset[r] = r * lda * bytes;
  if (x.vector < 32 || !tcc_product_fits(&p)) return false;
  if (prefetches) p.each = prefetches, p.each_step = STEP;
  int sums = a->plan.rows * a->plan.vectors;
  tcc_product_clear(&x, sums);
  tcc_x86_op(&x, TCC_X86_MOV, REST, STEPS);
  tcc_x86_number(&x, TCC_X86_AND_NUMBER, REST, unroll - 1);
  tcc_x86_op(&x, TCC_X86_SUB, STEPS, REST);
  tcc_x86_multiply(&x, STEPS, STEPS, step);
  tcc_product_emit(&x, &p);
  tcc_x86_multiply(&x, STEPS, REST, step);
  p.unroll = 1;
  tcc_product_emit(&x, &p);
  for (int i = 0; i < sums; i++) {
    TccX86At c = tcc_x86_at(C, i * x.vector);
    if (accumulate) tcc_x86_vector_at(&x, f64 ? TCC_X86_ADD_PD : TCC_X86_ADD_PS, i, i, c);
    tcc_x86_vector_at(&x, TCC_X86_STORE, i, 0, c);
  }
  tcc_x86_return(&x);
  tcc_emit_code(e, name, tcc_text_str(&x.bytes));
  tcc_text_destroy(&x.bytes);
  return true;
}

/* The same in LLVM's hands, one step of k at a time. */
static void emit_loop(TccEmit *e, const char *name, const Attention *a, int64_t lda, int64_t k_stride, bool accumulate,
                      int prefetches) {
  const char *params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", "i64", TCC_PTR, "i64"},
             *elem = a->plan.type.acc;
  const char *vector = tcc_emit_vector(e, elem, a->plan.type.lanes), *types[TCC_LOOP_MAX];
  int n = a->plan.rows * a->plan.vectors;
  TccVal arg[6], init[TCC_LOOP_MAX], next[TCC_LOOP_MAX], columns[2];
  tcc_emit_function(e, name, true, prefetches ? 6 : 4, params, NULL, arg);
  for (int i = 0; i < n; i++) init[i] = tcc_emit_zero(e, vector), types[i] = vector;
  for (int i = 0; i < 2; i++) init[n + i] = arg[i], types[n + i] = TCC_PTR;
  if (prefetches) init[n + 2] = arg[4], types[n + 2] = TCC_PTR;
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), arg[3], 1, n + 2 + (prefetches > 0), init, types);
  for (int i = 0; i < prefetches; i++) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", loop.in[n + 2], 64 * i), false, 2);
  for (int j = 0; j < a->plan.vectors; j++)
    columns[j] = tcc_emit_load(e, vector, tcc_emit_at(e, elem, loop.in[n + 1], (int64_t)j * a->plan.type.lanes));
  for (int r = 0; r < a->plan.rows; r++) {
    TccVal one = tcc_emit_splat(e, vector, tcc_emit_load(e, elem, tcc_emit_at(e, elem, loop.in[n], r * lda)));
    for (int j = 0; j < a->plan.vectors; j++)
      next[r * a->plan.vectors + j] = tcc_emit_fma(e, vector, one, columns[j], loop.in[r * a->plan.vectors + j]);
  }
  next[n] = tcc_emit_at(e, elem, loop.in[n], k_stride);
  next[n + 1] = tcc_emit_at(e, elem, loop.in[n + 1], a->plan.nr);
  if (prefetches) next[n + 2] = tcc_emit_gep(e, "i8", loop.in[n + 2], arg[5]);
  tcc_emit_end_for(e, &loop, next);
  for (int i = 0; i < n; i++) {
    TccVal to = tcc_emit_at(e, elem, arg[2], (int64_t)i * a->plan.type.lanes);
    tcc_emit_store(e, vector, accumulate ? tcc_emit_bin(e, "fadd", vector, loop.out[i], tcc_emit_load(e, vector, to)) : loop.out[i],
                   to);
  }
  tcc_emit_return(e, 0, NULL);
}

void attention_product_emit(TccEmit *e, const char *name, const Attention *a, int64_t lda, int64_t k_stride, bool accumulate,
                            int prefetches) {
  if (a->plan.type.llvm_tiles || !emit_code(e, name, a, lda, k_stride, accumulate, prefetches))
    emit_loop(e, name, a, lda, k_stride, accumulate, prefetches);
}
