/* emit.h - writes functions of the LLVM dialect into a list (llvm_list.h), loops rotated by construction.
 *
 * No LLVM IR pass runs on what is written, so the emitter says what it means: a loop is guard, body with block arguments, exit;
 * pointers that move are loop-carried; integer arithmetic on known constants is folded while it is written; constants are
 * written once at the head of their function. A value is its SSA number (0: none); types are MLIR spellings, borrowed for
 * as long as the arena lives. Vectors of one lane are scalars: tcc_emit_vector(e, "f32", 1) is "f32", so one emitter body
 * serves both. One emitter makes one module; not thread-safe. */
#ifndef TCC_CODEGEN_EMIT_H
#define TCC_CODEGEN_EMIT_H
#include "lib/codegen/emit/llvm_list.h"

typedef int TccVal;

/* Words of a table, of 64 bits each, from `first` on: a number, or what is in the table at `of`, before them (-1: it is a number). */
typedef struct {
  int64_t number, of;
} TccWord;
typedef struct {
  int64_t first;
  TccWord *data;
  size_t count, capacity;
} TccWords;

typedef struct {
  TccArena *arena;
  TccLlvmModule *module;           /* what is finished: constants and functions */
  TCC_VEC(TccLlvmInst) head, body; /* of the function being written: constants; the rest */
  TCC_VEC(TccLlvmItem *) waiting;  /* constant bytes that it uses */
  TccLlvmItem *function;           /* itself; NULL: none is open */
  const char *name;                /* its name */
  TccText text;                    /* scratch */
  TccMap *symbols;                 /* name of a function -> symbol of the routine that it became, NULL if it is none */
  TccMap *routines;                /* symbols of shared routines */
  TccMap *constants;               /* of the function: what is in its head -> value */
  TccMap *words;                   /* interned types and names */
  TccMap *declared;                /* names of helper functions that exist */
  TccMap *data;                    /* constant bytes -> symbol of their global */
  TccMap *tables;                  /* name of a function that is told its numbers -> symbol of the table of them */
  TccVal table;                    /* of the function being written, if it is told: the parameter; else 0 */
  struct {
    int64_t value;
    bool known;
    TccVal count;
  } *integer; /* per value: its i64 constant, if it is one; of a mask (tcc_emit_mask), how many lanes are on from the first: `count`, i64, and if it is known */
  size_t ninteger;
  const struct TccScalarFunctions *functions; /* what the machine does better (scalar.h), or NULL */
  bool eager;  /* what rounds stays apart: no contraction, functions of f32 in f64 (docs/numerics.md) */
  bool narrow; /* what floats come of is rounded to 16 bits (TccScalarFunctions.near_exp) */
  int next;    /* next SSA number */
  bool
      optnone; /* functions opened from now on call others or run rarely: they are compiled without optimisation, which is quicker */
  bool tells;  /* the next function is told its numbers (tcc_emit_tell), */
  unsigned told; /* and this of others; also of the one that is being written */
  bool near; /* of these: beside those with optimisation, whose registers are allocated with more care, in four times the time */
} TccEmit;

void tcc_emit_init(TccEmit *e, TccArena *arena);
void tcc_emit_destroy(TccEmit *e); /* what was written stays in the arena */

/* ---- types ---- */
const char *tcc_emit_vector(TccEmit *e, const char *elem, int lanes); /* "vector<16xf32>"; the element itself for 1 lane */
const char *tcc_emit_elem(TccEmit *e, const char *type);              /* "f32" of "vector<16xf32>" and of "f32" */
int tcc_emit_lanes(const char *type);
#define TCC_PTR "!llvm.ptr"

/* ---- functions ---- */
/* Opens a function. params[i] are types; args[i] receives the argument values. Internal functions are noinline, so that
 * register allocation sees one loop nest at a time, and realign their stack: a spilled vector in a slot across a page makes
 * a loop three times slower. One that uses nothing but other such functions becomes a shared routine: its symbol is NAME_DIGEST by its
 * content, hidden, so that the kernels of a model that have the same one share it (lib/compile/kernels.c). What a name has behind a dot tells functions
 * of a module apart and is no part of NAME: those of equal content become one. A pointer parameter may carry
 * attributes in its type text: "!llvm.ptr {llvm.noalias}" or "!llvm.ptr {llvm.noalias, llvm.readonly}", "llvm.align = 16 : i64"; of a
 * GPU's kernel also "llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant", which makes it bytes among the parameters.
 * result NULL: none. Functions do not nest. */
