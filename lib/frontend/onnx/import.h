/* import.h - what the files of the ONNX importer share.
 *
 * A node is imported by a handler, found by op type, domain and opset in ops.def: it reads inputs and attributes of an
 * OnnxCall, builds tcc ops and sets the outputs. A handler that cannot goes `return onnx_unsupported(c, "why")` (the model
 * is fine) or `return onnx_invalid(c, "why")` (the model is wrong). Builders take null values and give null values, so a
 * handler need not test each step: the first complaint is the node's reason. The outputs of a node that failed are poison:
 * what depends on them is skipped without a word, so that one walk finds all that is not supported.
 *
 * All sizes are known expressions here: unknown sizes of inputs become fresh symbols, and no handler builds a "?". */
#ifndef TCC_ONNX_IMPORT_H
#define TCC_ONNX_IMPORT_H
#include "tcc/import.h"
#include "tcc/ir.h"
#include "tcc/onnx.h"

/* What a name stands for: a tensor, a sequence of known length, an absent optional, or the outcome of a failed node. */
typedef struct OnnxValue OnnxValue;
struct OnnxValue {
  enum { ONNX_ABSENT, ONNX_TENSOR, ONNX_SEQUENCE, ONNX_POISON } kind;
  MlirValue tensor;
  OnnxValue *items;
  size_t count;
};

typedef struct OnnxImport OnnxImport; /* one run; import.c */
typedef struct OnnxScope OnnxScope;   /* names of a graph; import_graph.c */
typedef struct OnnxCall OnnxCall;

/* One row of ops.def. */
typedef struct {
  const char *type;
  size_t type_length;
  const char *domain;
  int since; /* first opset that the handler takes */
  bool (*handler)(OnnxCall *c);
  int kind; /* the tcc op that a shared handler builds, or another number for it */
  const char *expansion;
} OnnxOp;

struct OnnxCall {
  OnnxImport *import;
  TccIr *ir;
  const TccOnnxNode *node;
  const OnnxOp *op;
  OnnxScope *scope;
  TccBuilder b;
  int64_t opset; /* of the node's domain */
  size_t ninputs, noutputs;
  OnnxValue *inputs, *outputs;
  const char *reason;  /* NULL while all is well */
  bool is_unsupported; /* the reason's kind */
};

/* ---- the table ---- */
const OnnxOp *onnx_op_find(TccStr domain, TccStr type, int64_t opset, const char **out_why);

/* ---- failing; always false ---- */
bool onnx_unsupported(OnnxCall *c, const char *format, ...) TCC_PRINTF(2, 3);
bool onnx_invalid(OnnxCall *c, const char *format, ...) TCC_PRINTF(2, 3);

/* ---- inputs and outputs ---- */
bool onnx_has_input(const OnnxCall *c, size_t index);
bool onnx_has_output(const OnnxCall *c, size_t index);        /* somebody may read it */
MlirValue onnx_input(OnnxCall *c, size_t index);              /* null if absent */
bool onnx_need(OnnxCall *c, size_t count);                    /* the first count inputs are tensors */
bool onnx_output(OnnxCall *c, size_t index, MlirValue value); /* false if value is null */

/* ---- attributes, the references of function bodies followed ---- */
const TccOnnxAttribute *onnx_attribute(OnnxCall *c, const char *name); /* NULL if absent */
bool onnx_has_attribute(OnnxCall *c, const char *name);
int64_t onnx_int(OnnxCall *c, const char *name, int64_t otherwise);
double onnx_float(OnnxCall *c, const char *name, double otherwise);
TccStr onnx_string(OnnxCall *c, const char *name, const char *otherwise);
bool onnx_ints(OnnxCall *c, const char *name, const int64_t **out, size_t *out_count); /* false if absent */
bool onnx_floats(OnnxCall *c, const char *name, const float **out, size_t *out_count);
bool onnx_strings(OnnxCall *c, const char *name, const TccStr **out, size_t *out_count);
TccElem onnx_elem(OnnxCall *c, const char *name, TccElem otherwise); /* a TensorProto.DataType; NONE and a reason if tcc lacks it */

