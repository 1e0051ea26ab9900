/* import.h - what the handlers of ATen overloads share, beside lib/frontend/import.
 *
 * A handler is found by overload in aten.def. It asks for arguments by their names in torch's schema (torch_tensor(c, "self")): what the node
 * does not give is the schema's default. It gives outputs by number: those of lists (split) and tuples (topk) are counted through.
 *
 * Graphs write in place; ops do not. A TorchTensor is what a name stands for in torch: a storage with a present value, or a view of another
 * tensor that remembers how it came from it. Reading a view whose storage was written makes the view again; writing one writes its storage.
 * Handlers of views use torch_view_*; all others read by torch_tensor and build new values, and know nothing of this. In-place overloads
 * (`relu_`, `index_put_`) have no rows: they are the functional overload's handler, whose first result is then written to `self`. */
#ifndef TCC_TORCH_IMPORT_H
#define TCC_TORCH_IMPORT_H
#include "lib/frontend/import/importer.h"
#include "lib/frontend/torch/schema.h"
#include "tcc/torch.h"

/* ---- values ---- */
typedef struct TorchTensor TorchTensor;
typedef struct TorchValue TorchValue;
struct TorchValue {
  enum { TORCH_NONE, TORCH_TENSOR, TORCH_LIST, TORCH_NUMBER, TORCH_MISSING, TORCH_POISON } kind;
  TorchTensor *tensor; /* of TENSOR */
  struct TorchNumber {
    enum { TORCH_INTEGER, TORCH_REAL, TORCH_FLAG } kind;
    const TccExpr *size;  /* of an INTEGER that is known: a size expression */
    double real;          /* of a REAL that is known; a FLAG: 0 or 1 */
    MlirValue value;      /* what is known when it runs alone: rank 0, i64, f64 or bool; else null */
    const TccExpr *holds; /* of a FLAG that sizes decide: it is true where this is not negative, */
    bool equal;           /* or 0; value is then null */
    TccStr symbol;        /* of an INTEGER with a value: what the graph calls it (u0); may have no length */
  } number;
  const TorchValue *items; /* of LIST */
  size_t count;
  const char *reason; /* of MISSING: what an output lacks that nobody asked for */
};
typedef struct TorchNumber TorchNumber;

/* ---- nodes ---- */
/* One row of aten.def. */
typedef struct {
  const char *name; /* "aten.add.Tensor" */
  bool (*handler)(ImportCall *c);
  int kind; /* the tcc op that a shared handler builds, or another number for it */
  const char *expansion;
} TorchOp;

/* What a node reads of arguments that are complex: the imaginary part of real numbers is 0. */
typedef enum { TORCH_REAL_PART, TORCH_IMAGINARY_PART, TORCH_SIZE } TorchPart;

typedef struct TorchScope TorchScope; /* import_internal.h */
/* A node of a graph. */
typedef struct {
  ImportCall call;
  const TccTorchNode *node;
  TorchScope *scope;
  TorchSchema schema; /* of the overload; without parameters where torch has none */
  TorchValue *outputs;
  const TccStr *names; /* of outputs; "" is read by nobody */
  size_t noutputs;
  TorchPart part;
  bool of_parts; /* types that are complex are those of their parts */
} TorchCall;
static inline TorchCall *torch_call(ImportCall *c) { return (TorchCall *)c; }

/* ---- arguments by name; import_args.c ----
 * Where an argument is not of the kind that is asked for, or is not known, the node has a reason. */
bool torch_given(ImportCall *c, const char *name);                        /* it is not None, given or by default */
MlirValue torch_tensor(ImportCall *c, const char *name);                  /* null, and a reason, for None */
MlirValue torch_optional(ImportCall *c, const char *name);                /* null for None */
MlirValue torch_tensor_as(ImportCall *c, const char *name, TccElem elem); /* converted */
bool torch_tensors(ImportCall *c, const char *name, const MlirValue **out, size_t *out_count); /* null entries for None */
bool torch_storages(ImportCall *c, const char *name, TorchTensor *const **out,
                    size_t *out_count);                    /* the same, to be viewed; none may be None */
TorchNumber torch_number(ImportCall *c, const char *name); /* a Scalar, or a tensor of rank 0 */
MlirValue torch_scalar(ImportCall *c, const char *name,
                       TccElem elem); /* a Scalar as a value of rank 0; null and a reason for None */
MlirValue torch_number_value(ImportCall *c, const TorchNumber *n, TccElem elem); /* a number as a value of rank 0 */
bool torch_bool(ImportCall *c, const char *name);
int64_t torch_int(ImportCall *c, const char *name);   /* a constant */
double torch_float(ImportCall *c, const char *name);  /* a constant; an int, too */
TccStr torch_string(ImportCall *c, const char *name); /* "" for None */
TccElem torch_elem(ImportCall *c, const char *name,
                   TccElem otherwise);                      /* a dtype; None is otherwise. NONE, and a reason, if tcc lacks it */