void tcc_emit_function(TccEmit *e, const char *name, bool internal, int nparams, const char *const *params, const char *result,
                       TccVal *args);
void tcc_emit_return(TccEmit *e, TccVal value, const char *type); /* value 0: none; closes the function */
/* What a function may be told beside the numbers that it multiplies by, compares with, divides by and passes on. */
enum {
  TCC_TELL_FLOATS = 1, /* floats of the model among its constants (tcc_emit_note_number) */
  TCC_TELL_PLACES = 2  /* which of a kernel's arguments it reads, and where views in them begin */
};
/* The next function that is opened, an internal one that nothing has called yet, is told its numbers: it gets them by a table, which tcc_emit_call
 * passes to it. So one that differs from another in these alone is that routine. For what runs so long between its head and its end that some loads are nothing, and
 * is mostly there in many sizes: alone it is longer by these loads. */
void tcc_emit_tell(TccEmit *e, unsigned what);
/* A float constant is the model's own, which others of the same structure may have another of. */
void tcc_emit_note_number(TccEmit *e, TccVal constant);
/* A shared routine that depends on nothing but `key` is written once: `again` appends what `keep` has put into `known` before, right
 * after the function was closed; false if there is none yet. */
bool tcc_emit_routine_again(TccEmit *e, const TccMap *known, TccStr key, const char *name);
void tcc_emit_routine_keep(TccEmit *e, TccMap *known, TccStr key, const char *name);
/* Machine code as a shared routine: `name` is then a function that gives nothing, called as others are. LLVM sees constant bytes in a section
 * of their own, which object.c makes executable. Position-independent, without symbols; the C calling convention. */
void tcc_emit_code(TccEmit *e, const char *name, TccStr bytes);
/* Memory that the threads of a block share: `count` elements, internal to the module, at an address of TCC_LLVM_SHARED_SPACE that is a
 * multiple of `alignment` bytes. count 0: as much as the launch gives (dynamic shared memory). */
void tcc_emit_shared(TccEmit *e, const char *name, size_t count, const char *elem, uint32_t alignment);
/* Calls a function of this module. Parameter types without their attributes. */
TccVal tcc_emit_call(TccEmit *e, const char *name, int n, const TccVal *args, const char *const *types, const char *result);
/* The address of a function of this module, which is written already. */
TccVal tcc_emit_function_address(TccEmit *e, const char *name);

/* ---- constants ---- */
/* Address of constant bytes, 64-byte aligned; equal bytes share one global. */
TccVal tcc_emit_data(TccEmit *e, const void *bytes, size_t length);
TccVal tcc_emit_i64(TccEmit *e, int64_t value);
TccVal tcc_emit_int(TccEmit *e, const char *type, int64_t value);  /* scalar or splat; bool as i1 0/1 */
TccVal tcc_emit_float(TccEmit *e, const char *type, double value); /* exact bits in the element type, NaN and inf included */
TccVal tcc_emit_zero(TccEmit *e, const char *type);                /* of any type; ptr: null */
TccVal tcc_emit_poison(TccEmit *e, const char *type);
TccVal tcc_emit_iota(TccEmit *e, const char *elem, int lanes); /* 0, 1, 2, ... */
bool tcc_emit_known(const TccEmit *e, TccVal v, int64_t *out); /* v is an i64 constant */

/* ---- i64 arithmetic, folded ---- */
TccVal tcc_emit_add(TccEmit *e, TccVal a, TccVal b);
TccVal tcc_emit_sub(TccEmit *e, TccVal a, TccVal b);
TccVal tcc_emit_mul(TccEmit *e, TccVal a, TccVal b);
TccVal tcc_emit_div(TccEmit *e, TccVal a, TccVal b); /* unsigned; for sizes and indices */
TccVal tcc_emit_rem(TccEmit *e, TccVal a, TccVal b);
TccVal tcc_emit_min(TccEmit *e, TccVal a, TccVal b); /* signed */
TccVal tcc_emit_max(TccEmit *e, TccVal a, TccVal b);
TccVal tcc_emit_ceil_div(TccEmit *e, TccVal a, int64_t b);
TccVal tcc_emit_round_up(TccEmit *e, TccVal a, int64_t b);

