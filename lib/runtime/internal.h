/* internal.h - what the files of the run-time share.
 *
 * Layers: artifact (bytes -> plan and functions), graph (the plan with its regions expanded, free of sizes; one per model),
 * instance (the graph with sizes, buffers and pointers; several per context), team (threads that walk an instance). */
#ifndef TCC_RUNTIME_INTERNAL_H
#define TCC_RUNTIME_INTERNAL_H
#include "cache_files.h"
#include "tcc/cache.h"
#include "tcc/compile.h"
#include "tcc/expr.h"
#include "tcc/file.h"
#include "tcc/kinds.h"
#include "tcc/plan.h"
#include "tcc/runtime.h"
#include <elf.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TCC_CACHE_LINE = 64 };

/* ---- files and artifacts ---- */
/* A shared object of tcc's linker, loaded; see image.c. */
typedef struct {
  char *base;
  size_t bytes;
  const Elf64_Phdr *segments;
  size_t segment_count;
  size_t tables_bytes;  /* of the first segment, where all tables lie */
  const uint32_t *hash; /* buckets, then a chain for each symbol */
  uint32_t buckets, symbol_count;
  const Elf64_Sym *symbols;
  const char *strings;
  size_t strings_bytes;
} TccImage;
/* Maps the shared object with which the file fd begins; file: the same bytes, which no longer change. -1: copies them. Both may go then. */
TccStatus *tcc_image_open(int fd, const void *file, size_t length, TccImage *out) TCC_CHECKED;
void tcc_image_close(TccImage *image);
const void *tcc_image_data(const TccImage *image, const char *name, size_t *out_bytes); /* NULL: there is none */
void *tcc_image_function(const TccImage *image, const char *name);

typedef struct {
  TccImage image;
  const TccPlanHeader *plan;
  size_t bytes;
  uint8_t digest[TCC_DIGEST_BYTES];
  char *path;         /* of the file that it is from; NULL: from memory */
  char *model;        /* of the model that it was compiled of, where that is at hand: its own weights are there */
  TccFileMap file;    /* mapped as long as the weights are used; empty if it has none */
  void *copied;       /* or weights that came from memory */
  TccFileMap weights; /* in one of them */
} TccArtifact;
/* Of a file, or (path is NULL) of bytes, which are copied. checked: their digest is known to be right. */
TccStatus *tcc_artifact_open(const char *path, const void *bytes, size_t length, bool checked, TccArtifact *out) TCC_CHECKED;
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
/* Offsets for all of them at once, the largest first; returns the end, SIZE_MAX if that is above half the address space, where each
 * of them must be below. order: room for count indices. Quadratic. */
size_t tcc_lifetimes_pack(TccLifetime *lifetimes, size_t count, uint32_t *order, uint32_t *placed);

/* ---- the graph ---- */
/* FROZEN: depends on static inputs, and perhaps weights, alone: see frozen.c. */
typedef enum { TCC_PLACE_BUFFER, TCC_PLACE_INPUT, TCC_PLACE_STATIC, TCC_PLACE_FROZEN, TCC_PLACE_SIZES, TCC_PLACE_NONE } TccPlace;
#define TCC_NEVER UINT32_MAX
typedef struct {
  uint8_t place, elem, rank;
  bool is_output; /* of a root: an output has its bytes */
  bool direct;    /* BUFFER that is written where the output goes */
  bool known;     /* the same, and where that is is said before it is written */
  bool
      over_input; /* the same, and that is in place of an input: it has no memory of its own unless a caller's tensor asks for a copy */
  uint32_t root;   /* the value in whose memory it lies; itself if it is no alias and lies in no other */
  uint32_t within; /* the value whose bytes it is, which may be a piece of the root; itself if it is no alias */
  uint32_t parent,
      shift;      /* of a `within`: the value in which it lies, so many bytes (an expression) from its start; TCC_NEVER: none */
  uint32_t index; /* INPUT: its number; STATIC: weight or constant, see kind */
  uint32_t kind;  /* TccPlanValueKind */
  TccPlanRange dims, sizes;
  uint32_t first, last; /* of a root: steps that write it and read it last; TCC_NEVER: none */
  uint32_t frozen_last; /* of a FROZEN root: the frozen step that reads or writes it last */
  uint32_t stage;       /* of a node with a parent: the one in which it is made, and its parent */
  void *data;           /* STATIC: known once the model is loaded */
} TccNode;