const TccExpr *torch_size(ImportCall *c, const char *name); /* an int that sizes may stand in */
/* Lists of ints; a single int is a list of one. */
bool torch_sizes(ImportCall *c, const char *name, const TccExpr *const **out, size_t *out_count);
bool torch_ints(ImportCall *c, const char *name, const int64_t **out, size_t *out_count);        /* constants */
bool torch_numbers(ImportCall *c, const char *name, const TorchNumber **out, size_t *out_count); /* data may decide them */
/* For `int[2] stride=1`: n constants, of which one stands for all. None, or an empty list, is otherwise (NULL: a reason). */
bool torch_ints_of(ImportCall *c, const char *name, size_t n, const int64_t *otherwise, int64_t *out);
bool torch_floats(ImportCall *c, const char *name, const double **out, size_t *out_count);
bool torch_bools(ImportCall *c, const char *name, const bool **out, size_t *out_count);
/* An axis `name` of a tensor of that rank, in [0, rank). A tensor of rank 0 has axis 0, as torch has it. */
bool torch_axis(ImportCall *c, const char *name, int rank, int64_t *out);
/* Axes, each once; None and [] are all of them. */
bool torch_axes(ImportCall *c, const char *name, int rank, int64_t *out, size_t *out_count);
const TccTorchArg *torch_argument(ImportCall *c, const char *name);   /* as it was given; NULL: it was not. Of position K: "#K" */
const TorchValue *torch_value(ImportCall *c, const TccTorchArg *arg); /* what an argument that names a value stands for */

/* ---- outputs; import_graph.c ---- */
ImportShape torch_declared(ImportCall *c,
                           size_t index); /* what the archive says of an output that is a tensor; no element type: nothing */
TccElem torch_result(ImportCall *c, size_t index); /* its element type */
bool torch_output(ImportCall *c, size_t index,
                  MlirValue value); /* false for null. Type and sizes are checked against torch_declared */
bool torch_output_view(ImportCall *c, size_t index, TorchTensor *view); /* of torch_view_*; false for NULL */
/* Output 0, which the argument `self` is from now on: names of it stand for `now`. */
bool torch_becomes(ImportCall *c, const TorchTensor *self, TorchTensor *now);
bool torch_output_number(ImportCall *c, size_t index, TorchNumber number);
bool torch_output_lacks(ImportCall *c, size_t index, const char *reason); /* who uses this output has this reason; true */

/* ---- tensors that are written, and views of them; import_tensor.c. NULL in, NULL out ---- */
TorchTensor *torch_storage(ImportCall *c, const char *name);      /* an argument that is a tensor, as itself; NULL and a reason */
MlirValue torch_read(ImportCall *c, TorchTensor *t);              /* its present value */
bool torch_write(ImportCall *c, TorchTensor *t, MlirValue value); /* converted and broadcast to what it holds */
TorchTensor *torch_tensor_make(ImportCall *c, MlirValue value);   /* with a storage of its own */
TorchTensor *torch_view_alias(ImportCall *c, TorchTensor *t);
TorchTensor *torch_view_reshape(ImportCall *c, TorchTensor *t, int rank, const TccExpr *const *dims);
TorchTensor *torch_view_transpose(ImportCall *c, TorchTensor *t, const int64_t *perm);
/* A position as Python's slices have it: from the end if negative, within [0, size]. */
const TccExpr *torch_slice_position(ImportCall *c, const TccExpr *at, const TccExpr *size);
TorchTensor *torch_view_slice(ImportCall *c, TorchTensor *t, int64_t axis, const TccExpr *start, int64_t step, const TccExpr *size);
TorchTensor *torch_view_broadcast(ImportCall *c, TorchTensor *t, int rank, const TccExpr *const *dims);
TorchTensor *torch_view_bits(ImportCall *c, TorchTensor *t, TccElem elem); /* of whole bytes, or the same width */
TorchTensor *torch_view_negated(ImportCall *c, TorchTensor *t);            /* ops_view.c */

/* ---- what many handlers need; ops_elementwise.c ---- */
/* The element type of a op b by torch's promotion: of tensors with axes, then tensors without, then numbers, the kind counts. */
TccElem torch_promote(ImportCall *c, const char *a, const char *b);
/* An argument that is a tensor or a number, as a value of this type. */
MlirValue torch_operand(ImportCall *c, const char *name, TccElem elem);
/* The type in which torch computes on it: f32 for f16 and bf16. */
static inline TccElem torch_wide(TccElem elem) { return elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16 ? TCC_ELEM_F32 : elem; }
#endif
