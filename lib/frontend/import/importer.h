/* importer.h - the state of one import, and the steps that a front end goes through. For what reads a model's graph; handlers need
 * import.h alone.
 *
 * A front end puts an Importer first in a struct of its own. It calls import_begin, reads its file, and hands import_end how its graph is
 * walked. A walk may be done several times (importer.c), each time from the beginning, with the same result of reading. */
#ifndef TCC_FRONTEND_IMPORTER_H
#define TCC_FRONTEND_IMPORTER_H
#include "lib/frontend/import/import.h"
#include "tcc/random.h"

/* A node that could not be imported. */
typedef struct {
  const char *op, *reason, *node;
  MlirLocation location;
  bool is_unsupported;
} ImportProblem;

struct Importer {
  TccIr *ir;
  TccArena *arena; /* of this run */
  const TccImportOptions *options;
  TccSources *sources;
  const char *file;   /* the model's base name, for locations */
  MlirLocation place; /* of the file, once asked for */
  TccBuilder b;       /* at the end of main's block, or of the body of a loop in it */
  MlirBlock main;
  MlirDiagnosticHandlerID handler;
  TCC_VEC(MlirOperation) loops;               /* functions of loops; detached */
  size_t expanded_nodes, expanded_nodes_left; /* that functions and subgraphs may expand to: in all, and in the rest of this walk */
  TccMap *weight_names;                       /* taken ones -> how often */
  TccMap *replacements;                       /* of weights: name -> TccSourcePlace; NULL: none (replace.c) */
  TCC_VEC(TccStr) arguments;                  /* names of main's arguments */
  TCC_VEC(MlirValue) results;                 /* of main */
  TCC_VEC(MlirAttribute) argument_attrs, result_attrs; /* of these */
  size_t states;                                       /* so many of the arguments, the last ones, are states */
  TccMap *params;                                      /* names of sizes that occur alone */
  TccMap *specialised;                                 /* names of inputs whose data become constants */
  TccMap *fixed;                                       /* symbols that became constants: name -> value */
  TccMap *sizes;                                       /* the symbols of inputs' sizes, also those that became constants */
  TccMap *joined;                                      /* symbols that another one stands for -> its place in `sizes` */
  TccMap *unnamed;                                     /* "INPUT AXIS" -> the symbol of a size without a name */
  bool restart;                                        /* an input joined `specialised`: begin again */
  bool could_assume, assume;                           /* see importer.c */
  bool too_large;                                      /* a size had too many terms */
  TccBounds constraints;                               /* expressions that must not be negative */
  TccMap *gone;                                        /* sizes that were counted in what is no part of the module */
  TCC_VEC(const char *) constraint_origins;            /* of each: the node that asks */
  TCC_VEC(const char *) inlined;                       /* calls that stand in line though their graph is called often, and why */
  const TccExpr *growing; /* how many tokens the caches of a graph have that gets one more in each call; NULL: of none */
  int uncertain;          /* branches and bodies around the node that may not run */
  MlirValue seed, offset; /* of random numbers: main's last arguments, and the next stream (random.c); null: none yet */
  bool drops, unchecked;  /* see import_drops; a check was left out there */
  size_t refusals;        /* how often a size was not counted there */
  ImportCall *call;       /* whose diagnostics are being caught; NULL: the model's */
  const char *reason;     /* the first diagnostic outside of nodes */
  bool is_unsupported;
  TCC_VEC(ImportProblem) problems;
};

/* ---- a run; importer.c ---- */
/* How a front end walks its graph: inputs by import_argument, nodes by import_call_begin and import_call_end, outputs by import_result.
 * inputs and outputs: false after import_run_fail, outputs also where a node has the reason. */
typedef struct {
  bool (*inputs)(Importer *run);
  void (*nodes)(Importer *run);
  bool (*outputs)(Importer *run);
} ImportWalk;
/* Begins an import of the file at path, which becomes source 0. False: it cannot be read; import_end says so. */
bool import_begin(Importer *run, TccIr *ir, const char *path, const TccImportOptions *options);
/* Walks the graph, and ends the run: the module, or a null operation after the report. walk NULL: the file could not be read. */
MlirOperation import_end(Importer *run, const ImportWalk *walk, TccImportOutcome *out_outcome);
MlirLocation import_location(Importer *run, TccStr name);
/* e must not be negative, the node at hand asks. */
void import_constrain(Importer *run, const TccExpr *e);
/* A subgraph or function of `count` nodes is about to be imported. False, with a reason, if it is too much (run->expanded_nodes). */
bool import_take_nodes(ImportCall *c, size_t count);

/* ---- inputs and outputs of the model; inputs.c ---- */
/* A size's name as a size of its own, before the first walk: an expression may refer to it. */
void import_declare_size(Importer *run, TccStr name);
/* The size that an input's text stands for: a symbol, "past + 1" if its symbols are declared; anything else is a symbol with an odd
 * name. What the caller or a walk made constant is. */
const TccExpr *import_parse_size(Importer *run, TccStr text);
/* Sizes of inputs that this walk takes to be equal, though they have names of their own: the first of them stands for all in the next
 * walk, so that equal layers have equal types. False: there were such sizes, and the walk begins again. */