typedef struct {
  TccPlanCommandKind kind;
  uint32_t index; /* call or symbol */
  uint32_t slots; /* first of its argument slots: operands, then results */
  uint32_t operands, results;
  uint32_t sizes; /* first of its entries in an instance's sizes; in front of it lie the words for its kernel's faults */
  uint32_t maps;  /* first of its tensor maps in an instance's gpu_maps */
  uint32_t stage;
  TccPlanRange inplace;
  uint32_t loop;    /* LOOP and AGAIN: of the graph's */
  TccPlanText node; /* KERNEL: of the model, for reports */
} TccStep;

/* A loop stands in line: LOOP copies the values it begins with to what it carries, its body follows, AGAIN copies what the body made of
 * them to the same place. Operands of LOOP are the values at first, its results what is carried; operands of AGAIN are the body's
 * results, then what is carried. */
enum { TCC_LOOP_DEPTH = 32 };
typedef struct {
  uint32_t begin, end; /* steps of LOOP and AGAIN */
  uint32_t trips, carried, depth;
  bool conditional;
  bool counts;         /* data decide sizes in its body: LOOP, each COUNT of the body, and AGAIN end a stage */
  uint32_t body, next; /* if it counts: the stages behind LOOP and behind AGAIN */
  uint32_t outer;      /* 1 + the number of the innermost loop around it that counts; 0: there is none */
} TccLoop;

typedef struct {
  uint32_t node;
  uint32_t stage;   /* the first in which its size and address are known */
  bool direct;      /* the kernel writes to where the caller wants it; else copied after the run */
  int32_t tied;     /* input, or -1 */
  bool tied_direct; /* the input is dead when the output is first written */
  bool reads_tied;  /* it is an input as it was, and another output is written there when the run is over */
} TccOutput;

typedef struct {
  const TccPlanHeader *plan;
  TccArena *arena;
  TccNode *nodes;
  TccStep *steps;   /* of every run, in order */
  TccStep *initial; /* run once: they depend on weights and constants alone */
  TccStep *frozen;  /* run once for each set of static inputs: they depend on these, too */
  uint32_t *slots;  /* node of each argument slot, of steps and of initial */
  size_t node_count, step_count, initial_count, frozen_count, slot_count, size_count, map_count, stage_count;
  TccLoop *loops;
  uint32_t *placed; /* nodes with a parent, parents before those that lie in them */
  size_t placed_count;
  size_t *stage_first; /* stage_count + 1: steps of stage n are [stage_first[n], stage_first[n + 1]) */
  uint32_t *stage_end; /* per stage: behind the last whose sizes may depend on what it counts: its loop's, or all */
  uint32_t *input_nodes;
  TccOutput *outputs;
  size_t input_count, output_count; /* states among them: the last state_count of both */
  size_t state_count;
  uint32_t *initial_nodes; /* of states: what they hold at first */
  uint32_t *static_inputs; /* numbers of those that frozen steps read */
  uint32_t *frozen_nodes;  /* roots that frozen steps make and later ones read; node->data: the offset in a set's block */
  size_t static_count, frozen_node_count, frozen_bytes;
  uint32_t *patch_first; /* per node: patches[patch_first[n] .. patch_first[n+1]) are the slots with n as their root */
  uint32_t *patches;
  uint64_t *region_calls; /* per function of the plan, in one run */
  uint32_t *checked;      /* steps whose kernels check indices */
  uint32_t *seen;         /* where in an instance's sizes they say that one was outside, one word a check */
  size_t checked_count, seen_count;
} TccGraph;
/* Expands the regions of a checked plan. All memory is in arena. */
TccStatus *tcc_graph_build(const TccPlanHeader *plan, TccArena *arena, TccGraph *out) TCC_CHECKED;
TccStatus *tcc_graph_concat_in_place(TccGraph *graph) TCC_CHECKED; /* a part of tcc_graph_build; see concat_in_place.c */
size_t tcc_graph_key_length(const TccGraph *graph);                /* input dims together */

