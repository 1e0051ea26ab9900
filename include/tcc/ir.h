/* ir.h - what passes, importers and code generators share on top of the MLIR C API.
 *
 * One TccIr per compilation and thread: it owns the MLIR context, an arena for compile-time data and the pool of symbolic
 * sizes. Nothing here is thread-safe. Values and operations are MLIR's (borrowed) unless a name says otherwise. */
#ifndef TCC_IR_H
#define TCC_IR_H
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "tcc/base.h"
#include "tcc/elem.h"
#include "tcc/expr.h"
#include "tcc/kinds.h"
#include "tcc/limit.h"
#include "tcc/options.h"

enum { TCC_MAX_RANK = 16 };

/* Which op of the dialect: an enumerator of op_kinds.h. */
typedef int TccOpKind;
enum { TCC_OP_UNKNOWN = 0 }; /* an op of another dialect */

typedef enum { TCC_LEVEL_STRUCT, TCC_LEVEL_PRIM, TCC_LEVEL_COMP } TccLevel;

typedef struct TccIr {
  MlirContext context;
  TccArena *arena;
  TccExprPool *exprs;
  TccMap *likely;             /* symbolic sizes that are likely, by name; NULL: none is known */
  TccMap *routines;           /* of emitters: functions that many kernels have alike, by what they depend on */
  TccLimit limit;             /* of the compilation; none unless somebody sets it */
  struct TccIrTables *tables; /* interned identifiers; private to lib/ir */
} TccIr;

/* Creates a context with the dialects of tcc loaded (tcc, func, and builtin); others are loaded by who needs them. */
TCC_EXPORT TccIr *tcc_ir_create(void);
TCC_EXPORT void tcc_ir_destroy(TccIr *ir);

/* For callbacks of MLIR's printers: appends a piece to the TccText that is the callback's user data. */
static inline void tcc_append(MlirStringRef piece, void *text) { tcc_text_put((TccText *)text, piece.data, piece.length); }

/* ---- ops: the table ---- */
TCC_EXPORT TccOpKind tcc_op_kind(TccIr *ir, MlirOperation op); /* constant time; TCC_OP_UNKNOWN for foreign ops */
TCC_EXPORT const char *tcc_op_name(TccOpKind kind);            /* "tcc.add" */
TCC_EXPORT TccLevel tcc_op_level(TccOpKind kind);
TCC_EXPORT bool tcc_op_has_trait(TccOpKind kind, char trait); /* letters of ops.def */
/* Additions, multiplications and other operations on single numbers that the op's formula has; 0 of what moves data. NULL: a size is not known. */
TCC_EXPORT const TccExpr *tcc_op_flops(TccIr *ir, MlirOperation op);

/* ---- types ---- */
TCC_EXPORT TccElem tcc_type_elem(MlirType type); /* of a ranked tensor or scalar type */
TCC_EXPORT int tcc_type_rank(MlirType type);     /* -1: not a ranked tensor */
/* A size; NULL where it is unknown ("?" in the encoding, or a dynamic size without encoding). Rules treat unknown sizes as
 * agreeing with every other. tcc_tensor_type takes NULL for them. */
TCC_EXPORT const TccExpr *tcc_type_dim(TccIr *ir, MlirType type, int axis);
TCC_EXPORT bool tcc_type_is_static(MlirType type);
/* Whether the sizes of all that root and the ops in it make are constants or expressions over symbols, as code asks for: what is "?" could
 * not be checked at run time. Else false, and the first op and axis of which that is not so. */
