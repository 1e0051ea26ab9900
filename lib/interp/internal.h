/* internal.h - what the files of the interpreter share.
 *
 * A value is an array of cells of 8 bytes, a double for float types and an int64 for all others (bool 0 or 1, unsigned
 * values zero-extended, u64 as its bits): so whatever only moves data is written once. The driver (interp.c) evaluates
 * the result types of an op, allocates zeroed results, and calls the op's function from the table in ops.c. */
#ifndef TCC_INTERP_INTERNAL_H
#define TCC_INTERP_INTERNAL_H
#include "tcc/interp.h"

typedef union {
  double f;
  int64_t i;
} TccCell;

typedef struct {
  int references;
  TccCell cells[];
} TccCells;

typedef struct {
  TccElem elem;
  int rank;
  int64_t dims[TCC_MAX_RANK];
  int64_t count;
  bool is_float;
  TccCells *storage; /* shared by reshapes; NULL until allocated */
  TccCell *at;       /* storage->cells */
} TccArray;

typedef struct TccInterp TccInterp;

/* One op about to run. */
typedef struct {
  TccInterp *interp;
  TccIr *ir;
  MlirOperation op;
  TccOpKind kind;
  int nin, nout;
  double shift;        /* of what tcc.round rounds, as a part of its magnitude */
  const TccArray **in; /* NULL where the operand is tcc.none */
  TccArray **out;
} TccEval;

typedef TccStatus *(*TccEvalFunction)(TccEval *e);

/* ---- array.c: memory ---- */
TccStatus *tcc_array_allocate(TccArray *array) TCC_CHECKED; /* from elem, rank, dims; zeroed */
TccStatus *tcc_array_make(TccArray *array, TccElem elem, int rank, const int64_t *dims) TCC_CHECKED;
void tcc_array_release(TccArray *array);
void tcc_array_share(TccArray *to, const TccArray *from); /* to's shape, from's cells */
/* ---- interp.c, symbols.c ---- */
TccStatus *tcc_interp_expr(TccInterp *interp, const TccExpr *e, int64_t *out) TCC_CHECKED;
TccStatus *tcc_interp_exprs(TccEval *e, const char *name, int64_t *out, size_t max, size_t *out_count) TCC_CHECKED;
TccStatus *tcc_interp_bind(TccInterp *interp, TccStr symbol, int64_t value) TCC_CHECKED; /* a fresh symbol */
void *tcc_interp_scratch(TccEval *e, size_t bytes);                                      /* freed after the op; zeroed */
const int64_t *tcc_eval_ints(TccEval *e, const char *name, size_t *out_count);
bool tcc_eval_str_is(TccEval *e, const char *name, const char *text);

/* ---- array.c: shapes and cells ---- */
typedef struct {
  int rank;
  int64_t dims[TCC_MAX_RANK], index[TCC_MAX_RANK];
} TccOdometer;
void tcc_strides(int rank, const int64_t *dims, int64_t *out); /* row-major, in cells */
/* Strides that read `from` under the shape dims as broadcasting does; false if it does not broadcast. */
bool tcc_broadcast_strides(const TccArray *from, int rank, const int64_t *dims, int64_t *out);
/* to (dense, row-major over dims) = from[base + sum index * strides] */
void tcc_cells_copy(TccCell *to, int rank, const int64_t *dims, const TccCell *from, int64_t base, const int64_t *strides);
bool tcc_next_index(int rank, const int64_t *dims, int64_t *index); /* row-major; false after the last */
int64_t tcc_product(const int64_t *dims, int from, int to);
int64_t tcc_wrap(TccElem elem, int64_t value); /* to the width of an integer type, or bool */
double tcc_cell_double(const TccArray *array, int64_t i);
double tcc_round_to(TccElem elem, double value); /* nearest value of a float type */
void tcc_cells_unpack(TccElem elem, const void *bytes, int64_t count, TccCell *out);
void tcc_cells_pack(TccElem elem, const TccCell *cells, int64_t count, void *out);

/* ---- contract.c ---- */
/* c[m, n] += a[m, k] b[k, n] */
void tcc_matmul_double(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c);

/* ---- ops.c ---- */
TccEvalFunction tcc_eval_function(TccOpKind kind); /* NULL: cannot be run */

// clang-format off
#define TCC_EVAL_FUNCTIONS(X) \
  X(unary) X(binary) X(compare) X(select) X(clamp) X(convert) X(bitcast) X(activation) X(prelu) X(none) \
  X(constant) X(weight) X(sizes) X(reshape) X(transpose) X(broadcast) X(slice) X(dynamic_slice) X(pad) X(gather) \
  X(gather_elements) X(gather_nd) X(scatter_elements) X(scatter_nd) X(iota) X(concat) X(reduce) X(arg_reduce) \
  X(cumulative) X(topk) X(non_max_suppression) X(image_size) X(decode_image) X(nonzero) X(softmax) X(norm) X(group_norm) X(batch_norm) X(lrn) X(dot_general) X(matmul) \
  X(linear) X(conv) X(conv_blocked) X(conv_transpose) X(pool) X(pool_index) X(attention) X(attention_logsumexp) X(fft) X(irfft) X(rotary_embedding) X(ragged_dot) X(resize) \
  X(recurrent) X(dynamic_update_slice) X(triangular_solve) X(lu) X(pivots_to_permutation) X(cholesky) X(geqrf) X(householder_product) X(eigh) X(svd) X(unfold) X(conv_filter_grad) X(pool_grad) X(random)
// clang-format on
#define X(name) TccStatus *tcc_eval_##name(TccEval *e) TCC_CHECKED;
TCC_EVAL_FUNCTIONS(X)
#undef X
#endif