/* ---- commands and threads ---- */
/* Where a list of commands goes on: behind LOOP, at its body if there is an iteration, else `jump` commands on; behind AGAIN
 * at the body (`jump` is negative) or with the next. conditional: arguments[carried] points to the byte that says so. */
typedef struct {
  int64_t trips, jump;
  uint32_t depth, carried;
  bool conditional, again;
} TccJump;
/* Whether the body is run behind LOOP or AGAIN; holds and remaining: see below. */
static inline bool tcc_jump_goes_on(const TccJump *jump, bool holds, int64_t *remaining) {
  if (!jump->again) remaining[jump->depth] = jump->trips;
  else remaining[jump->depth]--;
  return remaining[jump->depth] > 0 && holds;
}
/* The place of the command behind number i, which has this jump. holds: its condition, if it has one. remaining: iterations, of loops by
 * depth. */
static inline size_t tcc_jump_next(const TccJump *jump, size_t i, bool holds, int64_t *remaining) {
  return tcc_jump_goes_on(jump, holds, remaining) == jump->again ? (size_t)((int64_t)i + jump->jump) : i + 1;
}
typedef struct {
  TccKernelFunction *function;
  void *const *arguments;
  const int64_t *sizes;
  int64_t tiles;
  bool serial;                 /* too little work to share: the calling thread does all of it */
  const TccPrefetch *prefetch; /* NULL, or what threads that wait for this command may prefetch */
  const TccJump *jump;         /* NULL: the next command follows */
} TccCommand;
/* Copies what a loop carries: the kernel of LOOP and AGAIN. arguments: sources, then places; sizes: their number, then for each its
 * bytes, then for each -1 or its offset in scratch, where it waits until all others that wait have been read. */
TccKernelFunction tcc_loop_copy;
typedef struct TccTeam TccTeam;
TccStatus *tcc_team_create(const TccAllocator *allocator, unsigned threads, TccTeam **out) TCC_CHECKED;
/* One whose threads write down what they do. */
TccStatus *tcc_team_create_traced(const TccAllocator *allocator, unsigned threads, TccTeam **out) TCC_CHECKED;
void tcc_team_destroy(TccTeam *team);
unsigned tcc_team_threads(const TccTeam *team);
/* Before a run: as much scratch for each thread, and in the child of a fork threads of its own. TCC_NO_MEMORY: not now, perhaps later. */
TccStatus *tcc_team_prepare(TccTeam *team, size_t scratch_bytes) TCC_CHECKED;
/* What a command of a run took: the time from the first thread's start to the last one's end, and how often it ran, in loops. */
typedef struct {
  double nanoseconds;
  int64_t times;
} TccCommandTime;
/* Runs commands in order. out_times: NULL, or of each command; no two commands overlap then. */
void tcc_team_run(TccTeam *team, const TccCommand *commands, size_t count, TccCommandTime *out_times);