TCC_EXPORT bool tcc_sizes_known(TccIr *ir, MlirOperation root, MlirOperation *out_op, int *out_axis);
#define TCC_SIZE_UNKNOWN "the size of axis %d is not known: give it a name in the type's encoding"
/* The null type if a constant size is negative. */
TCC_EXPORT MlirType tcc_tensor_type(TccIr *ir, TccElem elem, int rank, const TccExpr *const *dims);
TCC_EXPORT MlirType tcc_tensor_type_static(TccIr *ir, TccElem elem, int rank, const int64_t *dims);
TCC_EXPORT MlirType tcc_type_with_elem(TccIr *ir, MlirType type, TccElem elem);
TCC_EXPORT const TccExpr *tcc_type_count(TccIr *ir, MlirType type);     /* number of elements; NULL if a size is unknown */
TCC_EXPORT bool tcc_type_same_shape(TccIr *ir, MlirType a, MlirType b); /* of ranked tensors; element types may differ */
/* The null type of a null value, as builders give it of what they cannot build; it is no tensor: its rank is -1. */
static inline MlirType tcc_value_type(MlirValue value) { return value.ptr ? mlirValueGetType(value) : (MlirType){NULL}; }
TCC_EXPORT bool tcc_value_is_none(TccIr *ir, MlirValue value);   /* result of tcc.none: an absent operand */
TCC_EXPORT TccOpKind tcc_value_kind(TccIr *ir, MlirValue value); /* kind of the defining op; UNKNOWN for arguments */
TCC_EXPORT TccElem tcc_value_elem(MlirValue value);              /* NONE for a null value */
TCC_EXPORT MlirOperation tcc_value_op(MlirValue value);          /* defining op, or null */

/* ---- attributes; get_* return false (and leave *out) where the attribute is absent and the table has no default ---- */
TCC_EXPORT bool tcc_get_i64(TccIr *ir, MlirOperation op, const char *name, int64_t *out);
TCC_EXPORT bool tcc_get_f64(TccIr *ir, MlirOperation op, const char *name, double *out);
TCC_EXPORT bool tcc_get_bool(TccIr *ir, MlirOperation op, const char *name, bool *out);
TCC_EXPORT bool tcc_get_str(TccIr *ir, MlirOperation op, const char *name, TccStr *out);
TCC_EXPORT bool tcc_get_ints(TccIr *ir, MlirOperation op, const char *name, const int64_t **out, size_t *out_count); /* arena */
/* ---- what must hold of sizes: a module's tcc.constraints, expressions that must not be negative (e and -e: e is 0), and
 * tcc.constraint_origins, which says of each who asks; constraints.c ---- */
typedef struct {
  TccSizeRelation relation;
  const TccExpr *left, *right;
  const char *origin; /* "node 'y', Add", or "" */
} TccConstraint;
/* Of `e` and `-e` one equation is made, of `e` and what divides its rounded part a multiple. Arena memory. */
TCC_EXPORT const TccConstraint *tcc_ir_constraints(TccIr *ir, MlirOperation module, size_t *out_count);
/* Adds expressions that must not be negative, each with who asks; what the module has already is passed over. */
TCC_EXPORT void tcc_ir_add_constraints(TccIr *ir, MlirOperation module, const TccExpr *const *exprs, const char *const *origins,
                                       size_t count);
/* Assumes the equations among them, and no others. */
TCC_EXPORT void tcc_ir_assume(TccIr *ir, MlirOperation module);
/* Adds what the rules of all ops that @main reaches ask of sizes and cannot decide (TccRuleInput.bounds). What a loop's body asks
 * need not hold if the loop has no iteration. The module must be valid. */
TCC_EXPORT void tcc_ir_constrain(TccIr *ir, MlirOperation module);
TCC_EXPORT bool tcc_get_exprs(TccIr *ir, MlirOperation op, const char *name, const TccExpr *const **out, size_t *out_count);
/* An attribute as it stands, without the table's default; null: there is none. */
static inline MlirAttribute tcc_attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}
static inline bool tcc_has_attribute(MlirOperation op, const char *name) { return !mlirAttributeIsNull(tcc_attribute(op, name)); }
static inline void tcc_set_attribute(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}
/* Shorthands that assert presence (the verifier has run). */
TCC_EXPORT int64_t tcc_i64(TccIr *ir, MlirOperation op, const char *name);
TCC_EXPORT double tcc_f64(TccIr *ir, MlirOperation op, const char *name);
TCC_EXPORT bool tcc_bool(TccIr *ir, MlirOperation op, const char *name);
TCC_EXPORT TccStr tcc_string(TccIr *ir, MlirOperation op, const char *name);

