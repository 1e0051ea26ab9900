/* internal.h - what the files of the run-time share.
 *
 * Layers: artifact (bytes -> plan and functions), graph (the plan with its regions expanded, free of sizes; one per model),
 * instance (the graph with sizes, buffers and pointers; several per context), team (threads that walk an instance). */
#ifndef TCC_RUNTIME_INTERNAL_H
#define TCC_RUNTIME_INTERNAL_H
#include "tcc/cache.h"
#include "tcc/compile.h"
#include "tcc/expr.h"
#include "tcc/file.h"
#include "tcc/plan.h"
#include "tcc/runtime.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { TCC_CACHE_LINE = 64 };

/* ---- files and artifacts ---- */
typedef struct {
  void *handle;
  int fd;
  const TccPlanHeader *plan;
  size_t bytes;
  uint8_t digest[TCC_DIGEST_BYTES];
} TccArtifact;
TccStatus *tcc_artifact_open(const char *path, const void *bytes, size_t length, TccArtifact *out) TCC_CHECKED;
void tcc_artifact_close(TccArtifact *artifact);
TccStatus *tcc_cpu_allow_amx(void) TCC_CHECKED;

/* ---- memory ---- */
void *tcc_allocate(const TccAllocator *allocator, size_t bytes); /* 64-byte aligned, not zeroed; NULL on failure */
void tcc_release(const TccAllocator *allocator, void *memory, size_t bytes);
static inline size_t tcc_align(size_t bytes) { return (bytes + TCC_CACHE_LINE - 1) & ~(size_t)(TCC_CACHE_LINE - 1); }

/* Offsets for buffers with lifetimes, as an allocator that runs ahead of time: best fit among free blocks. */
typedef struct {
  size_t offset, bytes;
} TccBlock;
typedef struct {
  TccBlock *free; /* by offset */
  size_t count, capacity, end;
  size_t live, peak; /* bytes taken and not given back; the most there were: no plan in this order needs less */
} TccOffsets;        /* all zero at first */
bool tcc_offsets_take(TccOffsets *offsets, size_t bytes, size_t *out_offset); /* false: out of memory */
bool tcc_offsets_give(TccOffsets *offsets, size_t offset, size_t bytes);
typedef struct {
  size_t bytes, offset, first, last;
} TccLifetime; /* alive in steps first to last, both included */
/* Offsets for all of them at once, the largest first; returns the end. order: room for count indices. Quadratic. */
size_t tcc_lifetimes_pack(TccLifetime *lifetimes, size_t count, uint32_t *order, uint32_t *placed);

/* ---- the graph ---- */
typedef enum { TCC_PLACE_BUFFER, TCC_PLACE_INPUT, TCC_PLACE_STATIC, TCC_PLACE_SIZES, TCC_PLACE_NONE } TccPlace;
#define TCC_NEVER UINT32_MAX
typedef struct {
  uint8_t place, elem, rank;
  bool is_output;  /* of a root: an output has its bytes */
  bool direct;     /* BUFFER that is written where the output goes */
  uint32_t root;   /* the value in whose memory it lies; itself if it is no alias and lies in no other */
  uint32_t within; /* the value whose bytes it is, which may be a piece of the root; itself if it is no alias */
  uint32_t parent,
      shift;      /* of a `within`: the value in which it lies, so many bytes (an expression) from its start; TCC_NEVER: none */
  uint32_t index; /* INPUT: its number; STATIC: weight or constant, see kind */
  uint32_t kind;  /* TccPlanValueKind */
  TccPlanRange dims, sizes;
  uint32_t first, last; /* of a root: steps that write it and read it last; TCC_NEVER: none */
  uint32_t stage;       /* of a node with a parent: the one in which it is made, and its parent */
  void *data;           /* STATIC: known once the model is loaded */
} TccNode;

typedef struct {
  TccPlanCommandKind kind;
  uint32_t index; /* call or symbol */
  uint32_t slots; /* first of its argument slots: operands, then results */
  uint32_t operands, results;
  uint32_t sizes; /* first of its entries in an instance's sizes */
  uint32_t stage;
  TccPlanRange inplace;
  uint32_t loop; /* LOOP and AGAIN: of the graph's */
} TccStep;

/* A loop stands in line: LOOP copies the values it begins with to what it carries, its body follows, AGAIN copies what the body made of
 * them to the same place. Operands of LOOP are the values at first, its results what is carried; operands of AGAIN are the body's
 * results, then what is carried. */