/* ---- spread.c ---- */
typedef struct {
  pthread_t handle;
  cpu_set_t cpus;       /* where it may run */
  double restricted_at; /* since when that holds, in milliseconds; 0: it does not */
  double loose_until;   /* 0: or for now it may run anywhere */
  double pause;         /* for how long it was allowed to last */
  double wall, own;     /* its time and that on a CPU, from which tcc_spread_delayed counts */
} TccSpreadThread;
/* The CPUs of a team's threads. */
typedef struct {
  unsigned others;   /* threads beside the calling one */
  int caller;        /* the CPU of the calling thread when a run began; -1: there was none */
  cpu_set_t allowed; /* the calling thread's mask then */
  _Atomic bool off;  /* nothing is restricted */
  _Atomic bool loose;
  TccSpreadThread threads[];
} TccSpread;
/* For threads that are new, or about to be. */
void tcc_spread_reset(TccSpread *spread);
/* When a run begins and the calling thread is on another CPU than the last time, or a thread is loose. */
void tcc_spread_follow(TccSpread *spread, int cpu);
/* By a thread of its own: when it wakes up, and in the midst of a run, when pieces took it long. */
void tcc_spread_begin(TccSpreadThread *thread);
void tcc_spread_delayed(TccSpread *spread, TccSpreadThread *thread);

/* ---- trace.c ---- */
/* Tiles that a thread did of a command, or a time without any: command TCC_TRACE_WAIT. */
#define TCC_TRACE_WAIT SIZE_MAX
typedef struct {
  double begin, end; /* nanoseconds of CLOCK_MONOTONIC */
  size_t command;    /* of the list that was run */
  int64_t first, tiles;
} TccTraceRecord;
typedef struct TccTraceRing TccTraceRing;
TccTraceRing *tcc_trace_ring(void); /* NULL: no memory; free() ends it */
void tcc_trace_put(TccTraceRing *ring, const TccTraceRecord *record);
bool tcc_trace_take(TccTraceRing *ring, TccTraceRecord *out); /* the oldest; false: there is none. Not by two threads at once. */
uint64_t tcc_trace_lost(TccTraceRing *ring);                  /* records since the last such call for which there was no room */
TccTraceRing *tcc_team_trace(const TccTeam *team, unsigned thread); /* NULL: the team is not traced */

/* ---- faults.c; exprs: the values of the plan's expressions ---- */
/* If a kernel would read an axis without elements, its command becomes one that reports that. */
bool tcc_faults_empty(const TccPlanHeader *plan, const TccPlanCall *call, const int64_t *exprs, TccCommand *command);
/* What a kernel has reported in front of its sizes, which is forgotten; NULL: nothing. */
TccStatus *tcc_faults_take(const TccPlanHeader *plan, const TccPlanCall *call, const int64_t *exprs, int64_t *sizes) TCC_CHECKED;

/* ---- CPUs ---- */
/* The least quota of the process's control groups and their ancestors, in CPUs, rounded up; 0: they set none. groups: a file like
 * /proc/self/cgroup; mount: where control groups are mounted. */
unsigned tcc_cpu_quota(const char *groups, const char *mount);

/* ---- forks ---- */
TccStatus *tcc_forks_watch(void) TCC_CHECKED; /* from now on; again: nothing more */
unsigned tcc_forks(void);                     /* another number in a child than in its parent */

/* ---- models ---- */
typedef struct {
  TccCache *cache;      /* NULL: nothing is kept */
  char *directory;      /* of the weight files, or NULL */
  TccText key;          /* the artifact, this run-time, and each weight file as it was found */
  TccFileMap map;       /* the entry that was found: the block is in it */
  const void *block;    /* in it */
  bool compared;        /* the weights are those that the artifact was compiled with: a part of the key */
  bool found, kept;     /* there was an entry; there is one now */
  bool wanted;          /* there is none, and one may be made */
  TccCacheFile file;    /* the one that is being made */
  unsigned threads;     /* for summing */
  unsigned forks;       /* tcc_forks of the process that opened it: a child keeps nothing, and leaves the file alone */
  pthread_mutex_t lock; /* of file, wanted and kept; only that process takes it */
  pthread_t keeper;     /* with TccLoadOptions.keep: a thread that is in tcc_model_keep, or was */
  bool has_keeper;
} TccPacked;