TCC_EXPORT MlirAttribute tcc_attr_i64(TccIr *ir, int64_t value);
TCC_EXPORT MlirAttribute tcc_attr_f64(TccIr *ir, double value);
TCC_EXPORT MlirAttribute tcc_attr_bool(TccIr *ir, bool value);
TCC_EXPORT MlirAttribute tcc_attr_str(TccIr *ir, TccStr value);
TCC_EXPORT MlirAttribute tcc_attr_ints(TccIr *ir, const int64_t *values, size_t count);
TCC_EXPORT MlirAttribute tcc_attr_exprs(TccIr *ir, const TccExpr *const *values,
                                        size_t count); /* ArrayAttr of integers and strings */

/* ---- building: result types come from the op's rule ---- */
typedef struct {
  const char *name;
  MlirAttribute value;
} TccNamedAttr;
typedef struct {
  TccIr *ir;
  MlirBlock block;
  MlirOperation before; /* insert before this op; null: append to block */
  MlirLocation location;
} TccBuilder;
/* Builds an op. result: NULL for ops whose type the rule computes, else the given type (trait X) of the only result.
 * On a rule violation emits one diagnostic at b->location and returns a null operation. Optional operands may be null
 * values: a tcc.none is made for them. */
TCC_EXPORT MlirOperation tcc_build(TccBuilder *b, TccOpKind kind, const MlirValue *operands, size_t noperands,
                                   const TccNamedAttr *attrs, size_t nattrs, const MlirType *result);
/* The only result of that op; null on error. */
TCC_EXPORT MlirValue tcc_build_value(TccBuilder *b, TccOpKind kind, const MlirValue *operands, size_t noperands,
                                     const TccNamedAttr *attrs, size_t nattrs, const MlirType *result);
/* The attributes of op, the first `room` of them, to build one like it; returns how many. */
TCC_EXPORT size_t tcc_named_attributes(MlirOperation op, TccNamedAttr *out, size_t room);
/* The same for the common cases. Null values in (or the element type NONE), null value out, without another diagnostic. */
TCC_EXPORT MlirValue tcc_build1(TccBuilder *b, TccOpKind kind, MlirValue x);
TCC_EXPORT MlirValue tcc_build2(TccBuilder *b, TccOpKind kind, MlirValue x, MlirValue y);
TCC_EXPORT MlirValue tcc_build2_number(TccBuilder *b, TccOpKind kind, MlirValue x, double y); /* y in x's element type */
TCC_EXPORT MlirValue tcc_build_select(TccBuilder *b, MlirValue condition, MlirValue x, MlirValue y);
TCC_EXPORT MlirValue tcc_build_compare(TccBuilder *b, const char *predicate, MlirValue x, MlirValue y);
TCC_EXPORT MlirValue tcc_build_gather(TccBuilder *b, MlirValue x, MlirValue indices, int64_t axis);
TCC_EXPORT MlirValue tcc_build_scalar(TccBuilder *b, TccElem elem, double value); /* rank-0 constant */
TCC_EXPORT MlirValue tcc_build_scalar_i64(TccBuilder *b, TccElem elem, int64_t value);
TCC_EXPORT MlirValue tcc_build_constant(TccBuilder *b, TccElem elem, int rank, const int64_t *dims, const void *data); /* copies */
TCC_EXPORT MlirValue tcc_build_sizes(TccBuilder *b, const TccExpr *const *values, size_t count); /* i64, rank 1 */
TCC_EXPORT MlirValue tcc_build_size(TccBuilder *b, const TccExpr *value);                        /* i64, rank 0 */
TCC_EXPORT MlirValue tcc_build_iota(TccBuilder *b, TccElem elem, int64_t axis, int rank, const TccExpr *const *dims);
TCC_EXPORT MlirValue tcc_build_convert(TccBuilder *b, MlirValue x, TccElem elem); /* x itself if nothing changes */
TCC_EXPORT MlirValue tcc_build_reshape(TccBuilder *b, MlirValue x, int rank, const TccExpr *const *dims);
TCC_EXPORT MlirValue tcc_build_broadcast(TccBuilder *b, MlirValue x, int rank, const TccExpr *const *dims);
TCC_EXPORT MlirValue tcc_build_transpose(TccBuilder *b, MlirValue x, const int64_t *perm);
TCC_EXPORT MlirValue tcc_build_slice(TccBuilder *b, MlirValue x, const TccExpr *const *starts, const int64_t *steps,
                                     const TccExpr *const *sizes);