bool import_join_sizes(Importer *run);
/* Where this walk takes two sizes to be equal of which one is 1 as given and the other is not, that one becomes constant, and the walk
 * begins again: it is broadcast. */
void import_fix_ones(Importer *run);
/* The next argument of main. shape: what the model says of it, with rank -1 where it has none; sizes that are NULL have no name. False:
 * the run failed. */
bool import_argument(Importer *run, ImportScope *scope, TccStr name, const ImportShape *shape);
/* Its two halves. */
bool import_argument_value(Importer *run, TccStr name, const ImportShape *shape, ImportValue *out);
bool import_bind_argument(Importer *run, ImportScope *scope, TccStr name, ImportValue value);
/* How many tensors an input has that is a list: as the size of its name, or of "#K" for the K-th input, was told. Each is an argument, "NAME[0]"
 * and so on. False: nobody told, and the run failed. */
enum { IMPORT_MOST_ITEMS = 4096 };
bool import_list_length(Importer *run, TccStr name, size_t number, size_t *out);
/* The next result of main: of a list one for each tensor, "NAME[0]" and so on, of an absent value none. False: the value is poison, or there is
 * none. */
bool import_result(Importer *run, TccStr name, const ImportValue *value);
/* The next argument of main, after all inputs: memory that is kept from run to run and begins as `initial`, a value of weights alone. */
MlirValue import_state(Importer *run, TccStr name, MlirValue initial);
/* What a state holds behind a run, and what it holds at first: after all other results, and the first of all states before the second of any. */
void import_state_next(Importer *run, TccStr name, MlirValue state, MlirValue next);
void import_state_initial(Importer *run, TccStr name, MlirValue state, MlirValue initial);
/* An argument more of main, while its nodes are imported: of rank 0. The graph has none of that name. */
bool import_hidden_argument(Importer *run, const char *name, TccElem elem, MlirValue *out);
bool import_check_names(Importer *run);                                   /* what the caller names must be there */
const TccHostTensor *import_given_data(const Importer *run, TccStr name); /* NULL if the caller gave none */

/* ---- weights from other files; replace.c ---- */
/* A weight of the model that the files of run->options->weights may replace. Sizes in elements; names and dims are borrowed. */
typedef struct {
  TccStr name, shared; /* shared: equal where weights have the same bytes and form in the model; empty: nobody knows */
  TccElem elem;
  size_t rank;
  const int64_t *dims;
  bool optional; /* where the files lack it, the model's own stays */
} ImportReplaceable;
/* Opens the files, finds all weights in them and makes the files sources of the run: once, before the first walk. False: the run failed, with all
 * weights that are missing or of another form. */
bool import_replace_weights(Importer *run, const ImportReplaceable *weights, size_t count);
/* Where the replacement of a weight lies, dense and row-major; NULL: the model's own stays. */
const TccSourcePlace *import_replacement(const Importer *run, TccStr name);

/* ---- names and nodes; scope.c ---- */
/* Names of a graph or function body. Lookups go on in the parent; a function's body has none. */
struct ImportScope {
  ImportScope *parent;
  TccMap *values;     /* name -> ImportValue */
  const char *prefix; /* "outer/": before node names in locations */
  int depth;          /* of function calls */
};
void import_scope_init(Importer *run, ImportScope *scope, ImportScope *parent);
bool import_scope_put(Importer *run, ImportScope *scope, TccStr name, ImportValue value); /* false: the name is taken */
const ImportValue *import_scope_find(const ImportScope *scope, TccStr name);

/* A node: c has its importer, scope, op, domain, name, noutputs and output_names; the rest is filled in. From here to import_call_end
 * diagnostics are the node's. */
void import_call_begin(ImportCall *c, size_t ninputs);
/* Within the limits of the compilation. The first node that is not says so, the others have no value. */
bool import_call_goes_on(ImportCall *c);
/* The inputs by name; "" is an absent one. False: one is poison, or is not defined. */
bool import_call_resolve(ImportCall *c, const TccStr *names);
/* Gives the outputs their names, poison if the node failed: ok is what its handler returned. Records the reason. */
void import_call_end(ImportCall *c, bool ok);

/* ---- prune.c, body.c ---- */
/* The sizes that ops of the block count are no part of the module. */
void import_forget_sizes(ImportCall *c, MlirBlock block);
bool import_is_gone(const Importer *run, const TccExpr *e); /* it has such a size */
/* The function of `loops` that an op calls as a loop's body, which nothing else calls; null for another op. */
MlirOperation import_called_loop(ImportCall *c, MlirOperation call);
void import_forget_loop(ImportCall *c, MlirOperation function); /* a loop's function that nothing calls any more */

/* ---- report.c ---- */
/* Records why the node of c was not imported, if it says so. */
void import_problem(ImportCall *c);
/* The run fails, with its first reason. False. */
bool import_run_fail(Importer *run, bool is_unsupported, const char *format, ...) TCC_PRINTF(3, 4);
bool import_run_fail_status(Importer *run, TccStatus *status); /* consumes it; true for NULL */
/* A diagnostic handler, user is the run: errors of builders become the reason of the node at hand, or of the run. */
MlirLogicalResult import_run_catch(MlirDiagnostic diagnostic, void *user);
/* Emits what was recorded. */
TccImportOutcome import_run_report(Importer *run);
#endif
