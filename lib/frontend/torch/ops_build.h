/* ops_build.h - formulas in handlers: shorthands of builders, and steps that several families of overloads have in common. As in ir.h, null
 * values in give null values. */
#ifndef TCC_TORCH_OPS_BUILD_H
#define TCC_TORCH_OPS_BUILD_H
#include "lib/frontend/torch/import.h"
#include "tcc/op_kinds.h"

static inline MlirValue torch_add(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_ADD, a, b); }
static inline MlirValue torch_sub(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_SUB, a, b); }
static inline MlirValue torch_mul(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_MUL, a, b); }
static inline MlirValue torch_div(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_DIV, a, b); }
static inline MlirValue torch_neg(ImportCall *c, MlirValue a) { return tcc_build1(&c->b, TCC_OP_NEG, a); }
static inline MlirValue torch_plus(ImportCall *c, MlirValue a, double b) { return tcc_build2_number(&c->b, TCC_OP_ADD, a, b); }
static inline MlirValue torch_times(ImportCall *c, MlirValue a, double b) { return tcc_build2_number(&c->b, TCC_OP_MUL, a, b); }
static inline MlirValue torch_from(ImportCall *c, double a, MlirValue b) { /* a - b */
  return b.ptr ? torch_sub(c, tcc_build_scalar(&c->b, tcc_value_elem(b), a), b) : b;
}
static inline MlirValue torch_constant(ImportCall *c, TccElem elem, double value) {
  return tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, value) : tcc_build_scalar_i64(&c->b, elem, (int64_t)value);
}
/* x `predicate` number, as bool */
static inline MlirValue torch_is(ImportCall *c, const char *predicate, MlirValue x, double number) {
  return x.ptr ? tcc_build_compare(&c->b, predicate, x, torch_constant(c, tcc_value_elem(x), number)) : x;
}
static inline MlirValue torch_if(ImportCall *c, MlirValue condition, MlirValue x, MlirValue y) {
  return tcc_build_select(&c->b, condition, x, y);
}
/* condition ? x : number */
static inline MlirValue torch_if_number(ImportCall *c, MlirValue condition, MlirValue x, double number) {
  return x.ptr ? tcc_build_select(&c->b, condition, x, torch_constant(c, tcc_value_elem(x), number)) : x;
}
static inline MlirValue torch_convert(ImportCall *c, MlirValue x, TccElem elem) { return tcc_build_convert(&c->b, x, elem); }
static inline MlirValue torch_sum(ImportCall *c, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims) {
  return tcc_build_reduce(&c->b, "sum", x, axes, naxes, keepdims);
}
static inline MlirValue torch_both(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_AND, a, b); }
static inline MlirValue torch_either(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_OR, a, b); }
/* Output 0, in the type that the graph declares. */
static inline bool torch_answer(ImportCall *c, MlirValue y) {
  TccElem elem = torch_result(c, 0);
  return elem && torch_output(c, 0, torch_convert(c, y, elem));
}
/* x, one value, as often as the shape asks. */
static inline MlirValue torch_filled(ImportCall *c, MlirValue x, int rank, const TccExpr *const *dims) {
  return tcc_build_broadcast(&c->b, x, rank, dims);
}

/* ops_random.c: x in training, elements dropped with probability p and the others scaled. */
MlirValue torch_dropout(ImportCall *c, MlirValue x, double p);
/* The argument of a dropout that elements are dropped of: in-place forms call it self. */
const char *torch_dropout_input(ImportCall *c);
/* bool: which elements of that shape stay where each is dropped with probability p, by the numbers of a stream. */
MlirValue torch_kept(ImportCall *c, ImportStream *stream, double p, int rank, const TccExpr *const *dims);
/* x / (1 - p) where it is kept, else 0. */
MlirValue torch_dropped(ImportCall *c, MlirValue x, MlirValue kept, double p);
/* ops_matrix.c */
bool torch_is_number(TorchNumber n, double number);
/* product * alpha + beta * self, these as the node has them; self is not read where beta is 0. */
MlirValue torch_scaled_sum(ImportCall *c, MlirValue product);
/* ops_steps.c */
/* a op b; of bools torch's add and max are or, its mul and min are and. */
MlirValue torch_build2(ImportCall *c, TccOpKind kind, MlirValue a, MlirValue b);
/* x, at least (TCC_OP_MAX) or at most (TCC_OP_MIN) what the argument is, a number or a tensor. A number that all integers of x's type keep
 * bounds nothing; one that none of them keeps is an error, as in torch. */