enum { TCC_LOOP_DEPTH = 32 };
typedef struct {
  uint32_t begin, end, trips, carried, depth;
  bool conditional;
} TccLoop; /* steps of LOOP and AGAIN */

typedef struct {
  uint32_t node;
  uint32_t stage;   /* the first in which its size and address are known */
  bool direct;      /* the kernel writes to where the caller wants it; else copied after the run */
  int32_t tied;     /* input, or -1 */
  bool tied_direct; /* the input is dead when the output is first written */
} TccOutput;

typedef struct {
  const TccPlanHeader *plan;
  TccArena *arena;
  TccNode *nodes;
  TccStep *steps;   /* of every run, in order */
  TccStep *initial; /* run once: they depend on weights and constants alone */
  uint32_t *slots;  /* node of each argument slot, of steps and of initial */
  size_t node_count, step_count, initial_count, slot_count, size_count, stage_count;
  TccLoop *loops;
  uint32_t *placed; /* nodes with a parent, parents before those that lie in them */
  size_t placed_count;
  size_t *stage_first; /* stage_count + 1: steps of stage n are [stage_first[n], stage_first[n + 1]) */
  uint32_t *input_nodes;
  TccOutput *outputs;
  size_t input_count, output_count;
  uint32_t *patch_first; /* per node: patches[patch_first[n] .. patch_first[n+1]) are the slots with n as their root */
  uint32_t *patches;
  uint64_t *region_calls; /* per function of the plan, in one run */
} TccGraph;
/* Expands the regions of a checked plan. All memory is in arena. */
TccStatus *tcc_graph_build(const TccPlanHeader *plan, TccArena *arena, TccGraph *out) TCC_CHECKED;
TccStatus *tcc_graph_place_pieces(TccGraph *graph) TCC_CHECKED; /* a part of tcc_graph_build; see pieces.c */
size_t tcc_graph_key_length(const TccGraph *graph);             /* input dims together */

/* ---- commands and threads ---- */
/* Where a list of commands goes on: behind LOOP, at its body if there is an iteration, else `jump` commands on; behind AGAIN
 * at the body (`jump` is negative) or with the next. conditional: arguments[carried] points to the byte that says so. */
typedef struct {
  int64_t trips, jump;
  uint32_t depth, carried;
  bool conditional, again;
} TccJump;
typedef struct {
  TccKernelFunction *function;
  void *const *arguments;
  const int64_t *sizes;
  int64_t tiles;
  bool narrow;           /* too little work to share: the calling thread does all of it */
  const TccFetch *fetch; /* NULL, or what threads that wait for this command may ask for ahead */
  const TccJump *jump;   /* NULL: the next command follows */
} TccCommand;
/* Copies what a loop carries: the kernel of LOOP and AGAIN. arguments: sources, then places; sizes: their number, then for each its
 * bytes, then for each -1 or its offset in scratch, where it waits until all others that wait have been read. */
TccKernelFunction tcc_loop_copy;
typedef struct TccTeam TccTeam;
TccStatus *tcc_team_create(const TccAllocator *allocator, unsigned threads, TccTeam **out) TCC_CHECKED;
void tcc_team_destroy(TccTeam *team);
unsigned tcc_team_threads(const TccTeam *team);
bool tcc_team_reserve(TccTeam *team, size_t scratch_bytes); /* per thread; not during a run */
/* Runs commands in order. out_nanoseconds: NULL, or of each command the time from the first thread's start to the last one's end; no
 * two commands overlap then. */
void tcc_team_run(TccTeam *team, const TccCommand *commands, size_t count, double *out_nanoseconds);

/* ---- models ---- */
typedef struct {
  TccCache *cache;   /* NULL: nothing is kept */
  char *directory;   /* of the weight files, or NULL */
  TccText key;       /* the artifact, this run-time, and each weight file as it was found */
  TccFileMap map;    /* the entry, if there was one */
  const void *block; /* in it */
  bool unsettled;    /* a weight file was being written when it was found: see packed.c */
} TccPacked;

