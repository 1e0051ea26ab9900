/* upstream.c - by the MLIR that this library is linked with; see upstream.h. A thread keeps the context in which it translates. */
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

static pthread_once_t registered = PTHREAD_ONCE_INIT;
static void register_passes(void) { mlirRegisterAllPasses(); }

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
  pthread_once(&registered, register_passes);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirContextEnableMultithreading(context, false);
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length));
  TccStatus *status = run(context, module, pipeline, out);
  if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
  mlirContextDestroy(context);
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

static pthread_key_t kept;
static pthread_once_t has_key = PTHREAD_ONCE_INIT;
static void destroy_context(void *context) { mlirContextDestroy((MlirContext){context}); }
static void make_key(void) { pthread_key_create(&kept, destroy_context); }

/* With the LLVM dialect and what makes LLVM IR of it. */
static MlirContext translating_context(void) {
  pthread_once(&has_key, make_key);
  MlirContext context = {pthread_getspecific(kept)};
  if (!mlirContextIsNull(context)) return context;
  context = mlirContextCreateWithThreading(false);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__llvm__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__gpu__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__nvvm__(), context);
  mlirRegisterAllLLVMTranslations(context);
  pthread_setspecific(kept, context.ptr);
  return context;
}

TccStatus *tcc_upstream_bitcode(TccStr text, TccText *out) {
  MlirContext context = translating_context();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length));
  TccStatus *status =
      mlirModuleIsNull(module) ? TCC_ERROR(TCC_INTERNAL, "the emitted text does not parse") : write_bitcode(module, out);
  if (!mlirModuleIsNull(module)) mlirModuleDestroy(module);
  return status;
}
