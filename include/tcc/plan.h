/* plan.h - the serialised plan: what the compiler writes and the run-time reads. No MLIR.
 *
 * A plan is one block of bytes: this header, then tables of the records below, then data. Every reference is an offset
 * from the start of the block or an index into a table, so that it is used where it is mapped. Records are little endian
 * with natural alignment. The run-time checks every offset and index once (tcc_plan_check); after that they are trusted.
 *
 * Functions: function 0 is main, the others are regions. A function's values are its arguments first, then the others in
 * order of definition. Sizes are expressions over symbols; a symbol is a dimension of an input or the count of a nonzero. What is
 * counted in the body of a loop is another size in each iteration, and nothing outside of the body has such a size.
 *
 * Any change of a record bumps TCC_ABI_VERSION. */
#ifndef TCC_PLAN_H
#define TCC_PLAN_H
#include "tcc/abi.h"
#include "tcc/base.h"
#include "tcc/digest.h"
#include "tcc/elem.h"
#include "tcc/file.h"

#define TCC_PLAN_MAGIC "TCCPLAN1"
#define TCC_PLAN_SYMBOL "tcc_plan" /* of the block in the artifact */
enum {
  TCC_PLAN_MAX_RANK = 16,
  TCC_TOPK_SCRATCH = 32 /* bytes per element of k that the builtin topk needs */,
  TCC_NON_MAX_SUPPRESSION_SCRATCH = 40 /* and non_max_suppression per box */
};

typedef struct {
  uint64_t offset;
  uint64_t count;
} TccPlanTable; /* offset in bytes, count in records */
typedef struct {
  uint32_t first, count;
} TccPlanRange;               /* records of another table */
typedef uint32_t TccPlanText; /* offset into texts; NUL-terminated; 0 is "" */

/* The tables of records, T(member, type of a record), in their order in the header. */
#define TCC_PLAN_TABLES(T)                                                                                                         \
  T(indices, uint32_t) /* lists that ranges point into */                                                                          \
  T(symbols, TccPlanSymbol)                                                                                                        \
  T(exprs, TccPlanExpr)                                                                                                            \
  T(sources, TccPlanSource)                                                                                                        \
  T(weights, TccPlanWeight)                                                                                                        \
  T(reads, TccPlanRead)                                                                                                            \
  T(constants, TccPlanConstant)                                                                                                    \
  T(kernels, TccPlanKernel)                                                                                                        \
  T(calls, TccPlanCall)                                                                                                            \
  T(work, TccPlanWork) /* one for each call */                                                                                     \
  T(launches, TccPlanLaunch)                                                                                                       \
  T(tensor_maps, TccPlanTensorMap)                                                                                                 \
  T(images, TccPlanImage)                                                                                                          \
  T(checks, TccPlanCheck)                                                                                                          \
  T(values, TccPlanValue)       /* function by function */                                                                         \
  T(commands, TccPlanCommand)   /* function by function */                                                                         \
  T(functions, TccPlanFunction) /* 0 is main */                                                                                    \
  T(inputs, TccPlanPort)        /* in the order of main's arguments */                                                             \
  T(outputs, TccPlanPort)                                                                                                          \
  T(constraints, TccPlanConstraint)                                                                                                \
  T(specialised, TccPlanSpecialised) /* inputs whose value was compiled in */

typedef struct {
  char magic[8];
  uint32_t abi_version, header_bytes;
  uint64_t bytes;              /* of the whole block */
  uint64_t isa;                /* TCC_ISA_* bits that the kernels need */
  TccPlanText target, machine; /* "x86"; the LLVM CPU name: for reports */
  TccPlanText options;         /* what it was compiled with, a line each: "numerics: fast" */
  TccPlanTable texts;          /* char */
  TccPlanTable code;           /* byte code of the expressions */
#define TCC_PLAN_MEMBER(name, type) TccPlanTable name;
  TCC_PLAN_TABLES(TCC_PLAN_MEMBER)
#undef TCC_PLAN_MEMBER
  TccPlanTable data; /* bytes of constants, 64-byte aligned */
} TccPlanHeader;

typedef struct {
  TccPlanText name;
  uint32_t
      stage; /* 0: from the inputs; else the stage that begins behind its COUNT. Stages begin behind each COUNT, and at the body and behind
                   * the end of each loop whose body, or what it calls, has one; they are numbered from 1 on in the order in which they stand. */
} TccPlanSymbol;

typedef struct {
  uint32_t code, length; /* bytes of `code` */
  int32_t symbol;        /* the expression is this symbol alone; else -1 */
  int32_t stage;         /* -1: constant; else the last stage of its symbols */
  int64_t constant;      /* the value if stage is -1 */
} TccPlanExpr;

