/* ops.h - what the files of ops share. Each op is a function smith_add_NAME, a row of ops.def: it looks for operands, makes those that are
 * missing, and adds the op with what is known of its result; where it finds none it does nothing. */
#ifndef TCC_SMITH_OPS_H
#define TCC_SMITH_OPS_H
#include "test/tools/smith/graph.h"
#include <math.h>
#include <stdio.h>

static const MlirType rule_tells = {NULL}; /* the result's type */

/* Of a float op's result: what comes in, and `units` roundings. */
double smith_rounded(const SmithGraph *g, size_t of, double in, double units, double bound);

/* ---- what operands may be: for smith_pick; more is the least rank where axes are asked for ---- */
bool smith_is_number(const SmithValue *v, const void *more);
bool smith_is_float(const SmithValue *v, const void *more);
bool smith_is_any(const SmithValue *v, const void *more);
bool smith_is_exact(const SmithValue *v, const void *more);
bool smith_is_bits(const SmithValue *v, const void *more);
bool smith_is_bool(const SmithValue *v, const void *more);
bool smith_has_axes(const SmithValue *v, const void *more);
bool smith_has_float_axes(const SmithValue *v, const void *more);
bool smith_has_exact_axes(const SmithValue *v, const void *more);
bool smith_broadcasts(const SmithValue *a, const SmithValue *b);
TccElem smith_any_float(SmithGraph *g);
TccElem smith_any_elem(SmithGraph *g);
void smith_any_dims(SmithGraph *g, int rank, int64_t *dims);
size_t smith_any_leaf(SmithGraph *g, TccElem elem, int rank, const int64_t *dims);
/* One that broadcasts with v: there, or made. */
size_t smith_partner(SmithGraph *g, size_t v, bool exact);
/* v times a number, so that its bound is at most limit. */
size_t smith_bring_below(SmithGraph *g, size_t v, double limit);
/* |v| + least. */
size_t smith_bring_above(SmithGraph *g, size_t v, double least);

/* ---- attributes: text between braces, which smith_open_attributes begins ---- */
void smith_put_ints(TccText *text, const char *name, const int64_t *values, int count);
void smith_put_list(TccText *text, const char *name, const int64_t *values, int count);
TccText smith_open_attributes(void);
/* An op that only moves: the result is what the operand is. Destroys the text. */
size_t smith_add_moved(SmithGraph *g, const char *name, size_t v, TccText *attributes, MlirType declared);

/* ---- factors of products ---- */
/* Alike but for the size of this axis. */
bool smith_same_but(const SmithValue *v, const SmithValue *x, int axis);
/* A value of this shape, there or made, not larger than 4. */
size_t smith_factor(SmithGraph *g, TccElem elem, int rank, const int64_t *dims);
/* An op that sums `depth` products of its first two operands. */
void smith_add_product(SmithGraph *g, const char *name, const size_t *operands, size_t n, const char *attributes, double depth);

#define SMITH_OP(name, weight) void smith_add_##name(SmithGraph *g);
#include "test/tools/smith/ops.def"
#endif
