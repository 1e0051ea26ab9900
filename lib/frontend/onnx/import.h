/* import.h - what the files of the ONNX importer share, beside lib/frontend/import.
 *
 * A handler is found by op type, domain and opset in ops.def. */
#ifndef TCC_ONNX_IMPORT_H
#define TCC_ONNX_IMPORT_H
#include "lib/frontend/import/importer.h"
#include "tcc/onnx.h"

/* One row of ops.def. */
typedef struct {
  const char *type;
  size_t type_length;
  const char *domain;
  int since; /* first opset that the handler takes */
  bool (*handler)(ImportCall *c);
  int kind; /* the tcc op that a shared handler builds, or another number for it */
  const char *expansion;
} OnnxOp;

/* A node of an ONNX graph. */
typedef struct {
  ImportCall call;
  const TccOnnxNode *node;
  int64_t opset; /* of the node's domain */
} OnnxCall;
static inline OnnxCall *onnx_call(ImportCall *c) { return (OnnxCall *)c; }

/* Names of a graph or function body. */
typedef struct OnnxScope OnnxScope;
struct OnnxScope {
  ImportScope names;
  const TccOnnxFunction *function; /* in the scope of a function's body */
  OnnxCall *caller;                /* of that function */
  const TccOnnxOpsets *opsets;
};
static inline OnnxScope *onnx_scope(ImportScope *scope) { return (OnnxScope *)scope; }

/* One import. */
typedef struct {
  Importer run;
  const TccOnnxModel *model;
  OnnxScope *scope;  /* of the model's graph */
  TccMap *functions; /* "domain\0name\0overload" -> TccOnnxFunction */
  int64_t block;     /* channels of a block of com.microsoft.nchwc, if sizes tell; else 0 */
} OnnxImport;
static inline OnnxImport *onnx_import_of(Importer *run) { return (OnnxImport *)run; }

/* ---- order.c ---- */
/* Moves nodes of the graph, its subgraphs and the functions in front of those that read what they make. */
void onnx_sort_nodes(TccArena *arena, TccOnnxModel *model);

/* The size that the caller may have to tell of a model in onnxruntime's blocks of channels is one that has a name; ops_nchwc.c. */
void onnx_declare_blocks(Importer *run);

/* ---- the table ---- */
const OnnxOp *onnx_find_op(TccStr domain, TccStr type, int64_t opset, const char **out_why);
/* The version of a domain that a model uses and does not import: the newest that is known, as onnxruntime has it; 0 if none is. ONNX's own must be imported. */
int64_t onnx_newest_of_domain(TccStr domain);

/* ---- attributes, the references of function bodies followed ---- */
const TccOnnxAttribute *onnx_attribute(ImportCall *c, const char *name); /* NULL if absent */
bool onnx_has_attribute(ImportCall *c, const char *name);
int64_t onnx_int(ImportCall *c, const char *name, int64_t otherwise);
double onnx_float(ImportCall *c, const char *name, double otherwise);
TccStr onnx_string(ImportCall *c, const char *name, const char *otherwise);
bool onnx_ints(ImportCall *c, const char *name, const int64_t **out, size_t *out_count); /* false if absent */
/* `count` numbers of 32 bits, each `otherwise` where the attribute is absent. False and a reason for another count, or larger numbers. */
bool onnx_int_list(ImportCall *c, const char *name, int count, int64_t otherwise, int64_t *out);
bool onnx_floats(ImportCall *c, const char *name, const float **out, size_t *out_count);
bool onnx_strings(ImportCall *c, const char *name, const TccStr **out, size_t *out_count);
TccElem onnx_elem(ImportCall *c, const char *name,
                  TccElem otherwise); /* a TensorProto.DataType; NONE and a reason if tcc lacks it */

/* ---- tensors of the file; import_tensor.c ---- */
MlirValue onnx_tensor(ImportCall *c, const TccOnnxTensor *tensor, TccStr name, ImportRole role);
MlirValue onnx_tensor_at(ImportCall *c, const TccOnnxTensor *tensor, ImportRole role,
                         const TccSourcePlace *place); /* its numbers lie there */
MlirValue onnx_sparse_tensor(ImportCall *c, const TccOnnxSparse *tensor);

/* ---- graphs; import_graph.c ---- */
OnnxScope *onnx_scope_create(Importer *run, OnnxScope *parent);
/* Initializers and nodes of a graph into scope. Problems are recorded in run. */
void onnx_graph_import(Importer *run, OnnxScope *scope, const TccOnnxGraph *graph);
/* Imports graph in a scope inside c's, its inputs bound to `inputs`; out: one value an output of the graph. */
bool onnx_subgraph(ImportCall *c, const TccOnnxGraph *graph, const ImportValue *inputs, size_t ninputs, ImportValue *out,
                   size_t nout);
const TccOnnxGraph *onnx_graph(ImportCall *c, const char *name); /* graph attribute; NULL and a reason if absent */
#endif