typedef enum {
  TCC_SOURCE_FILE,     /* name: path relative to the model's directory */
  TCC_SOURCE_DATA,     /* offsets of its weights are into `data` of this block */
  TCC_SOURCE_ATTACHED, /* into the weights behind the artifacts of the file (TccWeightsRecord) */
} TccSourceKind;
typedef enum {
  TCC_IDENTITY_NONE,    /* it was not there to be looked at */
  TCC_IDENTITY_SAMPLES, /* bytes, model, and its weights' samples are those that it was compiled with */
  TCC_IDENTITY_FULL     /* and its weights' digests */
} TccIdentity;
typedef struct {
  TccPlanText name;
  uint32_t kind, identity;         /* TccSourceKind, TccIdentity */
  uint32_t is_model;               /* 1: `model` is set */
  uint64_t bytes;                  /* of the file, or of the weights behind the artifacts */
  uint8_t model[TCC_DIGEST_BYTES]; /* tcc_wire_digest */
} TccPlanSource;

typedef struct {
  TccPlanText name;
  uint32_t source;
  uint64_t offset, length;          /* bytes in the source */
  uint64_t sample;                  /* tcc_digest_sample */
  uint8_t digest[TCC_DIGEST_BYTES]; /* tcc_digest_pieces */
} TccPlanWeight;

/* Bytes of a source that are compiled in. */
typedef struct {
  TccPlanText name; /* of the tensor */
  uint32_t source;
  uint64_t offset, length;
  uint8_t digest[TCC_DIGEST_BYTES];
} TccPlanRead;

typedef struct {
  uint64_t offset, length;
} TccPlanConstant; /* bytes in `data`; the offset is a multiple of 64 */

/* A function of the artifact with the kernel ABI, or (builtin) one of the run-time of that name. */
typedef struct {
  TccPlanText symbol, emitter, schedule;
  uint32_t builtin;
} TccPlanKernel;

/* An index that a kernel reads from memory (TCC_FAULT_WORDS). */
typedef struct {
  TccPlanText where;    /* the node that asks for it */
  TccPlanText message;  /* what an error says in place of the index; "": nothing */
  uint32_t valid, axis; /* TCC_PLAN_INDEX_*; the axis of what is read or written */
  uint32_t size, count; /* exprs: of that axis; how many indices there are */
  uint32_t reads;       /* 1: each needs an element of the axis, so that an axis without any is a fault */
} TccPlanCheck;
enum { TCC_PLAN_INDEX_ANY, TCC_PLAN_INDEX_SIGNED /* [-size, size) */, TCC_PLAN_INDEX_UNSIGNED /* [0, size) */ };

/* How a kernel of a device is started: so many blocks of so many threads, in clusters of so many blocks. */
typedef struct {
  uint32_t grid[3], dynamic_shared; /* exprs: blocks; bytes of a block that are given at the launch */
  uint32_t block[3], cluster[3];    /* 1 at least */
  uint32_t static_shared;           /* bytes of a block that are the code's own */
  TccPlanRange maps;                /* tensor_maps: its parameters behind the addresses */
} TccPlanLaunch;

/* A tensor map that the run-time makes of a buffer's address. Axes come innermost first; stride[0] is not looked at. */
typedef struct {
  uint32_t value;                                                  /* of the command: operands, then results */
  uint32_t elem, rank;                                             /* TccElem; 1 to TCC_TENSOR_MAP_RANK */
  uint32_t swizzle;                                                /* bytes: 0, 32, 64 or 128 */
  uint32_t offset;                                                 /* expr: elements */
  uint32_t size[TCC_TENSOR_MAP_RANK], stride[TCC_TENSOR_MAP_RANK]; /* exprs: elements */
  uint32_t box[TCC_TENSOR_MAP_RANK];                               /* elements */
  /* im2col = 1: the axes between the first, channels, and the last, images, are those of pixels, which a box takes in order, box[1] of them, and of
   * each box[0] channels. Along such an axis pixels are `step` apart, from `lower` on, up to `upper` behind the last place (cuTensorMapEncodeIm2col). */
  uint32_t im2col;
  int32_t lower[TCC_TENSOR_MAP_RANK - 2], upper[TCC_TENSOR_MAP_RANK - 2];
  uint32_t step[TCC_TENSOR_MAP_RANK - 2]; /* 1 to TCC_IM2COL_STEP */
} TccPlanTensorMap;

/* Code for a device, which the artifact's object does not have: PTX that the driver compiles (the NUL behind its text is counted), or a
 * cubin. Each kernel with a launch is defined by the images of each chip and kind once, under its symbol. */
