/* internal.h - what the files of the emulator share: decoded kernels, warps, blocks, shadows of memory. */
#ifndef EMU_INTERNAL_H
#define EMU_INTERNAL_H
#include "ptx.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LANES = 32,
  MAX_WARPS = 32,
  MAX_PIECES = 128 /* of a list */,
  MAX_OPERANDS = 168,
  MAX_BARRIERS = 16,
  MAX_CLUSTER = 16,
  MAX_MET = 32
};
#define FULL 0xffffffffu
#define EACH_LANE(l, mask) for (uint32_t rest_ = (mask), l; rest_ && (l = (uint32_t)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)

typedef enum {
  T_NONE,
  T_PRED,
  T_B8,
  T_U8,
  T_S8,
  T_B16,
  T_U16,
  T_S16,
  T_F16,
  T_BF16,
  T_B32,
  T_U32,
  T_S32,
  T_F32,
  T_F16X2,
  T_BF16X2,
  T_TF32,
  T_B64,
  T_U64,
  T_S64,
  T_F64,
  T_B128,
  T_E4M3X2,
  T_E5M2X2,
  T_E4M3,
  T_E5M2
} Type;
typedef enum { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_CLUSTER, SPACE_PARAM, SPACE_LOCAL, SPACE_CONST } Space;
static inline unsigned type_bytes(Type t) {
  return t >= T_B128 ? (t == T_B128 ? 16 : t >= T_E4M3 ? 1 : 2) : t >= T_B64 ? 8 : t >= T_B32 ? 4 : t >= T_B16 ? 2 : 1;
}

/* Generic addresses of what is no global memory: windows above all addresses of a process. */
#define SHARED_WINDOW (UINT64_C(1) << 56) /* + rank of the block in its cluster << 32 + offset */
#define PARAM_WINDOW (UINT64_C(1) << 57)
#define LOCAL_WINDOW (UINT64_C(1) << 58)

typedef struct Warp Warp;
typedef struct Block Block;
typedef struct Inst Inst;
/* What the interpreter does behind an instruction. */
typedef enum {
  NEXT,
  JUMP,
  RETURN,
  CONVERGE /* again, when the lanes that it names are here */,
  WAIT /* again, later */,
  FAILED
} Outcome;
typedef Outcome Exec(Warp *warp, const Inst *inst, uint32_t mask);

/* A register or a constant: 32 lanes. A predicate is one word, a bit a lane. */
typedef struct {
  const void *lanes; /* of a constant; NULL: a register */
  uint32_t offset;   /* of a register in its warp's file */
  uint8_t bytes;     /* of a lane as it is stored: 4, 8; 0: a predicate */
  bool negated, sink;
} Operand;

enum { ORDER_STRONG = 1, ORDER_ACQUIRE = 2, ORDER_RELEASE = 4 };
struct Inst {
  Exec *exec;
  const char *text; /* its line, up to the semicolon */
  int line;
  uint32_t guard; /* offset of a predicate; UINT32_MAX: none */
  bool unless, is_store, is_change /* an atomic */, ftz, sat, relu;
  uint8_t class, type, from, space, count /* of a vector */, compare, combine, atomic, mode;
  uint8_t order; /* of ORDER_X: a strong access at the scope of the device or wider */
  uint16_t ndst, nsrc;
  Operand dst[8], *src;
  int64_t immediate; /* offset of an address, or a number that the instruction has */
  int64_t extra[8];
  uint32_t target; /* of a branch */
  const char *label;
  const uint32_t *targets;
  uint32_t ntargets;
};

typedef struct {
  const char *name;
  uint32_t offset, bytes, align;
} Symbol; /* of shared memory, local memory, parameters */

enum { MAX_PARAMETERS = 1024 };

struct EmuKernel {
  const char *name;
  EmuModule *module;
  Inst *code;
  uint32_t count;
  uint32_t register_bytes, parameter_bytes, static_shared, local_bytes;
  uint32_t nparameters, parameter_offset[MAX_PARAMETERS], parameter_size[MAX_PARAMETERS];
  uint32_t max_threads, required[3];
  uint8_t shared_granule, global_granule; /* bytes: the smallest access */
  EmuCounters *counters;
};

/* ---- who did what when (race.c) ---- */
/* Actors of a block: its warps, then units that work beside them: copies of a warp (cp.async), bulk copies by the barrier that they
 * report to, bulk stores of a warp, warpgroups' products. */
