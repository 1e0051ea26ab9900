/* grad.h - what the files of tcc-grad share.
 *
 * Differentiation works on blocks: the ops of a block are walked from its end, each rule gives the cotangents of operands from those of
 * results, and the new ops stand behind all others (reverse.c). A function that is called is differentiated once for each pattern of what
 * needs a gradient (pair.c); activity.c says what does. Values run through functions that pass null on; a null cotangent or tangent
 * that no failure stands behind is 0. */
#ifndef TCC_GRAD_H
#define TCC_GRAD_H
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  TccArena *scratch;
  MlirOperation module;
  TccMap *reaches;           /* function name -> GradReach */
  TccMap *pairs;             /* function and pattern -> what was made of it */
  bool reverse;              /* mode: what an iteration of a loop makes is kept for its backward */
  double keep_price;         /* what a byte that is kept for the backward counts: 1 is the time of writing and reading it */
  bool failed;               /* diagnostics have been emitted */
  const TccPointerMap *late; /* ops of @main that depend on a barrier (late.c); NULL: there are none */
  TCC_VEC(MlirAttribute) saved, recomputed; /* tcc.saved and tcc.recomputed of the module, with run->explain */
} Grad;

/* ---- table.c ---- */
typedef enum { GRAD_FORMULA, GRAD_LINEAR, GRAD_RULE, GRAD_EXPAND, GRAD_ZERO, GRAD_NONE } GradKind;

/* An op whose cotangents are asked for. */
typedef struct GradOp {
  Grad *grad;
  TccIr *ir;
  TccBuilder *b;
  TccArena *scratch;
  MlirOperation op;
  TccOpKind kind;
  MlirValue g[TCC_MAX_RESULTS];      /* cotangents of the results; null: 0 */
  bool wanted[TCC_MAX_OPERANDS];     /* operands that need one */
  MlirValue given[TCC_MAX_OPERANDS]; /* what the rule gives; null: 0 */
  bool failed;                       /* a given value is null because a diagnostic has been emitted */
} GradOp;
typedef bool GradRule(GradOp *a); /* false: it has emitted a diagnostic */

#define TCC_GRAD(SYM, kind, linear, rule, text) GradRule tcc_grad_##rule;
#include "dialects/tcc/grads.def"

typedef struct {
  GradKind kind;
  const char *linear, *text;
  GradRule *rule;
} GradRow;
const GradRow *grad_row(TccOpKind kind);

/* ---- what rules ask and say ---- */
MlirValue grad_operand(const GradOp *a, int i); /* null where it is tcc.none */
MlirValue grad_result(const GradOp *a);         /* the first */
/* The cotangent of operand i; a null value is a failure. */
void grad_give(GradOp *a, int i, MlirValue cotangent);
bool grad_fail(GradOp *a, const char *format, ...) TCC_PRINTF(2, 3); /* emits; returns false */

/* ---- builders beside those of ir.h ---- */
typedef struct {
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} GradShape;
GradShape grad_shape(TccIr *ir, MlirValue value);
const TccExpr *grad_const(GradOp *a, int64_t value);
MlirValue grad_as_type(TccBuilder *b, MlirValue value, MlirType type); /* a reshape where sizes are spelled differently */
MlirValue grad_zeros(TccBuilder *b, MlirType type);                    /* a broadcast 0 */
MlirValue grad_full(TccBuilder *b, TccElem elem, double value, const GradShape *shape);
MlirValue grad_sum_to(TccBuilder *b, MlirValue value, MlirType type);     /* sums what broadcasting repeated, then has this type */
MlirValue grad_spread(TccBuilder *b, MlirValue value, MlirType type);     /* broadcast to the shape of type */
MlirValue grad_size_as(TccBuilder *b, const TccExpr *size, TccElem elem); /* a scalar */
MlirValue grad_flip(TccBuilder *b, MlirValue value, int axis);            /* reversed along axis */
MlirValue grad_pad_axis(TccBuilder *b, MlirValue x, int axis, const TccExpr *low, const TccExpr *high);
MlirValue grad_keep(TccBuilder *b, MlirValue reduced, MlirType of, const int64_t *axes, size_t naxes); /* axes of size 1 put back */
MlirValue grad_narrow(GradOp *a, MlirValue value, int operand); /* converted to the operand's element type */
TccElem grad_compute(TccElem elem);                             /* f32 for narrower floats */