/* ---- scalar or vector ops: `type` is the operands' type ---- */
TccVal tcc_emit_bin(TccEmit *e, const char *op, const char *type, TccVal a, TccVal b); /* "fadd", "mul", "and", "lshr", ... */
TccVal tcc_emit_fma(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal c);       /* a * b + c */
TccVal tcc_emit_icmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b);
TccVal tcc_emit_fcmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b);
TccVal tcc_emit_select(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b);  /* lanes of condition: of type */
TccVal tcc_emit_select1(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b); /* condition is one i1 */
/* i1: the condition holds in some lane. */
TccVal tcc_emit_any_lane(TccEmit *e, int lanes, TccVal condition);
TccVal tcc_emit_cast(TccEmit *e, const char *op, const char *from, const char *to, TccVal v); /* "sext", "fpext", "bitcast" ... */
TccVal tcc_emit_intrinsic(TccEmit *e, const char *name, const char *type, int n,
                          const TccVal *args); /* all of one type: "sqrt", "fabs" -> llvm.intr.<name> */
/* A machine's own, "llvm.x86.avx2.pmadd.wd"; result NULL: none. */
TccVal tcc_emit_call_intrinsic(TccEmit *e, const char *name, const char *result, int n, const TccVal *args,
                               const char *const *types);
/* Assembler text of one line without quotes; `$0` and so on are results, then operands, as `constraints` say them in LLVM's spelling. It has
 * effects of its own: it stays where it is. result: a scalar or a struct; NULL: none. */
TccVal tcc_emit_inline_asm(TccEmit *e, const char *text, const char *constraints, const char *result, int n, const TccVal *args,
                           const char *const *types);
/* Value `index` of a struct, "!llvm.struct<(i32, i32)>", that an intrinsic or assembler text gave; type: that value's. */
TccVal tcc_emit_extract_value(TccEmit *e, const char *struct_type, TccVal v, int index, const char *type);
TccVal tcc_emit_splat(TccEmit *e, const char *type, TccVal scalar); /* type: the vector type; scalar itself for one lane */
/* Transposes the square of lanes x lanes elements at `square` (lanes: a power of two), using as much room behind it;
 * returns where the result lies: at `square` or behind it. */
TccVal tcc_emit_transpose(TccEmit *e, const char *type, TccVal square);
/* Where the rows of a square come from, and where those of its transpose go, one at a time: an index of 0 to lanes - 1, in no order. */
typedef struct {
  TccVal (*load)(void *user, TccVal row);
  void (*store)(void *user, TccVal row, TccVal value);
  void *user;
} TccTurnedRows;
/* The same without a copy into the square and one out of it. */
void tcc_emit_transpose_rows(TccEmit *e, const char *type, TccVal square, const TccTurnedRows *ends);
TccVal tcc_emit_shuffle(TccEmit *e, const char *type, TccVal a, TccVal b,
                        const int *index); /* lane i: element index[i] of a, b side by side */
TccVal tcc_emit_insert(TccEmit *e, const char *type, TccVal scalar, TccVal v, int lane); /* v, but for that lane */
/* `lanes` elements of a vector from `first` on, more than one. */
TccVal tcc_emit_slice(TccEmit *e, const char *type, TccVal v, int first, int lanes);
/* The vector `whole` with `part` from lane `at` on. */
TccVal tcc_emit_insert_vector(TccEmit *e, const char *part_type, TccVal part, const char *type, TccVal whole, int at);
TccVal tcc_emit_even(TccEmit *e, const char *type, TccVal a, TccVal b); /* elements 0, 2, ... of a, then of b */
TccVal tcc_emit_extract(TccEmit *e, const char *type, TccVal v, int lane);

