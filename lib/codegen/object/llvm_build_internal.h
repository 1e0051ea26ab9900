/* llvm_build_internal.h - the state of a build: types, values, blocks, callees. See llvm_build.h. */
#ifndef TCC_CODEGEN_LLVM_BUILD_INTERNAL_H
#define TCC_CODEGEN_LLVM_BUILD_INTERNAL_H
#include "lib/codegen/object/llvm_build.h"
#include "llvm-c/Core.h"

/* BUILD_ARGS: parameters of a kernel on a GPU, which have 4096 bytes; lanes of a vector are fewer. */
enum { BUILD_ARGS = 512, BUILD_STRUCT = 160, BUILD_TYPES = 64, BUILD_CALLEES = 32 };

typedef struct BuildEdge BuildEdge;
struct BuildEdge {
  BuildEdge *next;
  LLVMBasicBlockRef from;
  LLVMValueRef *values;
};
typedef struct {
  LLVMBasicBlockRef block;
  int nphis;
  LLVMValueRef *phi;
  BuildEdge *edges; /* into it, the last first */
} BuildBlock;

typedef struct {
  TccArena *arena;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  TccMap *symbols; /* of this list: name -> function or constant */
  LLVMValueRef function;
  LLVMValueRef *value; /* of the function, by number */
  BuildBlock *block;
  /* What was looked up last, by the address of its spelling: a type of a list stays where it is. */
  struct {
    const char *spelled;
    LLVMTypeRef type;
  } types[BUILD_TYPES];
  struct {
    const char *key;
    LLVMTypeRef overloads[2], type;
    LLVMValueRef callee;
  } callees[BUILD_CALLEES];
} Build;

/* Of a type as MLIR spells it. */
LLVMTypeRef llvm_build_type(Build *b, const char *spelled);
/* llvm_build_ops.c: an op; its value, or NULL. Labels and branches: llvm_build_flow below. */
LLVMValueRef llvm_build_op(Build *b, const TccLlvmInst *inst);
/* llvm_build.c: the block of a branch, which hands these values over. */
LLVMBasicBlockRef llvm_build_target(Build *b, int32_t block, int n, const int32_t *values);
#endif
