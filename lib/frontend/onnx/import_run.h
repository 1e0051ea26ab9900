/* import_run.h - the state of one import, for import*.c alone. */
#ifndef TCC_ONNX_IMPORT_RUN_H
#define TCC_ONNX_IMPORT_RUN_H
#include "lib/frontend/onnx/import.h"

/* A node that could not be imported. */
typedef struct {
  const char *op, *reason, *node;
  MlirLocation location;
  bool is_unsupported;
} OnnxProblem;

struct OnnxImport {
  TccIr *ir;
  TccArena *arena; /* of this run */
  const TccOnnxImportOptions *options;
  TccOnnxFiles *files;
  const TccOnnxModel *model;
  const char *file;   /* the model's base name, for locations */
  MlirLocation place; /* of the file, once asked for */
  TccBuilder b;       /* at the end of main's block, or of the body of a loop in it */
  MlirBlock main;
  TCC_VEC(MlirOperation) loops;               /* functions of loops; detached */
  TccMap *functions;                          /* "domain\0name\0overload" -> TccOnnxFunction */
  size_t function_nodes, function_nodes_left; /* that calls may expand to: in all, and in the rest of this walk */
  TccMap *weight_names;                       /* taken ones -> how often */
  TCC_VEC(TccStr) arguments;                  /* names of main's arguments */
  TccMap *params;                             /* dim_params that occur alone */
  TccMap *specialised;                        /* names of inputs whose data is baked */
  TccMap *fixed;                              /* symbols that became constants: name -> value */
  TccMap *unnamed;                            /* "INPUT AXIS" -> the symbol of a size without a name */
  bool restart;                               /* an input joined `specialised`: begin again */
  bool could_assume, assume;                  /* see import.c */
  TCC_VEC(const TccExpr *) constraints;       /* expressions that must not be negative */
  OnnxCall *call;                             /* whose diagnostics are being caught; NULL: the model's */
  const char *reason;                         /* the first diagnostic outside of nodes */
  bool is_unsupported;
  TCC_VEC(OnnxProblem) problems;
};

/* Names of a graph or function body. Lookups go on in the parent; a function's body has none. */
struct OnnxScope {
  OnnxScope *parent;
  TccMap *values;                  /* name -> OnnxValue */
  const TccOnnxFunction *function; /* in the scope of a function's body */
  const OnnxCall *caller;          /* of that function */
  const TccOnnxOpsets *opsets;
  const char *prefix; /* "outer/": before node names in locations */
  int depth;          /* of function calls */
};

OnnxScope *onnx_scope_create(OnnxImport *run, OnnxScope *parent);
bool onnx_scope_put(OnnxImport *run, OnnxScope *scope, TccStr name, OnnxValue value); /* false: the name is taken */
const OnnxValue *onnx_scope_find(const OnnxScope *scope, TccStr name);
/* Initializers and nodes of a graph into scope. Problems are recorded in run. */
void onnx_graph_import(OnnxImport *run, OnnxScope *scope, const TccOnnxGraph *graph);
void onnx_node_import(OnnxImport *run, OnnxScope *scope, const TccOnnxNode *node);
bool onnx_function_call(OnnxCall *c, const TccOnnxFunction *function);
const TccOnnxFunction *onnx_function_find(OnnxImport *run, TccStr domain, TccStr name, TccStr overload);
const TccHostTensor *onnx_given_data(const OnnxImport *run, TccStr name); /* NULL if the caller gave none */
MlirLocation onnx_location(OnnxImport *run, TccStr name);

/* ---- import_report.c ---- */
/* Records why the node of c was not imported, if it says so. */
void onnx_problem(OnnxImport *run, OnnxCall *c);
/* The run fails, with its first reason. False. */
bool onnx_run_fail(OnnxImport *run, bool is_unsupported, const char *format, ...) TCC_PRINTF(3, 4);
bool onnx_run_fail_status(OnnxImport *run, TccStatus *status); /* consumes it; true for NULL */
/* A diagnostic handler, user is the run: errors of builders become the reason of the node at hand, or of the run. */
MlirLogicalResult onnx_run_catch(MlirDiagnostic diagnostic, void *user);
/* Emits what was recorded. */
TccImportOutcome onnx_run_report(OnnxImport *run);
#endif