/* ---- shapes and sizes ---- */
typedef struct {
  TccElem elem;
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} OnnxShape;
OnnxShape onnx_shape(OnnxCall *c, MlirValue value); /* rank 0, no element type for a null value */
TccElem onnx_value_elem(MlirValue value);
const TccExpr *onnx_size(OnnxCall *c, int64_t value);
const TccExpr *onnx_size_add(OnnxCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *onnx_size_sub(OnnxCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *onnx_size_mul(OnnxCall *c, const TccExpr *a, const TccExpr *b);
const TccExpr *onnx_product(OnnxCall *c, const TccExpr *const *dims, int count);
bool onnx_is_size(const TccExpr *e, int64_t value);
/* Axis in [-rank, rank) to [0, rank). */
bool onnx_axis(OnnxCall *c, int64_t axis, int rank, int64_t *out);
/* The sizes that broadcast a and b as in NumPy. */
bool onnx_broadcast_shape(OnnxCall *c, const OnnxShape *a, const OnnxShape *b, OnnxShape *out);

/* ---- values of inputs at compile time ---- */
/* Entries of a small integer tensor. NULL, and a reason (or a wish to specialise an input), if they are not known. */
const TccExpr *const *onnx_values(OnnxCall *c, size_t input, size_t *out_count);
/* The same, all constants. */
const int64_t *onnx_constants(OnnxCall *c, size_t input, size_t *out_count);
const double *onnx_reals(OnnxCall *c, size_t input, size_t *out_count);
/* What a value is known to be, without a complaint: false if it is not known. */
bool onnx_known_constant(OnnxCall *c, MlirValue value, int64_t *out);

/* If the caller gave the inputs that the value of an input of this node is computed from, they become constants and the walk
 * begins again: true. */
bool onnx_specialise_given(OnnxCall *c, size_t input);

/* The constant that size is. If its symbols are sizes of inputs whose data the caller gave, or were told, they are fixed to those
 * and the walk begins again; false and a reason otherwise. */
bool onnx_fix_size(OnnxCall *c, const TccExpr *size, int64_t *out);
bool onnx_size_is_given(OnnxCall *c, const TccExpr *size); /* it is no constant, and onnx_fix_size would make it one */
/* What the caller would have to tell for that: " --dim NAME=..." for each symbol, "" if nothing is missing. */
const char *onnx_wanted_dims(OnnxCall *c, const TccExpr *size);
/* Whether a <= b may be taken for granted: provable, or assumed on the second walk (see import.c) and then written to the
 * module's attribute tcc.constraints, to be checked when sizes are bound. */
bool onnx_assume_at_most(OnnxCall *c, const TccExpr *a, const TccExpr *b);
/* a / b, which must leave no rest: provable, or assumed likewise. NULL and a reason if it cannot be. */
const TccExpr *onnx_divide(OnnxCall *c, const TccExpr *a, const TccExpr *b);

/* ---- building; null in, null out ---- */
MlirValue onnx_op(OnnxCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                  size_t nattrs);
MlirValue onnx_op_typed(OnnxCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                        size_t nattrs, const OnnxShape *result);
MlirValue onnx_unary(OnnxCall *c, TccOpKind kind, MlirValue x);
MlirValue onnx_binary(OnnxCall *c, TccOpKind kind, MlirValue x, MlirValue y);
MlirValue onnx_binary_number(OnnxCall *c, TccOpKind kind, MlirValue x, double y); /* y in x's element type */
MlirValue onnx_compare(OnnxCall *c, const char *predicate, MlirValue x, MlirValue y);
MlirValue onnx_select(OnnxCall *c, MlirValue condition, MlirValue x, MlirValue y);
MlirValue onnx_scalar(OnnxCall *c, TccElem elem, double value);
MlirValue onnx_scalar_i64(OnnxCall *c, TccElem elem, int64_t value);
MlirValue onnx_sizes(OnnxCall *c, const TccExpr *const *values, size_t count); /* i64, rank 1 */
MlirValue onnx_size_scalar(OnnxCall *c, const TccExpr *value);                 /* i64, rank 0 */
MlirValue onnx_convert(OnnxCall *c, MlirValue x, TccElem elem);
MlirValue onnx_reshape(OnnxCall *c, MlirValue x, int rank, const TccExpr *const *dims);
MlirValue onnx_broadcast(OnnxCall *c, MlirValue x, int rank, const TccExpr *const *dims);
MlirValue onnx_transpose(OnnxCall *c, MlirValue x, const int64_t *perm);
MlirValue onnx_slice(OnnxCall *c, MlirValue x, int64_t axis, const TccExpr *start, const TccExpr *size);
MlirValue onnx_slice_step(OnnxCall *c, MlirValue x, int64_t axis, int64_t start, int64_t step, const TccExpr *size);
MlirValue onnx_concat(OnnxCall *c, const MlirValue *values, size_t count, int64_t axis);
MlirValue onnx_reduce(OnnxCall *c, const char *kind, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims);
MlirValue onnx_mean(OnnxCall *c, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims);
MlirValue onnx_unsqueeze(OnnxCall *c, MlirValue x, int64_t axis);
MlirValue onnx_squeeze(OnnxCall *c, MlirValue x, int64_t axis);
MlirValue onnx_iota(OnnxCall *c, TccElem elem, const TccExpr *size); /* rank 1 */
MlirValue onnx_gather(OnnxCall *c, MlirValue x, MlirValue indices, int64_t axis);
MlirValue onnx_index(OnnxCall *c, MlirValue indices); /* as i32 or i64 */
MlirValue onnx_nonzero(OnnxCall *c, MlirValue x);     /* [rank, a fresh symbol] */

/* ---- tensors of the file; import_tensor.c ---- */
MlirValue onnx_tensor(OnnxCall *c, const TccOnnxTensor *tensor, TccStr name);
bool onnx_has_subnormals(OnnxCall *c, MlirValue value); /* a vector of f32 of the file, of up to a few thousand */
/* A weight of products: where the file has subnormal numbers in it, they are zero. Multiplying one takes a hundred times as long, and
 * beside the others it is less than f32's rounding. */
MlirValue onnx_without_subnormals(OnnxCall *c, MlirValue w);
MlirValue onnx_sparse_tensor(OnnxCall *c, const TccOnnxSparse *tensor);

/* ---- subgraphs; import_graph.c ---- */
/* Imports graph in a scope inside c's, its inputs bound to `inputs`; out: one value an output of the graph. */
bool onnx_subgraph(OnnxCall *c, const TccOnnxGraph *graph, const OnnxValue *inputs, size_t ninputs, OnnxValue *out, size_t nout);
/* The body of a loop that the run-time runs (tcc_call_loop): what is built between open and close or drop goes into a function of its own.
 * Close appends the call, whose results out gets; drop forgets the body, and with `forgive` what was wrong in it. False after a reason. */
typedef struct {
  MlirBlock block, outer;
  size_t problems, loops;
} OnnxBody;
void onnx_body_open(OnnxCall *c, OnnxBody *body);
bool onnx_body_close(OnnxCall *c, OnnxBody *body, size_t carried, const MlirValue *initial, const MlirValue *results,
                     const TccExpr *trips, bool conditional, MlirValue *out);
void onnx_body_drop(OnnxCall *c, OnnxBody *body, bool forgive);
size_t onnx_loops(const OnnxCall *c);              /* how many functions there are */
void onnx_loops_forget(OnnxCall *c, size_t count); /* those behind the first `count`, whose calls are gone */
MlirValue onnx_body_argument(OnnxCall *c, OnnxBody *body, MlirType type);
const TccOnnxGraph *onnx_graph(OnnxCall *c, const char *name); /* graph attribute; NULL and a reason if absent */
TccArena *onnx_arena(OnnxCall *c);
bool onnx_restarts(const OnnxCall *c); /* the walk begins again: what fails now says nothing */
/* False and a reason that names `what` where the types differ. */
bool onnx_same_type(OnnxCall *c, MlirValue a, MlirValue b, const char *what);
#endif