enum {
  ACTOR_COPY = MAX_WARPS,
  ACTOR_BULK = 2 * MAX_WARPS,
  MAX_BULK = 64,
  ACTOR_STORE = ACTOR_BULK + MAX_BULK,
  ACTOR_PRODUCT = ACTOR_STORE + MAX_WARPS,
  ACTORS = ACTOR_PRODUCT + MAX_WARPS / 4
};
typedef struct {
  uint32_t at[ACTORS];
} Clock;
typedef struct {
  uint32_t epoch;
  uint16_t actor; /* + 1; 0: nobody */
  uint8_t lane;
  bool async; /* by the async proxy */
  int line;
} Access;
enum { READERS = 4 };
typedef struct {
  uint64_t stamp; /* launch and block of what follows */
  Access write, read[READERS];
  bool atomic /* the write */, barrier /* an mbarrier's words */;
} Shadow;

struct Warp {
  uint8_t *regs;
  Block *block;
  unsigned index, nsplits;
  struct {
    uint32_t pc, mask;
    uint8_t state; /* of Outcome: NEXT, CONVERGE, WAIT */
    uint32_t tried;
  } split[LANES];
  uint32_t alive, at; /* at: the split that runs */
  bool done;
  Clock clock, proxied;                              /* what happened before; what of it the async proxy sees */
  uint32_t copies, committed_copies[32], ncommitted; /* cp.async: epochs of its copies at each commit */
  uint32_t copies_seen; /* by all its lanes: those that were waited for before the warp was last synchronised */
  uint32_t stores, committed_stores[32], ncommitted_stores; /* bulk stores, in the same way */
  uint32_t cluster_phase;                                   /* of the cluster's barrier: which it arrived in, + 1 */
  uint8_t store_lane;                                       /* whose bulk stores these are */
  bool failed_once;                                         /* try_wait has failed without a reason since one has succeeded */
  bool fenced;                                              /* at the scope of the device, with these epochs: */
  uint32_t fenced_at[MAX_WARPS], nmet;
  struct Met {
    uint64_t address;
    uint8_t lane;
  } met[MAX_MET];            /* relaxed reads and atomics since the last fence: what it acquires */
  struct Products *products; /* wgmma: what is under way */
  uint8_t *local;
};

typedef struct {
  uint32_t arrived, expected, phase, waiting;
  bool any, last_any;          /* barrier.red.or: some thread's predicate so far, in the last phase */
  uint32_t mask_of[MAX_WARPS]; /* lanes that have arrived */
  Clock clock, proxied, last, last_proxied;
} Barrier;

struct Block {
  EmuDevice *device;
  const EmuLaunch *launch;
  struct Cluster *cluster;
  uint32_t id[3], number, rank;
  unsigned nwarps, threads;
  Warp *warps;
  uint8_t *shared;
  uint32_t shared_bytes;
  Shadow *shadow;
  Barrier barriers[MAX_BARRIERS];
  struct AsyncState *async; /* mbarriers and what is under way */
  struct Acquire *acquires; /* what it knows of other blocks (order.c) */
  size_t nacquires;
};

typedef struct Cluster {
  Block *blocks;
  unsigned count;
  Barrier barrier;
} Cluster;

typedef struct {
  char *base;
  size_t bytes;
  char *whole; /* with its guards */
  size_t whole_bytes;
  size_t first_region, regions;
  void *shadow; /* made when it is first touched (race.c) */
  size_t shadow_bytes;
  uint8_t granule;
} Allocation;
typedef struct {
  uint64_t base, bytes;
} Region;

struct EmuDevice {
  uint64_t seed, random;
  Allocation *allocations; /* by address */
  size_t count, room, total;
  Region *regions;
  size_t nregions;
  uint64_t launches;
  char *report;
  size_t report_length, report_room;
  unsigned findings;
  struct {
    const char *name;
    EmuCounters counters;
  } *kernels;
  size_t nkernels;
  EmuCounters *now;
  struct Order *order; /* of the launch that runs */
};

struct EmuModule {
  char *text; /* a copy that the parser cuts up */
  EmuKernel *kernels;
  size_t nkernels;
  unsigned chip;
  bool alone;
  struct ModuleData *globals; /* variables of the module */
  size_t nglobals;
  void **memory; /* all that goes with it */
  size_t nmemory;
};
typedef struct ModuleData {
  const char *name;
  uint8_t *data;
  size_t bytes;
  bool is_shared, is_extern;
  uint32_t align;
} ModuleData;

void *module_memory(EmuModule *module, size_t bytes); /* zeroed; ends the program where there is none */