typedef enum { TCC_IMAGE_PTX, TCC_IMAGE_CUBIN } TccImageKind;
typedef struct {
  TccPlanText chip;        /* "sm_90a": that it was made for */
  uint32_t kind;           /* TccImageKind */
  uint64_t offset, length; /* bytes in `data` */
  TccPlanRange kernels;    /* indices -> kernels that it defines */
} TccPlanImage;

/* How a kernel is started: one per kernel function of the module. */
typedef struct {
  TccPlanText name; /* of the kernel function, for profiles */
  TccPlanText kind; /* tcc.kernel */
  uint32_t kernel;
  TccPlanRange sizes;      /* indices -> exprs */
  uint32_t tiles, scratch; /* exprs */
  uint32_t launch;         /* n: launches[n - 1]; 0: threads of the host call its tiles */
  uint32_t ops;            /* tcc ops in its body */
  TccPlanRange checks;     /* checks */
  TccPrefetch prefetch;
} TccPlanCall;

/* What a call does, for profiles: operations on single numbers of its ops, and bytes of its operands and results, of each that part which
 * may be read or written. Evaluated for nothing else; constants 0: not known. */
typedef struct {
  TccPlanExpr flops, bytes;
} TccPlanWork;

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
  uint8_t kind, elem, rank, space; /* space: TccSpace of its buffer */
  uint32_t index;
  TccPlanRange dims;  /* indices -> exprs */
  TccPlanRange sizes; /* indices -> exprs; TCC_PLAN_SIZES only */
} TccPlanValue;

typedef enum {
  TCC_PLAN_KERNEL, /* index: call */
  TCC_PLAN_REGION, /* index: function */
  TCC_PLAN_COUNT, /* index: symbol; counts the non-zero elements of its operand and binds the symbol: ends a stage. A function that has
                    * one, or calls one that does, is called in one place. */
  TCC_PLAN_LOOP,  /* index: function, run again and again; its first operands are what it carries: as many as it has results */
  TCC_PLAN_AGAIN, /* in no plan: what stands behind the body of a loop where the run-time has put it in line */
} TccPlanCommandKind;

typedef struct {
  uint32_t kind, index;
  TccPlanRange operands, results; /* indices -> values of the function, relative to its first */
  TccPlanRange inplace;           /* indices: operand, result, ...: positions that may share one buffer if the operand dies */
  uint32_t trips;                 /* LOOP: expr, the most iterations; less than one: none */
  uint32_t conditional;           /* LOOP: 1: before each iteration the first byte of what is carried first must not be 0 */
  TccPlanRange
      nodes; /* KERNEL: indices -> texts: the nodes of the model that it does, "/layer/MatMul (+3)", for each copy of a region */
  uint32_t copy; /* REGION: which of the region's it is */
} TccPlanCommand;

typedef struct {
  TccPlanText name;
  TccPlanRange values, commands;
  uint32_t arguments;   /* its first values */
  TccPlanRange results; /* indices -> values of the function */
  uint32_t ops;         /* tcc ops of all its kernels */
} TccPlanFunction;

typedef enum {
  TCC_PORT_PLAIN,
  TCC_PORT_STATIC, /* input: the same memory with the same contents in most runs; what depends on such alone is made once */
  TCC_PORT_STATE,  /* input: memory of the context, behind all others; output: what it holds behind the run */
  TCC_PORT_INITIAL, /* output: what the state holds at first; it depends on weights alone. Outputs are PLAIN, STATE, INITIAL, in the order of inputs */
} TccPlanPortKind;
typedef struct {
  TccPlanText name;
  uint32_t value; /* of main */
  int32_t tied;   /* output: the input it is written in place of, or -1; STATE, INITIAL: the input that is the state */
  uint32_t kind;  /* TccPlanPortKind */
} TccPlanPort;

/* What must hold of two sizes for the plan to be right (a table of 512 positions: seq is at most 512). */
typedef struct {
  uint32_t relation;    /* TccSizeRelation */
  uint32_t left, right; /* exprs */
  TccPlanText left_text, right_text;
  TccPlanText origin; /* "node 'y', Add" */
} TccPlanConstraint;

typedef struct {
  uint32_t input, constant;
} TccPlanSpecialised;

/* An artifact is a shared object followed by notes (text; "" in an artifact, an entry of the cache has its key there)
 * and by this record. A file holds one or several, for different machines, one behind the other. */