/* ---- rules_index.c ---- */
/* 0 of `size` along axis, with g added at indices there: g has the axes of indices in the place of axis. The indices are in range. */
MlirValue grad_add_at(GradOp *a, MlirValue g, MlirValue indices, int axis, const TccExpr *size);

/* ---- formula.c ---- */
/* The value of the formula for operand i with g in the place of the cotangent: of the broadcast shape, in the type that is computed in.
 * Null: the op has no formula for it, or, with *out_failed, one diagnostic has been emitted. */
MlirValue grad_formula(GradOp *a, const char *text, int i, MlirValue g, bool *out_failed);

/* ---- activity.c ---- */
/* Which arguments the results of a function depend on by paths along which cotangents run: bits[result * words + argument / 64]. */
typedef struct {
  intptr_t narguments, nresults;
  size_t words;
  uint64_t *bits;
} GradReach;
const GradReach *grad_reach(Grad *g, MlirOperation func);
bool grad_reaches(const GradReach *r, intptr_t argument, intptr_t result);

/* Which values depend on some values and are needed for others: of the ops from `first` on in front of `until` (null: to the end). */
typedef struct {
  TccPointerMap varied, useful;
} GradActivity;
void grad_activity(Grad *g, MlirOperation first, MlirOperation until, const MlirValue *wrt, size_t nwrt, const MlirValue *of,
                   size_t nof, GradActivity *out);
bool grad_is_varied(const GradActivity *a, MlirValue value);
bool grad_is_active(const GradActivity *a, MlirValue value); /* varied and useful */
/* Emits a diagnostic for each op without a derivative on a path from wrt to of, in front of `until` (null: the end), in called functions, too;
 * in reverse mode for each loop without a bound. */
void grad_check(Grad *g, MlirBlock block, MlirOperation until, const MlirValue *wrt, size_t nwrt, const MlirValue *of, size_t nof);
/* Expands the ops whose row says so and that are active between wrt and these operands of `end`, an op of the block. */
void grad_expand(Grad *g, MlirBlock block, const MlirValue *wrt, size_t nwrt, MlirOperation end, const intptr_t *operands,
                 size_t nof);

/* ---- reverse.c ---- */
/* Builds in front of `before` the cotangents of wrt from those of `of`, seeds (null: 0), through the ops from `first` (null: that of the
 * block) on in front of `until`. out: one each, null where it is 0. */
bool grad_reverse(Grad *g, MlirBlock block, MlirOperation first, MlirOperation until, MlirOperation before,
                  const GradActivity *activity, const MlirValue *wrt, size_t nwrt, const MlirValue *of, const MlirValue *seeds,
                  size_t nof, MlirValue *out);
/* The cotangents of a's operands by its row, with a->g and a->wanted set: a->given. False after a diagnostic. */
bool grad_cotangents(GradOp *a);

/* ---- function.c: functions that are made ---- */
/* A name that no function of the module has: base and suffix, or with a number behind. */
const char *grad_name(Grad *g, TccStr base, const char *suffix);
/* A private copy of a function, in the module. */
MlirOperation grad_copy(Grad *g, MlirOperation func, const char *name);
/* The same function with the type that its block's arguments and its return have now; func is gone. */
MlirOperation grad_retype(Grad *g, MlirOperation func, const char *name);
MlirOperation grad_add_function(Grad *g, const char *name, MlirLocation location, MlirBlock block);
/* Replaces the operands of the block's return. */
void grad_set_return(Grad *g, MlirBlock block, const MlirValue *values, size_t count);
/* A call at b. */
MlirOperation grad_build_call(TccBuilder *b, const char *callee, const MlirValue *operands, size_t noperands);

/* ---- pair.c ---- */
/* An argument of a backward function. */
typedef struct {
  enum { GRAD_SAVED, GRAD_ARGUMENT, GRAD_COTANGENT } kind;
  intptr_t index; /* SAVED: a result of the forward function; ARGUMENT, COTANGENT: an argument, a result of the function itself */
} GradInput;

