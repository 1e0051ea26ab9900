/* pull.h - the values of a kernel as functions of an index.
 *
 * Emission of map, row, scatter and scan kernels starts at a result's index and pulls: elementwise ops ask their operands
 * at the same index, views ask theirs at another one, gathers at one that was read from memory. What comes out is a DAG of
 * nodes over the dims of a loop nest, made before any text is written, so that the nest can still be changed by what was
 * found: a dim is split where a reshape splits it (and the pull starts over), and neighbouring dims are joined where every
 * address walks them evenly. Indices are affine in the dims plus terms that are computed; sizes stay expressions.
 */
#ifndef TCC_CODEGEN_PULL_H
#define TCC_CODEGEN_PULL_H
#include "tcc/codegen.h"

enum { TCC_PULL_DIMS = 24, TCC_PULL_TERMS = 4 };

typedef struct TccPullNode TccPullNode;
typedef struct {
  const TccExpr *offset;
  const TccExpr *coef[TCC_PULL_DIMS]; /* NULL: 0 */
  int nterms;
  struct {
    TccPullNode *node;
    const TccExpr *scale;
  } term[TCC_PULL_TERMS]; /* computed i64 lanes */
} TccPullIndex;

typedef enum {
  TCC_PULL_LOAD,    /* element at `index` (flat) of an argument, or of constant data */
  TCC_PULL_OP,      /* elementwise op on children */
  TCC_PULL_INDEX,   /* `index` itself as i64 */
  TCC_PULL_WRAP,    /* child as an index into an axis of size `size`: negative from the end, clamped inside; see `check` */
  TCC_PULL_DIVMOD,  /* (child / divisor) mod size */
  TCC_PULL_GUARD,   /* all bounds hold ? child 0 : child 1 */
  TCC_PULL_MIRROR,  /* child reflected into [0, size) (pad reflect) */
  TCC_PULL_CYCLE,   /* child modulo size (pad wrap) */
  TCC_PULL_REDUCED, /* value of a reduction of a row kernel */
} TccPullKind;

typedef struct {
  TccPullIndex index;
  const TccExpr *low, *high;
} TccPullBound; /* low <= index < high; NULL: open */

struct TccPullNode {
  TccPullKind kind;
  TccElem elem;     /* of the value in flight */
  int id;           /* dense, in order of creation: children first */
  int argument;     /* LOAD: -1 for constant data */
  const void *data; /* LOAD of a constant */
  size_t count;
  TccPullIndex index; /* LOAD, INDEX */
  MlirOperation op;   /* OP; REDUCED: the reduction */
  int nchildren;
  TccPullNode *child[4];
  const TccExpr *size, *divisor;
  int check;           /* WRAP: 1 + the kernel's check of this index, which is reported where it is outside; 0: none */
  bool natural;        /* of that check: negative indices are outside */
  signed char reports; /* whether it, or what it asks for, has a check: 1 it does, -1 it does not, 0 nobody has asked */
  int nbounds;
  TccPullBound *bound;
};

typedef struct {
  TccIr *ir;
  TccArena *arena;
  MlirOperation kernel;
  int ndims;
  const TccExpr *dim[TCC_PULL_DIMS]; /* sizes of the loop nest */
  bool indexed[TCC_PULL_DIMS];       /* used outside of addresses: must not be joined */
  int split;                         /* dim that must be split first, or -1 */
  int nparts;
  const TccExpr *part[TCC_PULL_DIMS]; /* into these sizes */
  TccMap *memo;
  TCC_VEC(TccPullNode *) nodes;
  /* Row kernels: a reduction that is asked for becomes a REDUCED node. */
  bool rows;
  uint32_t reduced;         /* set of reduced axes of the domain */
  const TccPullIndex *axis; /* index of each axis of the domain at the row */
  /* Ops whose results the emitter provides: they become REDUCED nodes. Null: there is none. Where there are two, both are asked for at one index. */
  MlirOperation anchor, second_anchor;
  const TccPullIndex *anchored; /* that index: one entry for each axis */
  TccStatus *status;            /* first failure */
} TccPull;