struct TccModel {
  _Atomic unsigned references;
  TccAllocator allocator;
  TccArtifact artifact;
  const TccPlanHeader *plan;
  TccArena *arena;
  TccGraph graph;
  TccFileMap *sources;
  TccKernelFunction **functions; /* per kernel of the plan */
  struct {
    void *data;
    size_t bytes;
  } *owned;    /* per node: memory of static nodes outside of the block, or NULL */
  void *block; /* results of initial steps that later steps read */
  size_t block_bytes;
  TccPacked packed;
  TccPortInfo *inputs, *outputs;
  TccModelInfo info;
};

/* A model of a checked plan; takes the artifact. find: the function of a kernel's symbol, or NULL. */
TccStatus *tcc_model_create(TccArtifact artifact, TccKernelFunction *(*find)(const char *symbol, void *user), void *user,
                            const TccLoadOptions *options, TccModel **out) TCC_CHECKED;

/* Maps weights and runs the initial steps, or maps what they made last time. */
TccStatus *tcc_weights_bind(TccModel *model, const TccLoadOptions *options) TCC_CHECKED;
void tcc_weights_release(TccModel *model);
/* Where a source's file is; NULL: its name is relative and there is no directory. Perhaps in the arena. */
const char *tcc_source_path(TccArena *arena, const TccPlanHeader *plan, uint32_t index, const char *directory);

/* ---- results of initial steps on disk; see packed.c ---- */
/* Opens the cache for the model and, if it has what the initial steps make, maps that. The block must have its size. */
void tcc_packed_open(TccModel *model, const char *directory);
void tcc_packed_close(TccModel *model);
/* Checks that bytes are an entry for this key with a block of this size; sets *out to it. */
TccStatus *tcc_packed_check(const void *bytes, size_t length, TccStr key, size_t block_bytes, const void **out) TCC_CHECKED;
/* Appends the header of an entry, padded to where its block begins. */
void tcc_packed_header(TccStr key, const void *block, size_t block_bytes, TccText *out);

/* ---- instances: the graph for one set of input sizes ---- */
typedef struct {
  TccModel *model;
  uint64_t used; /* time of the last run, for LRU */
  int64_t *key;  /* input dims, concatenated */
  int64_t *symbols;
  int64_t *exprs; /* values; those of a later stage are set when it is entered */
  int64_t *sizes;
  int64_t *counts;           /* per stage: the count that it was planned for, -1 at first */
  int64_t *shapes;           /* of the outputs, TCC_PLAN_MAX_RANK each */
  size_t *bytes;             /* per node */
  size_t *shifts;            /* per node: from the start of its root */
  void **pointers;           /* per node that is a root */
  void **arguments;          /* per slot */
  TccCommand *commands;      /* per step */
  TccJump *jumps;            /* per step */
  TccBlock *arenas;          /* per stage; offset is the address */
  void **homes;              /* per direct output: its place in the arena */
  TccBlock *copies, *staged; /* per output, input: memory for a copy; offset is the address */
  size_t *peaks;             /* per stage: the most bytes that were alive in its arena */
  size_t scratch_bytes, total_bytes, block_bytes;
  void *block;
} TccInstance;
TccStatus *tcc_instance_create(TccModel *model, const int64_t *key, TccInstance **out) TCC_CHECKED;
void tcc_instance_destroy(TccInstance *instance);
/* Plans a stage >= 1 for the count that its symbol has got; keeps the plan if the count is the same as last time. */
TccStatus *tcc_instance_enter(TccInstance *instance, size_t stage, int64_t count) TCC_CHECKED;
void tcc_instance_point(TccInstance *instance, uint32_t root, void *data); /* sets a root's address everywhere */
int64_t tcc_instance_dim(const TccInstance *instance, const TccNode *node, uint32_t axis);
bool tcc_instance_reserve(TccInstance *instance, TccBlock *block, size_t bytes); /* grows block */

/* ---- tensors ---- */
bool tcc_tensor_is_dense(const TccTensor *tensor);
/* Copies between a dense buffer and a tensor of any strides; elements of whole bytes, or both dense. */
void tcc_tensor_pack(const TccTensor *from, TccElem elem, void *to);
void tcc_tensor_unpack(const void *from, TccElem elem, const TccTensor *to);

/* ---- builtins: kernels in C; NULL if there is none of that name ---- */
TccKernelFunction *tcc_builtin_find(const char *name);
TccKernelFunction tcc_relayout, tcc_winograd_weights, tcc_suppress, tcc_join, tcc_part;
int64_t tcc_count_nonzero(TccElem elem, const void *data, int64_t count);
#endif