MlirValue torch_bound(ImportCall *c, TccOpKind kind, MlirValue x, const char *name);
bool torch_has_parameter(ImportCall *c, const char *name); /* of the overload's schema */
/* [C] as [C, 1, ...], to broadcast behind the batch of a tensor of that rank. */
MlirValue torch_channels(ImportCall *c, MlirValue v, int rank);
/* The axes of a tensor of that rank but `axis`; their number. */
size_t torch_other_axes(int rank, int64_t axis, int64_t *out);
/* axis becomes the first (from 1) or the first becomes `axis` (back); the others keep their order. */
MlirValue torch_move_axis(ImportCall *c, MlirValue x, int64_t from, int64_t to);
/* The p-norm of absolute values over axes, none of which is there: of each alone. */
MlirValue torch_norm(ImportCall *c, MlirValue sizes, double p, const int64_t *axes, size_t naxes, bool keepdims);
/* rows * columns zeros for a constant that a node asks for; NULL and a reason: they would be too many. */
double *torch_axis_matrix(ImportCall *c, int64_t rows, int64_t columns);
/* x with `axis` multiplied by a constant matrix of rows * columns (NULL: after a reason): r[..., j, ...] = sum_i x[..., i, ...] * matrix[i * columns + j]. */
MlirValue torch_axis_product(ImportCall *c, MlirValue x, int64_t axis, const double *matrix, int64_t rows, int64_t columns);
/* Whether a size is a constant, or torch_fixed makes it one. */
bool torch_is_fixed(ImportCall *c, const TccExpr *size);
/* The value of a size as a constant; false and a reason if it is symbolic. */
bool torch_fixed(ImportCall *c, const TccExpr *size, int64_t *out);
/* The values broadcast against each other. */
bool torch_broadcast_all(ImportCall *c, MlirValue *values, size_t count, ImportShape *out);
/* Arguments that are tensors or numbers, as this type and broadcast against each other. */
bool torch_operands(ImportCall *c, const char *const *names, size_t count, TccElem elem, MlirValue *out, ImportShape *shape);
/* Whether any element of a bool tensor is true: rank 0. */
MlirValue torch_any(ImportCall *c, MlirValue x);

/* ops_rng_state.c: runs the operator that argument `at` names on the arguments behind it; its results are the node's from `first` on. */
bool torch_call_operator(ImportCall *c, size_t at, size_t first);
/* ops_symbolic.c: the run checks that a bool of rank 0 holds; its error says the message. */
bool torch_assert(ImportCall *c, MlirValue holds, TccStr message);
/* ops_strided.c: whether elements lie without gaps in row-major order; false, too, with a reason. */
bool torch_is_row_major(ImportCall *c, const TccTorchMeta *meta);

/* One iteration: values, and whether there is another one (rank 0, bool), of the values before it. */
typedef MlirValue TorchIteration(ImportCall *c, MlirValue *values, const void *user);
enum { TORCH_MOST_CARRIED = 8 };
/* A loop of the run-time, while `go` (rank 0, bool): values become what they are behind it. What an iteration makes has the types of what it
 * was given. */
bool torch_iterate(ImportCall *c, MlirValue go, MlirValue *values, size_t count, TorchIteration *step, const void *user);

/* ops_search.c. How many elements of the last axis of `sequence` do not compare so (right: greater; else not less) with each element of values:
 * [..., n] of [..., m] and [..., n]. NaN among the values does not compare, and lies behind all. */
MlirValue torch_count_before(ImportCall *c, MlirValue sequence, MlirValue values, bool right);
/* How many of the numbers `at`, i64 [m], are k or less, for each k from 0 to n - 1: [n]. The run checks that they are from 0 to n - 1. */
MlirValue torch_count_up_to(ImportCall *c, MlirValue at, const TccExpr *n);

/* ops_quantized.c. An argument that is a number or a tensor of one element, as a value without axes. */
MlirValue torch_one(ImportCall *c, const char *name, TccElem elem);
/* Elements that are those of an axis of x, to be broadcast against it. */
MlirValue torch_along(ImportCall *c, MlirValue v, const ImportShape *x, int64_t axis);

/* ops_special.c: of f64. */
MlirValue torch_log_gamma(ImportCall *c, MlirValue x);
MlirValue torch_digamma(ImportCall *c, MlirValue x);
MlirValue torch_trigamma(ImportCall *c, MlirValue x);
/* coefficients[0] + coefficients[1] x + ... */
MlirValue torch_polynomial(ImportCall *c, MlirValue x, const double *coefficients, int count);
#endif