/* What frozen steps make of static inputs: one block, which does not change. */
typedef struct TccFrozen {
  struct TccFrozen *next; /* of the model's list, the one that was used last first */
  unsigned references;    /* of contexts and the list; under the lock */
  uint64_t id;            /* counts from 1 in a model */
  _Atomic bool forgotten; /* tcc_model_forget: no run may begin with it */
  void *block;
  uint64_t key[]; /* per static input TCC_FROZEN_WORDS */
} TccFrozen;
/* Of a static input: address, digest of strides (0: dense), version. */
enum { TCC_FROZEN_ADDRESS, TCC_FROZEN_STRIDES, TCC_FROZEN_VERSION, TCC_FROZEN_WORDS };
typedef struct {
  _Atomic unsigned lock; /* 0, or 1 + tcc_forks of the process that holds it */
  TccFrozen *first;
  size_t count, most;
  uint64_t made;
} TccFrozenSets;

struct TccGpu;
struct TccModel {
  _Atomic unsigned references;
  struct TccGpu *gpu; /* NULL: kernels run on threads of the host */
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
  TccFrozenSets sets;
  TccPortInfo *inputs, *outputs;
  TccModelInfo info;
};

/* A model of a checked plan; takes the artifact. find: the function of a kernel's symbol, or NULL. */
TccStatus *tcc_model_create(TccArtifact artifact, TccKernelFunction *(*find)(const char *symbol, void *user), void *user,
                            const TccLoadOptions *options, TccModel **out) TCC_CHECKED;

/* tcc_model_load_memory of what `model` was compiled to: weights that are in its own file are read there, others in options->weights_dir.
 * checked: the bytes' digest is known to be right. */
TccStatus *tcc_model_load_compiled(const char *model, const void *bytes, size_t length, bool checked, const TccLoadOptions *options,
                                   TccModel **out) TCC_CHECKED;

/* The kernel function that a step calls. Borrowed. */
const char *tcc_step_name(const TccModel *model, const TccStep *step);
/* Maps weights and runs the initial steps, or maps what they made last time. */
TccStatus *tcc_weights_bind(TccModel *model, const TccLoadOptions *options) TCC_CHECKED;
/* Gives one static value that no step makes its bytes on the host. */
TccStatus *tcc_weights_bind_node(TccModel *model, uint32_t n, const char *directory) TCC_CHECKED;
size_t tcc_static_bytes(const TccModel *model, const TccNode *node); /* SIZE_MAX: too large for the address space */
void tcc_weights_release(TccModel *model);
/* Maps the file of a source, unless it has none or is mapped: model->sources. */
TccStatus *tcc_source_map(TccModel *model, uint32_t index, const char *directory) TCC_CHECKED;
/* Whether the files of the weights are those that the artifact was compiled with: see identity.c. */
TccStatus *tcc_identity_check(TccModel *model, const char *directory, TccVerify verify, unsigned threads) TCC_CHECKED;
/* Where a source's file is; NULL: its name is relative and there is no directory. Perhaps in the arena. */
const char *tcc_source_path(TccArena *arena, const TccModel *model, uint32_t index, const char *directory);

/* ---- results of initial steps on disk; see packed.c ---- */
/* Opens the cache for the model. If it has what the initial steps make, maps that; else maps a file that they are to write to, if one can
 * be had. The block must have its size. */
void tcc_packed_open(TccModel *model, const char *directory, bool compared, unsigned threads);
void tcc_packed_keep(TccModel *model); /* starts a thread that keeps it; tcc_packed_close waits for it */
void tcc_packed_close(TccModel *model);
/* Checks that bytes are an entry for this key with a block of this size; sets *out to it and *out_sum to the sum that it must have. */
TccStatus *tcc_packed_check(const void *bytes, size_t length, TccStr key, size_t block_bytes, const void **out,
                            const uint8_t **out_sum) TCC_CHECKED;
/* Where the block of an entry for this key begins; appends what stands before it, without the padding. */
size_t tcc_packed_offset(TccStr key);
void tcc_packed_header(TccStr key, size_t block_bytes, const uint8_t sum[TCC_DIGEST_BYTES], TccText *out);
/* Of the block, on so many threads (0: all). */
TccStatus *tcc_packed_sum(const void *block, size_t bytes, unsigned threads, uint8_t out[TCC_DIGEST_BYTES]) TCC_CHECKED;
/* The same while the block is written to fd, at offset. */
TccStatus *tcc_packed_write(const void *block, size_t bytes, unsigned threads, int fd, size_t offset,
                            uint8_t out[TCC_DIGEST_BYTES]) TCC_CHECKED;

