/* upstream.c - by the MLIR that this library is linked with; see upstream.h. A thread keeps its contexts: to make one takes
 * longer than a kernel's passes. */
#include "lib/upstream/upstream.h"
#include "mlir-c/Dialect/GPU.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Dialect/NVVM.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include <pthread.h>

static void append(MlirStringRef piece, void *text) { tcc_text_put(text, piece.data, piece.length); }

/* ---- contexts: a thread has one for its passes, with all dialects, and one for its translations ---- */
typedef struct {
  pthread_once_t once;
  pthread_key_t key;
} Kept;
static Kept passes = {.once = PTHREAD_ONCE_INIT}, translations = {.once = PTHREAD_ONCE_INIT};
static void destroy_context(void *context) { mlirContextDestroy((MlirContext){context}); }
static void make_passes(void) {
  mlirRegisterAllPasses();
  pthread_key_create(&passes.key, destroy_context);
}
static void make_translations(void) { pthread_key_create(&translations.key, destroy_context); }

static MlirContext passes_context(void) {
  pthread_once(&passes.once, make_passes);
  MlirContext context = {pthread_getspecific(passes.key)};
  if (!mlirContextIsNull(context)) return context;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextEnableMultithreading(context, false);
  pthread_setspecific(passes.key, context.ptr);
  return context;
}

/* With the LLVM dialect and what makes LLVM IR of it. */
static MlirContext translating_context(void) {
  pthread_once(&translations.once, make_translations);
  MlirContext context = {pthread_getspecific(translations.key)};
  if (!mlirContextIsNull(context)) return context;
  context = mlirContextCreateWithThreading(false);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__llvm__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__gpu__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__nvvm__(), context);
  mlirRegisterAllLLVMTranslations(context);
  pthread_setspecific(translations.key, context.ptr);
  return context;
}

/* ---- what they do ---- */
static TccStatus *run(MlirContext context, MlirModule module, const char *pipeline, TccText *out) {
  TccStatus *status = NULL;
  TccText errors = {0};
  MlirPassManager manager = mlirPassManagerCreate(context);
  if (mlirModuleIsNull(module)) {
    status = TCC_ERROR(TCC_INTERNAL, "the text does not parse");
  } else if (mlirLogicalResultIsFailure(mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                                                              mlirStringRefCreateFromCString(pipeline), append, &errors))) {
    status = TCC_ERROR(TCC_INTERNAL, "pipeline: %s", errors.data ? errors.data : "unknown error");
  } else if (mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)))) {
    status = TCC_ERROR(TCC_INTERNAL, "lowering failed");
  } else {
    mlirOperationPrint(mlirModuleGetOperation(module), append, out);
  }
  tcc_text_destroy(&errors);
  mlirPassManagerDestroy(manager);
  return status;
}

TccStatus *tcc_upstream_lower(TccStr text, const char *pipeline, TccText *out) {
  MlirContext context = passes_context();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length));
  TccStatus *status = run(context, module, pipeline, out);
  if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
  return status;
}

static TccStatus *write_bitcode(MlirModule module, TccText *out) {
  MlirOperation top = mlirModuleGetOperation(module), first = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  bool gpu = !mlirOperationIsNull(first) &&
             mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(first)), mlirStringRefCreateFromCString("gpu.module"));
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef code = mlirTranslateModuleToLLVMIR(gpu ? first : top, context);
  TccStatus *status = code ? NULL : TCC_ERROR(TCC_INTERNAL, "the emitted text has no LLVM IR");
  if (code) {
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(code);
    tcc_text_put(out, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
    LLVMDisposeMemoryBuffer(bitcode);
    LLVMDisposeModule(code);
  }
  LLVMContextDispose(context);
  return status;
}

TccStatus *tcc_upstream_bitcode(TccStr text, TccText *out) {
  MlirContext context = translating_context();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length));
  TccStatus *status =
      mlirModuleIsNull(module) ? TCC_ERROR(TCC_INTERNAL, "the emitted text does not parse") : write_bitcode(module, out);
  if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
  return status;
}
