/* plan.h - the serialised plan: what the compiler writes and the run-time reads. No MLIR.
 *
 * A plan is one block of bytes: this header, then tables of the records below, then data. Every reference is an offset
 * from the start of the block or an index into a table, so that it is used where it is mapped. Records are little endian
 * with natural alignment. The run-time checks every offset and index once (tcc_plan_check); after that they are trusted.
 *
 * Functions: function 0 is main, the others are regions. A function's values are its arguments first, then the others in
 * order of definition. Sizes are expressions over symbols; a symbol is a dimension of an input or the count of a nonzero.
 *
 * Any change of a record bumps TCC_ABI_VERSION. */
#ifndef TCC_PLAN_H
#define TCC_PLAN_H
#include "tcc/abi.h"
#include "tcc/base.h"
#include "tcc/digest.h"
#include "tcc/elem.h"

#define TCC_PLAN_MAGIC "TCCPLAN1"
#define TCC_PLAN_SYMBOL "tcc_plan" /* of the block in the artifact */
enum {
  TCC_PLAN_MAX_RANK = 16,
  TCC_TOPK_SCRATCH = 24 /* bytes per element of k that the builtin topk needs */,
  TCC_SUPPRESS_SCRATCH = 16 /* and suppress per box */
};

typedef struct {
  uint64_t offset;
  uint64_t count;
} TccPlanTable; /* offset in bytes, count in records */
typedef struct {
  uint32_t first, count;
} TccPlanRange;               /* records of another table */
typedef uint32_t TccPlanText; /* offset into texts; NUL-terminated; 0 is "" */

typedef struct {
  char magic[8];
  uint32_t abi_version, header_bytes;
  uint64_t bytes;              /* of the whole block */
  uint64_t isa;                /* TCC_ISA_* bits that the kernels need */
  TccPlanText target, machine; /* "x86"; the LLVM CPU name: for reports */
  TccPlanTable texts;          /* char */
  TccPlanTable code;           /* byte code of the expressions */
  TccPlanTable indices;        /* uint32_t: lists that ranges point into */
  TccPlanTable symbols;        /* TccPlanSymbol */
  TccPlanTable exprs;          /* TccPlanExpr */
  TccPlanTable sources;        /* TccPlanSource */
  TccPlanTable weights;        /* TccPlanWeight */
  TccPlanTable constants;      /* TccPlanConstant */
  TccPlanTable kernels;        /* TccPlanKernel */
  TccPlanTable calls;          /* TccPlanCall */
  TccPlanTable values;         /* TccPlanValue, function by function */
  TccPlanTable commands;       /* TccPlanCommand, function by function */
  TccPlanTable functions;      /* TccPlanFunction; 0 is main */
  TccPlanTable inputs;         /* TccPlanPort, in the order of main's arguments */
  TccPlanTable outputs;        /* TccPlanPort */
  TccPlanTable constraints;    /* TccPlanConstraint */
  TccPlanTable pinned;         /* TccPlanPinned: inputs whose value was compiled in */
  TccPlanTable data;           /* bytes of constants, 64-byte aligned */
} TccPlanHeader;

typedef struct {
  TccPlanText name;
  uint32_t stage; /* 0: from the inputs; n: counted by the n-th data-dependent command of main */
} TccPlanSymbol;

typedef struct {
  uint32_t code, length; /* bytes of `code` */
  int32_t symbol;        /* the expression is this symbol alone; else -1 */
  int32_t stage;         /* -1: constant; else the last stage of its symbols */
  int64_t constant;      /* the value if stage is -1 */
} TccPlanExpr;

typedef struct {
  TccPlanText name;  /* path relative to the model's directory */
  uint32_t embedded; /* 1: offsets of its weights are into `data` of this block */
} TccPlanSource;

typedef struct {
  TccPlanText name;
  uint32_t source;
  uint64_t offset, length; /* bytes in the source */
} TccPlanWeight;

typedef struct {
  uint64_t offset, length;
} TccPlanConstant; /* bytes in `data`; the offset is a multiple of 64 */

/* A function of the artifact with the kernel ABI, or (builtin) one of the run-time of that name. */
typedef struct {
  TccPlanText symbol, emitter, schedule;
  uint32_t builtin;
} TccPlanKernel;

/* How a kernel is started: one per kernel function of the module. */
typedef struct {
  TccPlanText name; /* of the kernel function, for profiles */
  TccPlanText kind; /* tcc.kernel */
  uint32_t kernel;
  TccPlanRange sizes;      /* indices -> exprs */
  uint32_t tiles, scratch; /* exprs */
  uint32_t ops;            /* tcc ops in its body */
  TccFetch fetch;
} TccPlanCall;