/* ---- the key of a model's artifact; see compile_key.c ---- */
/* Files, and what they were when they were added: replaced or written to meanwhile? */
typedef struct {
  TccText paths, states;
} TccWatch;
void tcc_watch_add(TccWatch *watch, const char *path);
TccStatus *tcc_watch_check(const TccWatch *watch, bool *out_changed) TCC_CHECKED; /* TCC_NO_MEMORY: it cannot be known */
void tcc_watch_destroy(TccWatch *watch);
/* Appends the first level, of a model with this digest (tcc_wire_digest). */
void tcc_key_put(const char *model, const uint8_t digest[TCC_DIGEST_BYTES], const TccCompileOptions *options, TccText *key);
/* Where the sizes of the inputs that are known count: appends them. */
void tcc_key_put_sizes(const TccCompileOptions *options, TccText *key);
/* Appends the second level as the list asks for it; false if an input is not given, or a file does not have the bytes. Adds the
 * files that are read to watch, if there is one. */
bool tcc_key_put_parts(const char *model, const TccCompileOptions *options, TccStr list, TccWatch *watch, TccText *key);
void tcc_key_put_read(TccStr file, uint64_t offset, uint64_t length, const uint8_t digest[TCC_DIGEST_BYTES], TccText *key);

/* ---- instances: the graph for one set of input sizes ---- */
/* The launches of a stage as CUDA graphs, one for each tuple of addresses of inputs and outputs: see gpu_graph.c. */
typedef struct {
  void *exec;                    /* NULL: there is none yet */
  const void *scratch, *carried; /* memory of the device that it knows, which may have been replaced since */
  uint64_t used;                 /* time of the last run, for LRU */
  unsigned runs;                 /* launch by launch, or replays of exec */
} TccGpuGraph;
enum { TCC_GPU_GRAPHS = 8 }; /* tuples that are remembered */
typedef struct {
  TccGpuGraph data[TCC_GPU_GRAPHS];
  size_t count;
  uint64_t clock;
  int64_t launches;  /* 0: not counted yet; -1: it cannot be a graph, or need not */
  unsigned patience; /* runs launch by launch before a tuple is captured, less 1 */
} TccGpuGraphs;
/* A tensor map and what it was made of: a launch whose buffer lies elsewhere, or has other sizes, makes it again. */
typedef struct {
  void *base; /* NULL: there is none yet */
  uint64_t sizes[TCC_TENSOR_MAP_RANK], strides[TCC_TENSOR_MAP_RANK];
  char made[TCC_TENSOR_MAP_BYTES];
} TccGpuTensorMap;
typedef struct {
  TccModel *model;
  uint64_t used; /* time of the last run, for LRU */
  int64_t *key;  /* input dims, concatenated */
  int64_t *symbols;
  int64_t *exprs; /* values; those of a later stage are set when it is entered */
  int64_t *sizes;
  int64_t *counts;           /* per stage: the count that it was planned for, -1 at first */
  int64_t *shapes;           /* of the outputs, TCC_PLAN_MAX_RANK each */
  size_t *bytes;             /* per node that is an input or a root of results */
  size_t *shifts;            /* per node: from the start of its root */
  void **pointers;           /* per node that is a root */
  void **arguments;          /* per slot */
  uint64_t frozen;           /* id of the set that pointers have; 0: none */
  TccCommand *commands;      /* per step */
  TccJump *jumps;            /* per step */
  TccBlock *arenas;          /* per stage; offset is the address */
  void **homes;              /* per direct output: its place in the arena, NULL if it is apart */
  TccBlock *copies, *staged; /* per output, input: memory for a copy; offset is the address. staged: where kernels run */
  TccBlock *packed;          /* per input: a dense copy on the host of one that goes to a device */
  size_t *peaks;             /* per stage: the most bytes that were alive in its arena */
  size_t scratch_bytes, total_bytes, block_bytes;
  void *block;
  /* on a device: a copy of `sizes`, of which words of faults are used; small tensors of sizes; room for what loops carry */
  void *gpu_faults, *gpu_sizes, *gpu_carried;
  size_t gpu_carried_bytes;
  int64_t *gpu_found;              /* what gpu_faults had, on the host */
  void *gpu_answer, *gpu_answered; /* what it will have had, where nobody waits: pinned memory, a mark; NULL: nobody asked yet */
  bool gpu_asked;                  /* that is on its way */
  TccBlock *gpu_copies;            /* per output: memory of the device for a copy */
  TccGpuTensorMap *gpu_maps;       /* per tensor map of a step */
  TccGpuGraphs *graphs;            /* per stage */
  const void **gpu_keys;           /* per stage, TCC_GPU_GRAPHS + 1 times addresses of all inputs and outputs: see gpu_graph.c */
  bool *copied;                    /* per input, then per output: on a device, copied to or from a place that stays */
  size_t copied_count, copied_bytes;
  bool captures;     /* runs are graphs */
  void **host_sizes; /* per node: small tensors of sizes on the host */
} TccInstance;
/* captures: see the field. */
TccStatus *tcc_instance_create(TccModel *model, const int64_t *key, bool captures, TccInstance **out) TCC_CHECKED;
void tcc_instance_destroy(TccInstance *instance);
/* Whether results of this root are in no arena: they are where an output goes, which has memory of its own if the caller gives none. A device's arena has
 * no room for what callers mostly give. */