/* x[..., start + i * step, ...] for i in [0, size) of one axis; an error where x has no such axis. */
TCC_EXPORT MlirValue tcc_build_slice_axis(TccBuilder *b, MlirValue x, int64_t axis, const TccExpr *start, int64_t step,
                                          const TccExpr *size);
/* An axis of size 1 more, or less; the rank stays within TCC_MAX_RANK. */
/* [1, .., n / 2 + 1, .., 1], `rank` axes, for the frequencies along axis of n real numbers: 1 for the first and, of an even n, the last; `factor` for the
 * others, each of which stands for its conjugate, too. */
TCC_EXPORT MlirValue tcc_build_pair_factors(TccBuilder *b, TccElem elem, const TccExpr *n, int64_t axis, int rank, double factor);
TCC_EXPORT MlirValue tcc_build_unsqueeze(TccBuilder *b, MlirValue x, int64_t axis);
TCC_EXPORT MlirValue tcc_build_squeeze(TccBuilder *b, MlirValue x, int64_t axis);
/* x with `low` and `high` elements, one number for each axis, around it: of `value` (null: zeros), or as `mode` says; negative ones crop. */
TCC_EXPORT MlirValue tcc_build_pad(TccBuilder *b, MlirValue x, MlirValue value, const TccExpr *const *low,
                                   const TccExpr *const *high, const char *mode);
TCC_EXPORT MlirValue tcc_build_concat(TccBuilder *b, const MlirValue *values, size_t count, int64_t axis);
TCC_EXPORT MlirValue tcc_build_reduce(TccBuilder *b, const char *kind, MlirValue x, const int64_t *axes, size_t naxes,
                                      bool keepdims);
TCC_EXPORT MlirValue tcc_build_mean(TccBuilder *b, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims);
TCC_EXPORT MlirValue tcc_build_dot_general(TccBuilder *b, MlirValue x, MlirValue y, const int64_t *lhs_batch,
                                           const int64_t *rhs_batch, size_t nbatch, const int64_t *lhs_contract,
                                           const int64_t *rhs_contract, size_t ncontract);

typedef struct {
  TccStr name;
  int64_t value;
} TccSize;
/* Symbolic sizes become constants in all types of the module, and wherever an expression is read from then on. Ops keep their kinds: the
 * rules check what comes of it. */
TCC_EXPORT void tcc_ir_specialise(TccIr *ir, MlirOperation module, const TccSize *sizes, size_t nsizes);

/* The value of e where symbols are as ir->likely has them, others TCC_LIKELY_SIZE, as is an unknown size (NULL): a guess for choices that are right for all
 * sizes. At least 1. */
enum { TCC_LIKELY_SIZE = 320 };
TCC_EXPORT int64_t tcc_ir_likely(TccIr *ir, const TccExpr *e);

/* ---- the values of small integer tensors: constants, sizes, and arithmetic, slices, concats, gathers, casts, reshapes
 * of them. Returns NULL if they are not known. Entries are in row-major order; count is the number of elements. Floats are
 * followed where their values are integers (Resize scales aside). Memoised per value; a pass that erased ops forgets. ---- */
TCC_EXPORT void tcc_symbolic_forget(TccIr *ir);
TCC_EXPORT const TccExpr *const *tcc_symbolic_value(TccIr *ir, MlirValue value, size_t *out_count);
/* The bytes of a constant in row-major order of its element type (bool: a byte each), or NULL if value is no constant.
 * A splat is expanded, but one of more than 2^24 elements: NULL. Arena memory. */
TCC_EXPORT const void *tcc_constant_data(TccIr *ir, MlirValue value, size_t *out_count);
/* The bytes of the element that all of a constant are; NULL if value is no such constant, or an empty one. Arena memory. */
TCC_EXPORT const void *tcc_constant_splat(TccIr *ir, MlirValue value);

