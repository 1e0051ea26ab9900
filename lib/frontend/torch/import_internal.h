/* import_internal.h - the state of one import of an ATen graph, and what its files share. */
#ifndef TCC_TORCH_IMPORT_INTERNAL_H
#define TCC_TORCH_IMPORT_INTERNAL_H
#include "lib/frontend/torch/expr.h"
#include "lib/frontend/torch/import.h"

/* A name that a graph gave to a size or number of its own. */
typedef struct {
  TccMap *names; /* TorchImport.symbols or .numbers */
  TccStr name;
  const TccTorchGraph *graph;
} TorchNamed;

/* One import. */
typedef struct {
  Importer run; /* first */
  TccTorchArchive *archive;
  TorchScope *scope;               /* of the program's graph */
  TccMap *symbols;                 /* sizes that came up while it runs (u0): name -> the TccExpr that they are */
  TccMap *numbers;                 /* integers of the run that the graph names (u0): name -> the value, an MlirValue */
  TCC_VEC(TorchNamed) named;       /* what graphs have put into these two */
  TccTorchConstraints constraints; /* of sizes that have not come up yet */
  TccMap *weights;                 /* "storage offset sizes strides" -> TorchTensor */
  TccMap *sizes;                   /* text of a size -> TccExpr */
  TccMap *own_sizes;               /* symbols that inputs are, and no axis of one */
  TorchTensor **inputs;            /* of the graph's inputs, in their order; NULL: no tensor */
  int64_t *arguments;              /* numbers of main's arguments; -1: none */
  bool *written;        /* of the graph's inputs: a weight that nodes write, as an earlier walk has seen. It is a state */
  TorchTensor **stored; /* of the graph's inputs: the weight that a state begins as; NULL: it is none */
  MlirValue *states;    /* of the graph's inputs: main's argument that a state is */
  TorchTensor **next;   /* of states: what a functional graph gives for them; NULL: what they hold at the end */
  TccMap *calls;        /* graphs in graphs, by address -> how often they are called */
  TccMap *regions;      /* graph and inputs of a call -> what it came to; import_region.c */
} TorchImport;
static inline TorchImport *torch_import_of(Importer *run) { return (TorchImport *)run; }

/* What a node asserts of data. */
typedef struct {
  ImportCall node;
  MlirValue holds; /* bool, rank 0 */
  TccStr message;
} TorchAssertion;

/* Values of a graph. A graph in a graph sees its inputs alone. */
struct TorchScope {
  ImportScope names; /* of main's arguments, and for prefixes */
  const TccTorchGraph *graph;
  TccMap *values;                     /* name -> TorchValue */
  TccMap *reads;                      /* names that its nodes and outputs read */
  TCC_VEC(TorchAssertion) assertions; /* which none of its outputs stands behind yet */
};

/* What a view is that is none of the plain ones: how it is read and written. */
typedef struct {
  MlirValue (*read)(ImportCall *c, const TorchTensor *view, MlirValue x); /* its value; x: that of `of` */
  bool (*write)(ImportCall *c, const TorchTensor *view, MlirValue value); /* to what it is a view of; NULL: it is not written, */
  const char *fixed;                                                      /* for this reason */
} TorchForm;
/* of: what it is a view of; also: another tensor, or NULL; places: form's own. NULL for a null `of`, or if it cannot be read. */
TorchTensor *torch_view_form(ImportCall *c, TorchTensor *of, TorchTensor *also, const TorchForm *form, const void *places);

typedef enum {
  TORCH_OWN,
  TORCH_ALIAS,
  TORCH_RESHAPE,
  TORCH_TRANSPOSE,
  TORCH_SLICE,
  TORCH_BROADCAST,
  TORCH_BITS,
  TORCH_FORM
} TorchStep;
struct TorchTensor {
  MlirValue value;
  unsigned version; /* of the storage, that value is of; of a storage: how often it was written */
  TorchTensor *of;  /* NULL: a storage */
  TorchStep step;   /* how it came from `of` */
  int rank;
  const TccExpr *dims[TCC_MAX_RANK]; /* RESHAPE, BROADCAST */
  int64_t perm[TCC_MAX_RANK], axis, stride;
  const TccExpr *start, *size; /* SLICE */
  TccElem elem;                /* BITS */
  TorchTensor *also;           /* FORM: a view of this, too; NULL: of `of` alone */
  const TorchForm *form;       /* FORM */
  const void *places;
  const char *fixed;        /* of a storage: why it cannot be written; NULL: it can be */
  const TccTorchMeta *meta; /* as the archive declares it; NULL: it does not */
  TorchTensor *imaginary;   /* of a complex tensor, whose real part this is (import_complex.c) */
};