void tcc_pull_init(TccPull *p, TccIr *ir, MlirOperation kernel);
TccPullIndex tcc_pull_constant(TccPull *p, const TccExpr *value);
TccPullIndex tcc_pull_add(TccPull *p, const TccPullIndex *a, const TccPullIndex *b);
TccPullIndex tcc_pull_scale(TccPull *p, const TccPullIndex *a, const TccExpr *factor);
bool tcc_pull_is_constant(const TccPull *p, const TccPullIndex *a, const TccExpr **out);
/* What all lanes along a dim share, by node id; -1: what is one value. Of guards and reductions that is not known. shared: one for each node. */
void tcc_pull_lanes_share(const TccPull *p, int lane_dim, bool *shared);
/* The same of an index of such nodes. */
bool tcc_pull_lanes_share_index(const TccPullIndex *index, int lane_dim, const bool *shared);
/* The node for value at index (one entry per axis). NULL: p->status says why, or p->split asks for another nest. */
TccPullNode *tcc_pull_value(TccPull *p, MlirValue value, const TccPullIndex *index);
/* Row-major flat index. */
TccPullIndex tcc_pull_flat(TccPull *p, MlirType type, const TccPullIndex *index);
/* The dims that make up the axes of a shape: one each at first, more where a reshape asked for a split. */
typedef struct {
  int count;
  const TccExpr *size[TCC_PULL_DIMS];
  int axis[TCC_PULL_DIMS];
} TccPullDims;
void tcc_pull_dims_of(TccIr *ir, MlirType type, TccPullDims *out);
/* Takes the dims as p's and writes the index of each axis. */
void tcc_pull_use_dims(TccPull *p, const TccPullDims *dims, int rank, TccPullIndex *out_index);
/* Sets p up and pulls value over these dims, split where reshapes ask for it; out_index: of each of its axes. anchor: see TccPull, or a
 * null op. NULL: p->status says why. */
TccPullNode *tcc_pull_over(TccPull *p, TccIr *ir, MlirOperation kernel, MlirOperation anchor, MlirValue value, TccPullDims *dims,
                           TccPullIndex *out_index);
/* Splits the dims as p asks for. False, and p->status, if they would be too many. */
bool tcc_pull_resplit(TccPull *p, TccPullDims *dims);
/* Of an operand of a product that is computed in f32 and rounded to 16 bits for it the value in f32, where products are of f32 anyway; else the value itself
 * (docs/numerics.md). */
const TccPullNode *tcc_pull_before_rounding(TccIr *ir, const TccPullNode *node);
/* Whether a value may differ from place to place along dim. */
bool tcc_pull_moves(const TccPullNode *node, int dim);
bool tcc_pull_index_moves(const TccPullIndex *index, int dim);
/* The numbers of an index along the dims, if all are known. */
bool tcc_pull_known_index(const TccPull *p, const TccPullIndex *index, int64_t *offset, int64_t *step);
/* Whether a value is a constant 0, or that of a pad without one (NULL). */
bool tcc_pull_is_zero(const TccPullNode *node);
/* Pulls a result of the kernel over a nest of its own axes, split where reshapes ask for it. store: its flat index. Sets p
 * up. NULL: p->status says why. */
TccPullNode *tcc_pull_result(TccPull *p, TccIr *ir, MlirOperation kernel, MlirValue result, TccPullIndex *store);
/* The same of n results of one shape, over one nest: roots, stores: of each. False: p->status says why. */
bool tcc_pull_results(TccPull *p, TccIr *ir, MlirOperation kernel, const MlirValue *results, size_t n, TccPullNode **roots,
                      TccPullIndex *stores);
/* Joins dim d + 1 into d wherever every address of the nodes and of the given stores walks both evenly, or one of them has a single place. */
void tcc_pull_join_dims(TccPull *p, TccPullIndex *const *stores, int nstores);
#endif