typedef enum {
  TCC_PLAN_ARGUMENT, /* index: argument number of the function */
  TCC_PLAN_RESULT,   /* of a command */
  TCC_PLAN_ALIAS,    /* index: the value whose bytes it is (of the same function) */
  TCC_PLAN_WEIGHT,   /* index: weight */
  TCC_PLAN_CONSTANT, /* index: constant */
  TCC_PLAN_SIZES,    /* range `sizes`: i64 elements */
  TCC_PLAN_NONE,     /* absent operand: a null pointer */
} TccPlanValueKind;

typedef struct {
  uint8_t kind, elem, rank, unused;
  uint32_t index;
  TccPlanRange dims;  /* indices -> exprs */
  TccPlanRange sizes; /* indices -> exprs; TCC_PLAN_SIZES only */
} TccPlanValue;

typedef enum {
  TCC_PLAN_KERNEL, /* index: call */
  TCC_PLAN_REGION, /* index: function */
  TCC_PLAN_COUNT,  /* index: symbol; counts the non-zero elements of its operand and binds the symbol: ends a stage */
  TCC_PLAN_LOOP,   /* index: function, run again and again; its first operands are what it carries: as many as it has results */
  TCC_PLAN_AGAIN,  /* in no plan: what stands behind the body of a loop where the run-time has put it in line */
} TccPlanCommandKind;

typedef struct {
  uint32_t kind, index;
  TccPlanRange operands, results; /* indices -> values of the function, relative to its first */
  TccPlanRange inplace;           /* indices: operand, result, ...: positions that may share one buffer if the operand dies */
  uint32_t trips;                 /* LOOP: expr, the most iterations; less than one: none */
  uint32_t conditional;           /* LOOP: 1: before each iteration the first byte of what is carried first must not be 0 */
} TccPlanCommand;

typedef struct {
  TccPlanText name;
  TccPlanRange values, commands;
  uint32_t arguments;   /* its first values */
  TccPlanRange results; /* indices -> values of the function */
  uint32_t ops;         /* tcc ops of all its kernels */
} TccPlanFunction;

typedef struct {
  TccPlanText name;
  uint32_t value; /* of main */
  int32_t tied;   /* output: the input it is written in place of, or -1 */
} TccPlanPort;

/* A size that must not be negative for the plan to be right (a table of 512 positions: "512 - seq"). */
typedef struct {
  uint32_t expr;
  TccPlanText text;
} TccPlanConstraint;

typedef struct {
  uint32_t input, constant;
} TccPlanPinned;

/* An artifact is a shared object followed by notes (text, "" for what tcc-compile writes; the cache keeps its key there)
 * and by this record. A file holds one or several, for different machines, one behind the other. */
#define TCC_ARTIFACT_MAGIC "TCCARTF1"
typedef struct {
  uint64_t object_bytes, notes_bytes;
  uint64_t isa; /* TCC_ISA_* bits */
  uint32_t abi_version, record_bytes;
  uint8_t digest[TCC_DIGEST_BYTES]; /* BLAKE2b of all before this field, from the start of the object */
  char magic[8];
} TccArtifactRecord;

/* Appends notes and the record to a linked object in *bytes. */
TCC_EXPORT void tcc_artifact_seal(TccText *bytes, TccStr notes, uint64_t isa);
static inline size_t tcc_artifact_bytes(const TccArtifactRecord *r) {
  return (size_t)(r->object_bytes + r->notes_bytes) + sizeof *r;
}
/* Checks magic, digest and version (in this order; not the CPU) of the last artifact in bytes; it is the only one if
 * tcc_artifact_bytes is length, otherwise what is before it ends in another. out_notes may be NULL; borrowed from bytes. */
TCC_EXPORT TccStatus *tcc_artifact_check(const void *bytes, size_t length, TccArtifactRecord *out, TccStr *out_notes) TCC_CHECKED;
/* TCC_ISA_* bits of this machine; the names of bits, "avx2 fma". */
TCC_EXPORT uint64_t tcc_cpu_isa(void);
TCC_EXPORT unsigned tcc_cpu_count(void); /* that this process may use */
TCC_EXPORT void tcc_isa_text(uint64_t isa, TccText *out);

/* Checks that block (bytes long) is a plan of this ABI version whose offsets and indices are all in range. */
TCC_EXPORT TccStatus *tcc_plan_check(const void *block, size_t bytes) TCC_CHECKED;
/* Appends a readable form. block must have been checked. */
TCC_EXPORT void tcc_plan_print(const void *block, TccText *out);

static inline const void *tcc_plan_at(const TccPlanHeader *plan, TccPlanTable table) { return (const char *)plan + table.offset; }
static inline const char *tcc_plan_text(const TccPlanHeader *plan, TccPlanText text) {
  return (const char *)plan + plan->texts.offset + text;
}
#endif