TorchScope *torch_scope_create(Importer *run, const TccTorchGraph *graph, const TorchScope *parent);
bool torch_scope_put(Importer *run, TorchScope *scope, TccStr name, TorchValue value);
void torch_graph_import(Importer *run, TorchScope *scope);
/* A value that an output of the scope's graph is, behind what its nodes assert: nothing else depends on it. Null, and c's reason, if it cannot be. */
MlirValue torch_behind_assertions(ImportCall *c, TorchScope *scope, MlirValue value);
/* Values of the node's arguments from position `first` on; those of a list one by one. NULL, and c's reason, if one has none. */
const TorchValue *torch_values_from(ImportCall *c, size_t first, size_t *out_count);
/* A graph in place of the node: its inputs are `inputs`; out: a value for each of its outputs. */
bool torch_subgraph(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t ninputs, TorchValue *out,
                    size_t nout);
/* The same; a graph that is called often is a function, imported once, unless something stands against it (import_region.c). */
bool torch_region(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t ninputs, TorchValue *out,
                  size_t nout);
/* Whether an input of the graph is main's argument. A graph without an archive around it has no weights: parameters and buffers are arguments
 * as well. */
bool torch_is_argument(const Importer *run, const TccTorchInput *input);
TorchTensor *torch_storage_of(TorchTensor *t);
/* `view` on another tensor: what it is of `from`, which it goes back to, made of `to`. */
TorchTensor *torch_view_again(ImportCall *c, TorchTensor *view, const TorchTensor *from, TorchTensor *to);
const void *torch_named(const TccMap *names,
                        TccStr name); /* of TorchImport.symbols or .numbers; NULL: nothing, or what was forgotten */
/* From now on, until the graph at hand is imported again. */
void torch_name(ImportCall *c, TccMap *names, TccStr name, const void *what);
const TccExpr *torch_present(Importer *run, const TccExpr *e); /* symbols as this walk has them: constants, sizes that came up */
/* The size that `symbol` names, which is the integer `value` of the run. */
const TccExpr *torch_size_from_data(ImportCall *c, MlirValue value, TccStr symbol);
TccStatus *torch_size_of(Importer *run, const TccTorchSize *size, const TccExpr **out) TCC_CHECKED;
/* The same, where inputs and nodes so far have all its symbols; else NULL. */
const TccExpr *torch_size_if_known(ImportCall *c, const TccTorchSize *size);
/* What the graph calls this size is `made`, if nothing was called so before. */
bool torch_name_size(ImportCall *c, const TccTorchSize *declared, const TccExpr *made);
/* ---- weights that the graph writes; import_state.c ---- */
void torch_states_declared(Importer *run); /* once, before the first walk: those that the signature names */
/* The state that input `index` of the graph is, which begins as the weight `stored`. Two that are one weight are one state. */
TorchTensor *torch_state_begin(ImportCall *c, TccStr name, size_t index, TorchTensor *stored);
/* Whether an output of the graph is what a state becomes. */
bool torch_state_becomes(ImportCall *c, const TccTorchOutput *output, TorchTensor *value);
bool torch_states_found(Importer *run); /* False: this walk wrote weights that are no states yet; the next one has them as such */
bool torch_states_end(ImportCall *c);   /* the results of states, behind all others */
const TccTorchMeta *torch_meta(const TorchScope *scope, TccStr name); /* NULL: nothing is declared, or it is no tensor */
const TorchOp *torch_find_op(TccStr name);
const TorchOp *torch_op_at(size_t index); /* row `index` of the table; NULL: there are fewer */
/* The first of these overloads of an operator that there is, "aten.relu.OVERLOAD", and its name; NULL: there is none. */
const TorchOp *torch_find_overload(Importer *run, TccStr op, const TccStr *overloads, size_t count, TccStr *out);
bool torch_find_schema(TccStr op, TorchSchema *out); /* of "aten.add.Tensor" */
/* Gives the node's outputs what its overload makes of its arguments. False: it has a reason. */
bool torch_handle(TorchCall *call);
/* ---- overloads over lists of tensors; import_foreach.c ---- */
bool torch_is_foreach(TccStr op);    /* "aten._foreach_add.List" */
bool torch_foreach(TorchCall *call); /* as torch_handle */
#endif