#define TCC_ARTIFACT_MAGIC "TCCARTF1"
typedef struct {
  uint64_t object_bytes, notes_bytes;
  uint64_t isa; /* TCC_ISA_* bits */
  uint32_t abi_version, record_bytes;
  uint8_t digest[TCC_DIGEST_BYTES]; /* BLAKE2b of all before this field, from the start of the object */
  char magic[8];
} TccArtifactRecord;

/* Behind all artifacts of a file, at a multiple of TCC_WEIGHTS_ALIGNMENT, may stand weights, and this record at its end. */
#define TCC_WEIGHTS_MAGIC "TCCWGHT1"
enum { TCC_WEIGHTS_ALIGNMENT = 4096 };
typedef struct {
  uint64_t artifact_bytes, offset, bytes; /* of the artifacts, from the file's start on; of the weights */
  uint8_t digest[TCC_DIGEST_BYTES];       /* of the fields before */
  char magic[8];
} TccWeightsRecord;
TCC_EXPORT TccWeightsRecord tcc_weights_record(uint64_t artifact_bytes, uint64_t weight_bytes);
/* Parts a file into its artifacts and the weights behind them, which may be none. */
TCC_EXPORT TccStatus *tcc_artifact_part_file(TccStr file, TccStr *out_artifacts, TccFileMap *out_weights) TCC_CHECKED;

/* The hash function of the System V ABI, figure 5-13: of the object's table of symbols. */
static inline uint32_t tcc_symbol_hash(const char *name) {
  uint32_t h = 0;
  for (; *name; name++) {
    h = (h << 4) + (unsigned char)*name;
    uint32_t high = h & 0xf0000000u;
    h = (h ^ high >> 24) & ~high;
  }
  return h;
}

/* Appends notes and the record to a linked object in *bytes, which may fail as a text does. */
TCC_EXPORT void tcc_artifact_seal(TccText *bytes, TccStr notes, uint64_t isa);
static inline size_t tcc_artifact_bytes(const TccArtifactRecord *r) {
  return (size_t)(r->object_bytes + r->notes_bytes) + sizeof *r;
}
/* Checks magic, digest and version (in this order; not the CPU) of the last artifact in bytes; it is the only one if
 * tcc_artifact_bytes is length, otherwise what is before it ends in another. out_notes may be NULL; borrowed from bytes. */
TCC_EXPORT TccStatus *tcc_artifact_check(const void *bytes, size_t length, TccArtifactRecord *out, TccStr *out_notes) TCC_CHECKED;
/* The plan of one artifact (checked, bytes aligned to 64), found without loading its code; borrowed from bytes. */
TCC_EXPORT TccStatus *tcc_artifact_plan(const void *bytes, size_t length, const TccPlanHeader **out) TCC_CHECKED;
/* TCC_ISA_* bits of this machine; the names of bits, "avx2 fma". */
TCC_EXPORT uint64_t tcc_cpu_isa(void);
enum { TCC_MOST_THREADS = 1024 };
/* The CPUs that this process may use: $TCC_THREADS, else by its affinity, and its control groups' quota rounded up. */
TCC_EXPORT unsigned tcc_cpu_count(void);
TCC_EXPORT void tcc_isa_text(uint64_t isa, TccText *out);

/* Checks that block (bytes long) is a plan of this ABI version whose offsets and indices are all in range. */
TCC_EXPORT TccStatus *tcc_plan_check(const void *block, size_t bytes) TCC_CHECKED;
/* How many states there are among ports. False: they do not stand as TccPlanPortKind says. */
TCC_EXPORT bool tcc_plan_states(const TccPlanPort *inputs, size_t ninputs, const TccPlanPort *outputs, size_t noutputs,
                                size_t *out_count);
/* Appends a readable form. block must have been checked. */
TCC_EXPORT void tcc_plan_print(const void *block, TccText *out);
/* Appends the type of a value: "f32[batch x 64]". */
TCC_EXPORT void tcc_plan_print_value_type(const TccPlanHeader *plan, const TccPlanValue *value, TccText *out);
/* Appends the type of an input or output; behind it that an input's value was compiled in. */
TCC_EXPORT void tcc_plan_print_type(const TccPlanHeader *plan, bool output, uint32_t index, TccText *out);
/* How often a run goes through each function, what calls it expanded, the body of a loop once: out[f] of function f. UINT32_MAX: so often
 * or more. */
TCC_EXPORT void tcc_plan_count_calls(const TccPlanHeader *plan, uint32_t *out);

static inline const void *tcc_plan_at(const TccPlanHeader *plan, TccPlanTable table) { return (const char *)plan + table.offset; }
static inline const char *tcc_plan_text(const TccPlanHeader *plan, TccPlanText text) {
  return (const char *)plan + plan->texts.offset + text;
}
#endif