static inline bool tcc_node_is_apart(const TccModel *model, const TccNode *root) {
  return root->over_input || (model->gpu && root->known);
}
/* Plans a stage >= 1 for the count that its symbol has got, 0 where it has none; keeps the plan if the count is the same as last time. */
TccStatus *tcc_instance_enter(TccInstance *instance, size_t stage, int64_t count) TCC_CHECKED;
void tcc_instance_point(TccInstance *instance, uint32_t root, void *data); /* sets a root's address everywhere */
int64_t tcc_instance_dim(const TccInstance *instance, const TccNode *node, uint32_t axis);
bool tcc_instance_reserve(TccInstance *instance, TccBlock *block, size_t bytes); /* grows block, of the host */
/* The same where kernels run. */
TccStatus *tcc_instance_reserve_device(TccInstance *instance, TccBlock *block, size_t bytes, const char *what) TCC_CHECKED;

/* ---- tensors of a run; see ports.c ---- */
TccStatus *tcc_instance_set_inputs(TccInstance *instance, const TccTensor *inputs) TCC_CHECKED;
/* Checks and addresses the outputs whose sizes are known since this stage. */
TccStatus *tcc_instance_set_outputs(TccInstance *instance, uint32_t stage, const TccTensor *inputs,
                                    const TccTensor *outputs) TCC_CHECKED;
/* What the kernels made to where the caller wants it; fills in the descriptors of outputs without memory. */
TccStatus *tcc_instance_deliver(TccInstance *instance, const TccTensor *inputs, TccTensor *outputs) TCC_CHECKED;

/* ---- sets of static inputs; see frozen.c ---- */
void tcc_frozen_lay_out(TccGraph *graph);
/* The set of these static inputs, whose addresses the instance has; *set is the context's last one, and becomes this one. key: room for
 * the graph's static inputs. versions: per input, or NULL. */
TccStatus *tcc_frozen_use(TccInstance *instance, TccTeam *team, const TccTensor *inputs, const uint64_t *versions, uint64_t *key,
                          TccFrozen **set) TCC_CHECKED;
void tcc_frozen_release(TccModel *model, TccFrozen *set); /* a context no longer uses it */
void tcc_frozen_destroy(TccModel *model);