/* ---- decoding ---- */
typedef struct {
  enum { OPERAND_REGISTER, OPERAND_NUMBER, OPERAND_ADDRESS, OPERAND_LIST, OPERAND_SYMBOL } kind;
  const char *name;
  uint64_t bits;
  char number; /* 'i', 'f', 'd' */
  int64_t offset;
  bool negated;
  const char *second; /* "%p|%q" */
  int first, count;   /* of a list, or an address's coordinates, in the statement's pieces */
} RawOperand;
typedef struct {
  const char *opcode, *part[24];
  int nparts, line;
  const char *guard, *text;
  bool unless;
  RawOperand operand[MAX_OPERANDS];
  int noperands; /* top level */
  int npieces;   /* all of them */
} Statement;
typedef struct Parser Parser_;
struct Parser;
/* Fills in inst; NULL, or what is wrong (static, or of the module). */
const char *decode(Parser_ *parser, const Statement *s, Inst *inst);
/* For decode: the register of that name; false: there is none. */
bool parser_register(Parser_ *parser, const char *name, Operand *out, Type *out_type);
/* An address that stands for the symbol: of shared or local memory, of a parameter, of a variable. */
bool parser_symbol(Parser_ *parser, const char *name, Space *out_space, uint64_t *out_address);
EmuModule *parser_module(Parser_ *parser);
EmuKernel *parser_kernel(Parser_ *parser);

/* ---- running ---- */
static inline const void *src_(const Warp *w, const Operand *o) {
  return o->lanes ? o->lanes : (const void *)(w->regs + o->offset);
}
#define SRC(i) src_(w, &inst->src[i])
#define DST(i) ((void *)(w->regs + inst->dst[i].offset))
static inline uint32_t lanes_of(const Warp *w, const Operand *o) {
  uint32_t p = *(const uint32_t *)src_(w, o);
  return o->negated ? ~p : p;
}
static inline uint64_t lane_bits(const Warp *w, const Operand *o, uint32_t lane) {
  if (o->bytes == 8) return ((const uint64_t *)src_(w, o))[lane];
  if (o->bytes == 0) return lanes_of(w, o) >> lane & 1;
  return ((const uint32_t *)src_(w, o))[lane];
}

static inline void set_lane(Warp *w, const Operand *o, uint32_t lane, uint64_t bits) {
  if (o->bytes == 8) ((uint64_t *)(w->regs + o->offset))[lane] = bits;
  else if (o->bytes == 4) ((uint32_t *)(w->regs + o->offset))[lane] = (uint32_t)bits;
  else {
    uint32_t *p = (uint32_t *)(w->regs + o->offset);
    *p = (*p & ~(1u << lane)) | (uint32_t)(bits & 1) << lane;
  }
}
uint64_t emu_random(EmuDevice *device);

/* Notes a finding of a lane: what, then kernel, block, thread and instruction. Returns FAILED. */
Outcome fail(const Warp *w, const Inst *inst, uint32_t lane, const char *what, ...) __attribute__((format(printf, 4, 5)));
void note(EmuDevice *device, const char *text, ...) __attribute__((format(printf, 2, 3)));

/* ---- memory ---- */
enum { READ, WRITE, ATOMIC, REWRITE /* of what is there already */ };
/* The bytes at an address of lane, checked; NULL: a finding. */
uint8_t *memory_at(Warp *w, const Inst *inst, uint32_t lane, Space space, uint64_t address, unsigned bytes, int how);
void count_access(Warp *w, const Inst *inst, Space space, const uint64_t *address, uint32_t mask, unsigned bytes);
const Allocation *find_allocation(const EmuDevice *device, uint64_t address);
/* The block in whose shared memory an address of the window lies, and where. */
Block *shared_block(Warp *w, Space space, uint64_t address, uint32_t *out_offset);
/* Whether another block of the cluster is still there: of one that has ended shared memory is gone. False: a finding. */
bool is_there(Warp *w, const Inst *inst, uint32_t lane, const Block *other);

/* ---- races ---- */
/* By the warp itself (actor w->index), or by a unit that it has set to work, at that unit's epoch. */
void race_shared(Warp *w, const Inst *inst, uint32_t lane, Block *owner, uint32_t offset, unsigned bytes, int how, unsigned actor,
                 uint32_t epoch);
void race_global(Warp *w, const Inst *inst, uint32_t lane, const Allocation *allocation, uint64_t address, unsigned bytes, int how);
void race_forget(Allocation *a);
/* ---- order of blocks ---- */
void order_open(EmuDevice *device, size_t blocks);
void order_close(EmuDevice *device);
void order_forget(Block *b);
/* A strong access of global memory; a fence at the scope of the device. */
void order_access(Warp *w, const Inst *inst, uint32_t lane, uint64_t address);
void order_fence(Warp *w);
/* Whether what that warp's other lane of another block did until the epoch comes before what the lane does now; what all others did. */
bool order_knows(const Warp *w, uint32_t lane, uint32_t block, unsigned warp, unsigned other, uint32_t epoch);
bool order_knows_all(const Warp *w, uint32_t lane);
void clock_join(Clock *into, const Clock *from);
void clock_release(Warp *w); /* what it does from now on is later */
/* Whether a generic access of this lane comes behind that one. */
bool race_ordered(const Warp *w, uint32_t lane, const Access *before);

Exec exec_ld, exec_st, exec_bar, exec_bra, exec_ret, exec_trap, exec_shfl, exec_atom, exec_ld_param;
#endif
