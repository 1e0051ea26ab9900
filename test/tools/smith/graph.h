/* graph.h - random modules over the op table, with inputs, and how far each of their values may be from exact.
 *
 * A value knows a bound of its numbers and of the error that rounding leaves in them (a forward error analysis, op by op), so that what a
 * correct compiler makes is told from what is wrong without trying: ops that jump (floor, comparisons, arg-max) get exact operands alone,
 * ops that are steep or have poles get operands that were brought into range. */
#ifndef TCC_SMITH_GRAPH_H
#define TCC_SMITH_GRAPH_H
#include "tcc/ir.h"
#include "tcc/tensor.h"

enum { SMITH_MAX_VALUES = 400, SMITH_MAX_RANK = 6 };

typedef struct {
  MlirType type;
  TccElem elem;
  int rank;
  int64_t dims[SMITH_MAX_RANK]; /* of the run: symbols have their values */
  bool integral;                /* its numbers are integers; error is 0 then */
  double bound;                 /* of their magnitude */
  double error;                 /* how far a correct result may be from that of exact arithmetic */
  bool used;
  bool constant; /* a leaf that is no argument */
  bool hidden;   /* smith_pick leaves it alone, and it is no output: only what reads it is known */
} SmithValue;

typedef struct {
  TccIr *ir;
  uint64_t state; /* of the generator */
  TccText functions, arguments, body;
  SmithValue values[SMITH_MAX_VALUES];
  size_t count, nops;
  TccHostTensor *inputs[SMITH_MAX_VALUES];
  size_t ninputs;
  int64_t symbol;      /* the value of "N" */
  int64_t counted[16]; /* and of "Z0", "Z1", ...: how many elements of some input are not zero */
  size_t ncounted;
  bool symbol_bound;
  bool narrow; /* it has values of 4 or 2 bits, or floats of 8 */
  bool large;  /* it begins with ops of the sizes that models have */
  size_t outputs[SMITH_MAX_VALUES], noutputs;
  TccText module; /* the whole */
} SmithGraph;

/* Makes the module of a seed with about so many ops; destroyed in any case. large: it begins with a few of the sizes that models have, which reach
 * what no small one does: blocks, panels, tails, shares of threads. TCC_INTERNAL: the generator is at fault. */
TccStatus *smith_make(TccIr *ir, uint64_t seed, size_t ops, bool large, SmithGraph *out) TCC_CHECKED;
void smith_destroy(SmithGraph *graph);
/* Which ops of the table the modules of these seeds have, on standard output: how often, or why they are left out. False: some op is neither
 * made nor left out, or is both. */
bool smith_coverage(TccIr *ir, uint64_t first, uint64_t count, size_t ops, bool large);

/* ---- for ops.c ---- */
uint64_t smith_random(SmithGraph *g, uint64_t below); /* [0, below); 0 if that is 0 */
bool smith_chance(SmithGraph *g, unsigned percent);
double smith_unit(TccElem elem); /* half of the distance of two numbers by their size; 0 of integers */
/* Any value that `fits`, which may look at more; SIZE_MAX: none does. */
typedef bool SmithFits(const SmithValue *value, const void *more);
size_t smith_pick(SmithGraph *g, SmithFits *fits, const void *more);
/* A new argument or constant; least and most are of its numbers. symbolic: an axis as large as the symbol may be named after it. */
size_t smith_leaf(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, double least, double most,
                  bool symbolic);
/* A constant of any size, as a model's weights are. */
size_t smith_stored(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, double least, double most);
/* The same as smith_leaf with these numbers, rounded to the type; row-major. */
size_t smith_leaf_of(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, const double *values);
/* The next size that data decide, of an argument: the number of its symbol, -1 if there are too many or it is a constant. */
int smith_count(SmithGraph *g, size_t argument);
/* Adds an op. attributes: text with braces, or "". declared: the result type where the rule does not tell it, or null. Bound, error and
 * integral of the result are the caller's; an op whose error is too large for its bound is not added. operands of SIZE_MAX are absent. The
 * place of the first result, SIZE_MAX: the rule does not take it. */
size_t smith_op(SmithGraph *g, const char *name, const size_t *operands, size_t noperands, const char *attributes,
                MlirType declared, bool integral, double bound, double error);
/* What is known of one result. certain: it is exact whatever the operands' errors are. */
typedef struct {
  bool integral, certain, hidden;
  double bound, error;
} SmithFact;
/* The same, with a fact for each result. */
size_t smith_op_with(SmithGraph *g, const char *name, const size_t *operands, size_t noperands, const char *attributes,
                     MlirType declared, const SmithFact *facts);
MlirType smith_type(SmithGraph *g, TccElem elem, int rank, const int64_t *dims);
/* Whether an argument's type has the symbol, so that an input tells it. */
bool smith_symbol_is_bound(const SmithGraph *g);
/* Adds x = tanh(x * a + b), `trips` times, of which a symbol may tell, as a call of a function; a has the sizes of x. */
size_t smith_loop(SmithGraph *g, size_t x, size_t a, size_t b, const char *trips, double bound, double error);
void smith_grow(SmithGraph *g);       /* adds an op, or finds that it cannot */
void smith_grow_large(SmithGraph *g); /* one of large.c */
#endif