/* ---- memory ---- */
TccVal tcc_emit_gep(TccEmit *e, const char *elem, TccVal p, TccVal index); /* p + index elements; p for index 0 */
TccVal tcc_emit_at(TccEmit *e, const char *elem, TccVal p, int64_t index);
TccVal tcc_emit_load(TccEmit *e, const char *type, TccVal p); /* element-aligned */
/* Where p is a multiple of so many bytes; 0: of those of an element. */
TccVal tcc_emit_aligned_load(TccEmit *e, const char *type, TccVal p, int64_t alignment);
/* p[index], read once at the head of the open function; p is one of its arguments and nothing writes there. */
TccVal tcc_emit_load_once(TccEmit *e, const char *type, TccVal p, int64_t index);
void tcc_emit_store(TccEmit *e, const char *type, TccVal v, TccVal p);
void tcc_emit_aligned_store(TccEmit *e, const char *type, TccVal v, TccVal p, int64_t alignment);
/* mask 0: all lanes. Lanes that are off read as zero and write nothing. One lane: the mask must be 0. */
TccVal tcc_emit_masked_load(TccEmit *e, const char *type, TccVal p, TccVal mask);
void tcc_emit_masked_store(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal mask);
TccVal tcc_emit_gather(TccEmit *e, const char *type, TccVal p, const char *index_type, TccVal index, TccVal mask);
/* Elements p[0], p[step], p[2 step], ... (step: i64), of which a mask of the first lanes may have some off. */
TccVal tcc_emit_load_steps(TccEmit *e, const char *type, TccVal p, TccVal step, TccVal mask);
void tcc_emit_store_steps(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal step, TccVal mask);
void tcc_emit_scatter(TccEmit *e, const char *type, TccVal v, TccVal p, const char *index_type, TccVal index, TccVal mask);
TccVal tcc_emit_mask(TccEmit *e, TccVal count, int lanes); /* lane i is on where i < count (i64, any sign) */
/* On the stack of the open function, until it returns; aligned as a vector. */
TccVal tcc_emit_alloca(TccEmit *e, const char *elem, TccVal count);
/* Of an aligned i64, where other threads may write the same place (C11: memory_order_relaxed). */
void tcc_emit_relaxed_store(TccEmit *e, TccVal v, TccVal p);
TccVal tcc_emit_atomic_add(TccEmit *e, const char *type, TccVal p, TccVal v); /* what was there before */
/* Shared memory: the address of tcc_emit_shared's, of an element of it; elements at their own alignment. */
TccVal tcc_emit_shared_address(TccEmit *e, const char *name);
TccVal tcc_emit_shared_gep(TccEmit *e, const char *elem, TccVal p, TccVal index);
TccVal tcc_emit_shared_load(TccEmit *e, const char *type, TccVal p);
void tcc_emit_shared_store(TccEmit *e, const char *type, TccVal v, TccVal p);
void tcc_emit_prefetch(TccEmit *e, TccVal p, bool write, int locality /* 0..3 */);

/* ---- control flow ---- */
enum { TCC_LOOP_MAX = 160, TCC_IF_MAX = 40 };
typedef struct {
  TccVal iv;                                  /* i64 */
  TccVal in[TCC_LOOP_MAX], out[TCC_LOOP_MAX]; /* carried values inside the body, and after the loop */
  const char *type[TCC_LOOP_MAX];
  int n, body, exit;
  TccVal upper, step;
} TccLoop;
/* for (iv = lower; iv < upper; iv += step), carrying n values. Close with tcc_emit_end_for(next values). */
void tcc_emit_for(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, int64_t step, int n, const TccVal *init,
                  const char *const *types);
/* The same with a step that is a value; the body may put another value into loop->step. */
void tcc_emit_for_by(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, TccVal step, int n, const TccVal *init,
                     const char *const *types);
void tcc_emit_end_for(TccEmit *e, TccLoop *loop, const TccVal *next);

typedef struct {
  int then, otherwise, end, n;
  const char *type[TCC_IF_MAX];
  TccVal out[TCC_IF_MAX];
  bool has_else;
} TccIf;
/* if (condition) ... [else ...], giving n values: yield them at else and at end. With n > 0 the else part is needed. */
void tcc_emit_if(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types);
/* The same where the condition hardly ever holds: what else there is goes on in line. */
void tcc_emit_if_rare(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types);
void tcc_emit_else(TccEmit *e, TccIf *i, const TccVal *yield);
void tcc_emit_end_if(TccEmit *e, TccIf *i, const TccVal *yield);
#endif