/* ---- indices that gathers and scatters read from tensors ---- */
typedef enum { TCC_VALID_ANY, TCC_VALID_SIGNED, TCC_VALID_UNSIGNED } TccValid; /* attribute `valid` of ops.def */
/* One of them: what names axis `axis`, of `size`, of op's operand 0. An index tuple of gather_nd or scatter_nd is several. */
typedef struct {
  MlirOperation op;
  TccValid valid;
  int axis;
  const TccExpr *size, *count; /* of the axis; elements of the tensor of indices. NULL: unknown */
  TccStr message;              /* attribute of ops.def; empty: there is none */
  bool reads;                  /* a gather, which needs an element of the axis for each index */
} TccIndexCheck;
TCC_EXPORT TccValid tcc_valid(TccIr *ir, MlirOperation op);
/* Any index is valid for the ops of the module's functions from now on. */
TCC_EXPORT void tcc_clamp_indices(TccIr *ir, MlirOperation module);
/* All of a kernel, in the order of its ops; the array is the arena's. */
TCC_EXPORT size_t tcc_index_checks(TccIr *ir, MlirOperation kernel, const TccIndexCheck **out);
/* Which of them is the first of op, a gather or scatter in a kernel; -1: any index is valid. */
TCC_EXPORT int tcc_index_check_of(TccIr *ir, MlirOperation op);

/* ---- numerics: what passes and kernels may do to numbers (docs/numerics.md) ----
 *
 * The attribute tcc.numerics of a module, for passes, and of a kernel, for its emitter; without one it is fast. */
TCC_EXPORT bool tcc_numerics_named(TccStr word, TccNumerics *out); /* false: there is none of that name */
TCC_EXPORT TccNumerics tcc_numerics(MlirOperation module_or_kernel);
TCC_EXPORT void tcc_set_numerics(TccIr *ir, MlirOperation module_or_kernel, TccNumerics numerics);

/* ---- rules ---- */
typedef TCC_VEC(const TccExpr *) TccBounds; /* must not be negative */
typedef struct {
  TccIr *ir;
  TccOpKind kind;
  size_t noperands;
  const MlirType *operand;  /* a tcc.none operand has NoneType */
  MlirAttribute attributes; /* DictionaryAttr */
  const MlirType *declared; /* trait X: the given result type; else NULL while building */
  char *why;                /* on failure: "C2: operand 'b' must ..." (in the arena) */
  TccBounds *bounds;        /* gets what the rule asks of sizes and cannot decide; NULL: nobody wants to know */
} TccRuleInput;
TCC_EXPORT bool tcc_op_infer(TccRuleInput *input, MlirType *out_results /* as many as its row has */);
/* Checks one tcc op against its row: arity, attributes (unknown ones included), rule, encodings. Emits one diagnostic. */
TCC_EXPORT bool tcc_op_verify(TccIr *ir, MlirOperation op);
/* Checks the attributes tcc.* of a module, function or call, and of a function's arguments and results, against dialects/tcc/attrs.def;
 * other operations may have none. Emits a diagnostic for each fault. */
TCC_EXPORT bool tcc_attributes_verify(TccIr *ir, MlirOperation op);

/* ---- errors: exactly one diagnostic, at the op's location ---- */
TCC_EXPORT MlirLogicalResult tcc_error(MlirOperation op, const char *format, ...) TCC_PRINTF(2, 3);
TCC_EXPORT MlirLogicalResult tcc_error_at(MlirLocation location, const char *format, ...) TCC_PRINTF(2, 3);
/* Failure once a limit of the compilation is reached; the first time with a diagnostic, at the op that comes next. */
TCC_EXPORT MlirLogicalResult tcc_limit_check(TccIr *ir, MlirOperation next);
/* The same where `bytes` more, which op asks for, are more than a limit leaves. */
TCC_EXPORT MlirLogicalResult tcc_limit_check_bytes(TccIr *ir, MlirOperation op, size_t bytes);
TCC_EXPORT MlirLogicalResult tcc_status_emit(TccStatus *status, MlirLocation location); /* consumes status */

/* ---- walking and rewriting ---- */
/* The operations of a block in their order. The body of the loop may erase none of them but those behind. */
#define TCC_EACH_OP(op, block)                                                                                                     \
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
/* The functions of a module that have a body, likewise. */
#define TCC_EACH_FUNCTION(func, module)                                                                                            \
  for (MlirOperation func = tcc_function_from(mlirBlockGetFirstOperation(tcc_func_body(module))); !mlirOperationIsNull(func);      \
       func = tcc_function_from(mlirOperationGetNextInBlock(func)))
