/* llvm_list.h - a module of the LLVM dialect in memory: what emitters append to (emit.h), and what its two sinks read.
 *
 * A module is a list of items: functions, constant bytes, machine code, shared memory. A function is a list of instructions, one an op
 * (llvm_ops.def), whose values and blocks are numbers. One sink prints the dialect's text, for people, tests and digests
 * (llvm_text.c); the other builds LLVM IR (../object/llvm_build.c). mlir-translate makes of the text what the builder makes
 * of the list: test/targets holds that. An item does not change once its emitter is done with the module: any thread may read it.
 * All is in the arena of the emitter. */
#ifndef TCC_CODEGEN_LLVM_LIST_H
#define TCC_CODEGEN_LLVM_LIST_H
#include "tcc/codegen.h"

typedef enum {
#define TCC_LLVM_OP(name, word, form, number) TCC_LLVM_##name,
#include "lib/codegen/emit/llvm_ops.def"
#undef TCC_LLVM_OP
  TCC_LLVM_OPS
} TccLlvmOp;

/* What an op looks like: the text and the fields that it has (llvm_ops.def). */
typedef enum {
  TCC_FORM_INT,
  TCC_FORM_FLOAT,
  TCC_FORM_IOTA,
  TCC_FORM_PLAIN,
  TCC_FORM_ADDRESS,
  TCC_FORM_BINARY,
  TCC_FORM_FLOAT_BINARY,
  TCC_FORM_CAST,
  TCC_FORM_ICMP,
  TCC_FORM_FCMP,
  TCC_FORM_SELECT,
  TCC_FORM_INTRINSIC,
  TCC_FORM_CALL_INTRINSIC,
  TCC_FORM_INLINE_ASM,
  TCC_FORM_CALL,
  TCC_FORM_CALL_POINTER,
  TCC_FORM_INSERT,
  TCC_FORM_EXTRACT,
  TCC_FORM_EXTRACT_VALUE,
  TCC_FORM_SHUFFLE,
  TCC_FORM_INSERT_VECTOR,
  TCC_FORM_GEP,
  TCC_FORM_GEP_AT,
  TCC_FORM_LOAD,
  TCC_FORM_STORE,
  TCC_FORM_MASKED_LOAD,
  TCC_FORM_MASKED_STORE,
  TCC_FORM_PREFETCH,
  TCC_FORM_ALLOCA,
  TCC_FORM_STORE_RELAXED,
  TCC_FORM_ATOMIC_ADD,
  TCC_FORM_LABEL,
  TCC_FORM_BR,
  TCC_FORM_COND_BR,
  TCC_FORM_RETURN,
} TccLlvmForm;
extern const struct TccLlvmRow {
  const char *word;
  TccLlvmForm form;
} tcc_llvm_rows[TCC_LLVM_OPS]; /* by TccLlvmOp */

typedef struct {
  uint8_t op;       /* TccLlvmOp; what its form reads of the following, see llvm_ops.def */
  bool flag;        /* COND_BR: rare; PREFETCH: write; not in the text: FLOAT: the model's own; UDIV, UREM: of what is below 2^63 */
  uint8_t space;    /* address space of the pointer: 0, or 3 (shared memory) */
  uint16_t n;       /* of list */
  int32_t result;   /* number of the value; 0: none */
  int32_t v[3];     /* operands */
  const char *type; /* spelled as in MLIR */
  const char *other; /* a second type; INLINE_ASM: constraints */
  union {
    int64_t number;
    const char *symbol;
  };
  const int32_t *list; /* operands or, of SHUFFLE, lanes */
  const char *const *types;
} TccLlvmInst;

typedef enum { TCC_LLVM_FUNCTION, TCC_LLVM_DATA, TCC_LLVM_CODE, TCC_LLVM_SHARED } TccLlvmKind;
typedef enum { TCC_LLVM_EXTERNAL, TCC_LLVM_INTERNAL, TCC_LLVM_HIDDEN } TccLlvmLinkage;
/* How a function is compiled: as an entry; as a loop nest of its own; without any optimisation; as a kernel of a GPU. */
typedef enum { TCC_LLVM_ENTRY, TCC_LLVM_NEST, TCC_LLVM_OPTNONE, TCC_LLVM_GPU_KERNEL } TccLlvmRole;

typedef struct {
  TccLlvmKind kind;
  TccLlvmLinkage linkage;
  const char *symbol;
  TccStr text; /* as tcc_llvm_set_text makes it; of machine code none: its symbol says what it is, and nobody but people reads it */
  /* functions */
  TccLlvmRole role;
  bool near;         /* OPTNONE: in an object with functions that are optimised, where it has better registers (tcc_llvm_part) */
  uint32_t block[3]; /* GPU_KERNEL: threads of a block, as many as it is started with */
  int nparams;
  const char *const *params; /* types; attributes stand behind a pointer (emit.h) */
  const char *result;        /* NULL: none */
  TccLlvmInst *insts;
  size_t ninsts;
  int32_t numbers; /* all values and blocks are below */
  /* constants and code: what they are; shared memory: its size (0: the launch's), element and alignment */
  TccStr bytes;
  size_t count;
  const char *elem;
  uint32_t alignment;
} TccLlvmItem;

typedef struct {
  TccLlvmItem *item;
  bool declared; /* another module defines it */
} TccLlvmEntry;
struct TccLlvmModule {
  TCC_VEC(TccLlvmEntry) items;
  bool gpu; /* kernels of a GPU: inside a gpu.module */
};

#define TCC_CODE_SECTION ".text.code" /* of machine code, until object.c makes it executable */
enum {
  TCC_LLVM_GLOBAL_SPACE = 1,
  TCC_LLVM_SHARED_SPACE = 3,
  TCC_LLVM_ALIGNMENT = 64 /* of constants */
};

/* Lanes of a vector type; 1 for all others. */
int tcc_llvm_lanes(const char *type);
/* Whether inst->symbol is the name of an item. */
bool tcc_llvm_names_item(const TccLlvmInst *inst);

/* Prints an item into its `text`, by way of scratch. */
void tcc_llvm_set_text(TccArena *arena, TccLlvmItem *item, TccText *scratch);
/* An item gets another symbol. Before any other thread reads the module. */
void tcc_llvm_rename(TccArena *arena, TccLlvmModule *module, const char *symbol, const char *to, TccText *scratch);
/* A function behind its name: the text that makes a shared routine (emit.h) of its content. */
void tcc_llvm_print_content(const TccLlvmItem *function, TccText *out);
#endif