/* A function differentiated for one pattern. While it is made, backward is a block on its own without a return. */
typedef struct {
  MlirOperation forward; /* results: those of the function, then what is saved */
  MlirBlock backward;
  TCC_VEC(GradInput) inputs;  /* of backward, in the order of its arguments */
  TCC_VEC(MlirValue) results; /* of forward */
  intptr_t nresults;          /* of the function itself */
  MlirValue *gradients;       /* of each argument of the function, in backward; null: 0, or not wanted */
} GradSplit;
/* Differentiates a copy of func: cotangents of the results `given`, gradients of the arguments `wanted`, and splits it into two. alive: of
 * each argument, whether the caller has it anyway. */
bool grad_split(Grad *g, MlirOperation func, const char *name, const bool *wanted, const bool *given, const bool *alive,
                GradSplit *out);
/* Of each operand of a call whether it is in memory from the first op to the last: arguments, weights, constants; false in front of `from`. */
bool *grad_alive(Grad *g, MlirOperation call, intptr_t from);

/* Replaces the call by one of the forward function of its pattern, builds the call of the backward function with b and gives the cotangents
 * of the wanted operands, out[i] null where 0. */
bool grad_call(Grad *g, TccBuilder *b, MlirOperation call, const bool *wanted, const MlirValue *cotangents, MlirValue *out);

/* ---- recompute.c ---- */
/* A function whose ops in front of marker are the forward part, those behind it the backward. */
typedef struct {
  const char *function; /* the name of the forward function */
  MlirBlock block;
  MlirOperation marker;
  const bool *alive; /* of each argument of the function itself, as of grad_split */
  intptr_t narguments;
  const MlirValue *gradients; /* what the backward returns; null: nothing */
  size_t ngradients;
  const TccPointerMap *late; /* ops whose results live no longer than their gradients are made (late.c); NULL: none */
} GradCut;

/* The ops in front of the marker which those behind it had better have again than read the results of: out[op] is not null. All that such
 * an op reads is an argument, kept, or made again, too. */
void grad_recompute(Grad *g, const GradCut *cut, TccPointerMap *out);
/* The ops of `again` that value needs and that are not `listed` yet, each behind those that make its operands, and lists them. */
typedef TCC_VEC(MlirOperation) GradOps;
void grad_order_again(Grad *g, const TccPointerMap *again, TccPointerMap *listed, MlirValue value, GradOps *out);
/* What making an op's results costs, in bytes of memory traffic; infinite where it must not be made twice. */
double grad_work(TccIr *ir, TccOpKind kind, MlirOperation op);
double grad_bytes(TccIr *ir, MlirValue value); /* with sizes as they are likely to be */
bool grad_is_free(TccOpKind kind);             /* constants and their kin: the backward has its own */

/* ---- saved.c ---- */
/* Notes what the backward reads of the forward, and what is made again, for tcc-explain. again: of grad_recompute. */
void grad_note_saved(Grad *g, const GradCut *cut, const TccPointerMap *again);
void grad_set_saved(Grad *g); /* as attributes of the module */

/* ---- again.c ---- */
/* Cuts where both parts stay in one block: the ops behind the marker read what is computed again there. */
void grad_again(Grad *g, const GradCut *cut);

/* ---- late.c ---- */
/* Ops in front of the marker that depend on a barrier, in their order, and as a set. */
typedef struct {
  TCC_VEC(MlirOperation) ops;
  TccPointerMap set;
  MlirOperation end; /* of the block */
} GradLate;
void grad_find_late(Grad *g, MlirBlock block, MlirOperation marker, GradLate *out);
void grad_move_late(Grad *g, const GradLate *late); /* each in front of its first reader in the backward */

/* ---- loop.c ---- */
/* The same for a loop. */
bool grad_loop(Grad *g, TccBuilder *b, MlirOperation call, const TccLoopCall *loop, const bool *wanted, const MlirValue *cotangents,
               MlirValue *out);

/* ---- forward.c ---- */
/* Builds the tangents of `of` from those of wrt, each op's behind it. out: null where 0. */
bool grad_forward(Grad *g, MlirBlock block, const MlirValue *wrt, const MlirValue *tangents, size_t nwrt, const MlirValue *of,
                  size_t nof, MlirValue *out);
#endif