/* The operation, or the first behind it that is a func.func with a body; null: there is none. */
TCC_EXPORT MlirOperation tcc_function_from(MlirOperation op);
TCC_EXPORT TccStr tcc_function_name(MlirOperation func); /* its symbol, or "" */
TCC_EXPORT void tcc_replace_uses(MlirValue from, MlirValue to);
TCC_EXPORT void tcc_erase(MlirOperation op);                                              /* must be unused */
TCC_EXPORT MlirOperation tcc_module_find(TccIr *ir, MlirOperation module, TccStr symbol); /* func.func by name; null if absent */
TCC_EXPORT MlirBlock tcc_func_body(MlirOperation func);
/* Detached operations: a func.call of `callee`; a func.return; a private func.func that owns `body` and takes its type from
 * the block's arguments and the return's operands, a kernel or (TCC_KERNEL_NONE) none. */
TCC_EXPORT MlirOperation tcc_make_call(TccIr *ir, const char *callee, MlirLocation location, size_t noperands,
                                       const MlirValue *operands, size_t nresults, const MlirType *results);
/* A call with the attribute tcc.trips = [E] is a loop: of its n results, operands 0 to n - 1 are the values at first, of the same
 * types; the function is called E times, each time with the results of the time before. tcc.while: before each iteration
 * operand 0, a bool scalar, must be true. Other operands stay. False for other calls. */
typedef struct {
  const TccExpr *trips;
  bool conditional;
  intptr_t carried;
} TccLoopCall;
TCC_EXPORT bool tcc_call_loop(TccIr *ir, MlirOperation call, TccLoopCall *out);
TCC_EXPORT void tcc_call_set_loop(TccIr *ir, MlirOperation call, const TccExpr *trips, bool conditional);
/* Makes the ops of `body`, a block on its own that ends without a return, a private function `name` and gives a loop call of it; both
 * are detached. The block has an argument for each of the values that are carried, results has what they are afterwards, of the
 * same types. What the block reads of outside - constants, weights and sizes aside, which are copied - becomes further operands.
 * Takes body. */
TCC_EXPORT MlirOperation tcc_make_loop(TccIr *ir, const char *name, MlirLocation location, MlirBlock body, size_t carried,
                                       const MlirValue *initial, const MlirValue *results, const TccExpr *trips, bool conditional,
                                       MlirOperation *out_function);
/* tcc.why of a call: for each result, why it lies in memory. tcc-explain shows it. */
void tcc_call_set_why(TccIr *ir, MlirOperation call, const char *const *why);
TCC_EXPORT MlirOperation tcc_make_return(TccIr *ir, MlirLocation location, size_t noperands, const MlirValue *operands);
TCC_EXPORT MlirOperation tcc_make_function(TccIr *ir, const char *name, TccKernelKind kind, MlirLocation location, MlirRegion body);
/* What tcc.kernel says of a function; TCC_KERNEL_NONE: it is no kernel. */
TCC_EXPORT TccKernelKind tcc_kernel_kind(TccIr *ir, MlirOperation func);
TCC_EXPORT void tcc_kernel_set_kind(TccIr *ir, MlirOperation func, TccKernelKind kind);
/* Another type for an argument of a function with a body. */
void tcc_func_set_argument_type(TccIr *ir, MlirOperation func, intptr_t argument, MlirType type);
/* A further argument of a private function with a body, behind the others; its calls get a further operand from the caller. */
MlirValue tcc_func_add_argument(TccIr *ir, MlirOperation func, MlirType type);
/* A further operand, behind the others. */
void tcc_call_add_operand(TccIr *ir, MlirOperation call, MlirValue value);
/* The call's operand becomes the result of a call of `maker` with it, of `type`, in front of the call: one for each (block, operand,
 * address of `maker`), which `made` keeps. why: its tcc.why, or NULL. */
void tcc_call_make_operand(TccIr *ir, TccMap *made, MlirOperation call, intptr_t argument, const char *maker, MlirType type,
                           const char *why);
#endif