/* ---- states; see states.c ---- */
typedef struct {
  TccTensor *inputs,
      *outputs;  /* of all ports: room for the caller's, and the states, which inputs have and outputs take the place of */
  size_t *bytes; /* of each state */
} TccStates;
TccStatus *tcc_states_create(TccModel *model, TccStates *out) TCC_CHECKED; /* as they are at first */
void tcc_states_destroy(TccModel *model, TccStates *states);               /* all zero: nothing */
/* The caller's tensors with the states behind them; what the caller gave itself where there are none. */
const TccTensor *tcc_states_inputs(const TccModel *model, TccStates *states, const TccTensor *inputs);
TccTensor *tcc_states_outputs(const TccModel *model, TccStates *states, const TccTensor *outputs);
TccStatus *tcc_states_find(const TccModel *model, const TccStates *states, const char *name, TccTensor *out) TCC_CHECKED;
TccStatus *tcc_states_copy(const TccModel *model, const TccStates *states, const char *name, const TccTensor *to) TCC_CHECKED;
TccStatus *tcc_states_set(const TccModel *model, TccStates *states, const char *name, const TccTensor *value) TCC_CHECKED;
TccStatus *tcc_states_reset(const TccModel *model, TccStates *states, const char *name) TCC_CHECKED;

/* ---- watched.c: runs in which somebody looks at each kernel ---- */
/* Runs commands [first, last) one at a time, with the callbacks that the options ask for. */
TccStatus *tcc_watched_run(TccInstance *instance, TccTeam *team, size_t first, size_t last,
                           const TccContextOptions *options) TCC_CHECKED;
/* Where the tensors of a step are. */
typedef struct {
  const TccModel *model;
  const TccStep *step;
  void *const *arguments;         /* per slot of the graph */
  const int64_t *exprs, *symbols; /* values; symbols NULL: none is known */
  bool initial;
} TccStepPlace;
/* Calls inspect for a step that is a kernel. */
TccStatus *tcc_inspect_step(const TccStepPlace *place, bool done, TccInspect *inspect, void *user) TCC_CHECKED;

/* ---- unusual.c: TCC_INVALID names the first input, or the kernel of a step, that has such a number in its floats ---- */
TccStatus *tcc_unusual_inputs(const TccInstance *instance, TccUnusual kind) TCC_CHECKED;
TccStatus *tcc_unusual_results(const TccInstance *instance, const TccStep *step, TccUnusual kind) TCC_CHECKED;

/* ---- tensors ---- */
/* Whether a tensor's place, type and rank are a port's: TCC_INVALID says which is not, of "input" number index. Sizes are not looked at. gpu: the
 * device on which it may lie as well as on the host, or NULL. */
TccStatus *tcc_port_check(const struct TccGpu *gpu, const TccTensor *tensor, const TccPortInfo *port, const char *what,
                          size_t index) TCC_CHECKED;
bool tcc_tensor_is_dense(const TccTensor *tensor);
/* Copies between a dense buffer and a tensor of any strides; elements of whole bytes, or both dense. bytes: of the buffer, as
 * tcc_elem_dense_bytes says of the tensor. */
void tcc_tensor_pack(const TccTensor *from, TccElem elem, size_t bytes, void *to);
void tcc_tensor_unpack(const void *from, TccElem elem, size_t bytes, const TccTensor *to);

/* ---- builtins: kernels in C; NULL if there is none of that name ---- */
TccKernelFunction *tcc_builtin_find(const char *name);
TccKernelFunction tcc_relayout, tcc_winograd_weights, tcc_non_max_suppression, tcc_concat, tcc_slice, tcc_image_size_kernel,
    tcc_decode_image_kernel, tcc_lu, tcc_pivots_to_permutation, tcc_cholesky, tcc_geqrf, tcc_householder_product, tcc_eigh, tcc_svd,
    tcc_fft;
int64_t tcc_count_nonzero(TccElem elem, const void *data, int64_t count);
#endif
