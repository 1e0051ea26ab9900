/* fuse_groups.h - the data that tcc-fuse works on: nodes (ops of one block), groups of them, and their order.
 *
 * Invariant, kept by every step: for each use of a value by another unit (group or lone op), position(definition) <
 * position(use). All members of a group share the group's position. So the graph of units has no cycle, and sorting units
 * by position is a schedule. */
#ifndef TCC_FUSE_GROUPS_H
#define TCC_FUSE_GROUPS_H
#include "lib/ir/internal.h"
#include "tcc/target.h"

typedef enum {
  CLASS_OUTSIDE, /* never in a kernel: weights, large constants, calls, returns, barriers, foreign ops */
  CLASS_CHEAP,   /* small constants, iota, sizes: copied into every kernel that reads them */
  CLASS_RESHAPE, /* an alias between kernels, an index change inside */
  CLASS_VIEW,    /* transpose, slice, broadcast */
  CLASS_ELEMENT,
  CLASS_INDEXED, /* gathers, pad, concat: read through computed indices */
  CLASS_ANCHOR,  /* the op that gives a kernel its kind */
} FuseClass;

typedef struct FuseGroup FuseGroup;
typedef struct FuseNode FuseNode;
typedef struct {
  FuseNode *user;
  intptr_t operand;
} FuseUse;
typedef struct {
  FuseUse *use; /* in MLIR's order */
  size_t uses;
  MlirValue now; /* the result of the call that it became; null before */
} FuseResult;
struct FuseNode {
  MlirOperation op;
  TccOpKind kind;
  FuseClass class;
  bool init;       /* depends on weights and constants alone */
  bool views_only; /* was pulled as an operand view: its producers must be views as well */
  double position;
  size_t first_pull;    /* of a group's pulls, in the group that it joined last */
  FuseNode **producers; /* of its operands; NULL for arguments of the block */
  intptr_t operands, nresults;
  FuseResult *results;         /* as they were when the graph was built */
  TCC_VEC(FuseGroup *) groups; /* one, or several for a copied view; cheap nodes: none */
};

/* A member of a group is asked for at an index, for so many elements. See fuse_budget.c. */
typedef struct {
  const FuseNode *node;
  uint64_t index;
  double elements;
} FusePull;

struct FuseGroup {
  TccKernelKind kind;
  bool init;
  double position;
  FuseNode *anchor;            /* NULL for map */
  size_t more_results;         /* of a map: members beside its root that it writes; fuse_results.c */
  MlirType domain;             /* shape that the kernel iterates over: the root's, the anchor's, or a row kernel's input's */
  TCC_VEC(FuseNode *) members; /* in no order */
  /* The budget of maps and rows, see fuse_budget.c. */
  TCC_VEC(FusePull) pulls; /* those of one member follow each other */
  size_t code;             /* pulls of members that compute */
  double elements, again;  /* of the domain; simple operations that are done again */
};

typedef struct {
  TccIr *ir;
  const TccTargetInfo *target;
  TccArena *arena;
  MlirBlock block;
  FuseNode *nodes; /* in order of the block */
  size_t count;
  TccPointerMap index; /* operation -> node */
  TCC_VEC(FuseGroup *) groups;
  TccMap *why;          /* NULL, or: (value, reader) -> why the two are apart, as the last decision about them said it */
  MlirType counted;     /* the type whose elements were counted last, or null */
  double elements;      /* of it */
  bool main;            /* of the model, no region */
  bool loop;            /* the body of one */
  TccNumerics numerics; /* of the module, and of its kernels */
} FuseGraph;

/* Why `value` is not read inside of the kernel that makes it, or made inside of the one that reads it. Costs nothing unless asked for. */
void fuse_note(FuseGraph *graph, MlirValue value, MlirOperation reader, const char *why);
/* The reasons of all readers of a value that is stored. In graph->arena. */
const char *fuse_why(const FuseGraph *graph, const FuseNode *node, MlirValue value);
/* Why an anchor reads its operands from memory. */
const char *fuse_anchor_why(TccOpKind reader, TccKernelKind maker);

void fuse_graph_build(FuseGraph *graph, TccIr *ir, const TccTargetInfo *target, TccArena *arena, MlirBlock block,
                      const TccInit *init);
FuseNode *fuse_node_of(const FuseGraph *graph, MlirOperation op);
FuseNode *fuse_producer(const FuseGraph *graph, MlirValue value); /* NULL for arguments */
FuseGroup *fuse_group_add(FuseGraph *graph, TccKernelKind kind, FuseNode *first, MlirType domain);
void fuse_group_join(FuseGraph *graph, FuseGroup *group, FuseNode *node);
bool fuse_in_group(const FuseNode *node, const FuseGroup *group);
/* True if every axis of x is an axis of r or is split into adjacent axes of r (unit axes may come and go). */
bool fuse_reshape_splits(TccIr *ir, MlirType x, MlirType r);

/* ---- the budget of what a kernel computes again; fuse_budget.c ---- */
bool fuse_is_expensive(TccOpKind kind);
/* What the anchor of a group and those behind it, or the root of a map, are asked for. */
void fuse_budget_start(FuseGraph *graph, FuseGroup *group);
/* Counts what `node` takes, which members of the group read and which is to join it. NULL, or why it has to be stored: then nothing was
 * counted. (Views take no work, so nobody has to take it back where a view does not join since another group has no room.) */
const char *fuse_budget_take(FuseGraph *graph, FuseGroup *group, FuseNode *node);

/* Whether `reader` is a scatter into a constant of equal elements, `producer`: its kernel has the number and reads no buffer of them. */
bool fuse_is_filled(const FuseNode *producer, const FuseNode *reader);

/* Whether the members of a map that read `node` all do so at the index of the map's root. */
bool fuse_is_read_at_root(const FuseGraph *graph, const FuseGroup *group, const FuseNode *node);

/* The one of these maps, readers of `node`, that computes it and writes it for others; NULL if none can. It has counted what `node` takes.
 * fuse_results.c */
FuseGroup *fuse_writer(FuseGraph *graph, FuseNode *node, FuseGroup *const *readers, size_t count);

typedef struct {
  TccMap *names; /* content of a group -> name of its function */
  size_t groups; /* so far: numbers in names */
} FuseKernels;
/* Outlines every group into a kernel function before `before` in the module body and leaves calls. Groups that are equal to
 * one of `kernels` call its function. */
MlirLogicalResult fuse_outline(FuseGraph *graph, MlirBlock module_body, MlirOperation before, FuseKernels *kernels);
#endif
