/* object.c - modules in the LLVM dialect to machine code: built (llvm_build.h), or read by MLIR; instruction selection; no LLVM IR pass.
 *
 * Setting up the passes of the code generator costs as much as the code of a small kernel, about one millisecond, and the C
 * interface sets them up for each module: small kernels share one.
 *
 * The emitters write what they mean (rotated loops, masks, fma), so optimisation passes would cost as much time as
 * instruction selection and gain nothing. Each thread has a target machine per machine description. LLVM reports some failures
 * ("Cannot select") by a fatal-error handler that must not return: it jumps back into tcc_codegen_object, which gives up what that
 * thread has (leaked: its state is unknown) and returns a status. */
#include "lib/codegen/emit/emit.h"
#include "lib/codegen/object/llvm_build.h"
#include "lib/upstream/upstream.h"
#include "tcc/codegen.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/Core.h"
#include "llvm-c/Disassembler.h"
#include "llvm-c/ErrorHandling.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Support.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include <elf.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  LLVMTargetMachineRef targets[TCC_EFFORT_COUNT];
  LLVMTargetMachineRef target; /* of them, the one in use */
  char key[2300];              /* triple, cpu, features of targets */
} Worker;

static _Thread_local Worker worker;
static _Thread_local jmp_buf fatal_exit;
static _Thread_local bool fatal_armed;
static _Thread_local char fatal_reason[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t cleanup_key;

static void on_fatal(const char *reason) {
  if (!fatal_armed) return; /* not ours: LLVM aborts */
  snprintf(fatal_reason, sizeof fatal_reason, "%s", reason);
  longjmp(fatal_exit, 1);
}

static void dispose_targets(void) {
  for (int i = 0; i < TCC_EFFORT_COUNT; i++) {
    if (worker.targets[i]) LLVMDisposeTargetMachine(worker.targets[i]);
    worker.targets[i] = NULL;
  }
  worker.target = NULL;
}

static void destroy_worker(void *unused) {
  (void)unused;
  dispose_targets();
  worker = (Worker){0};
}

static void initialise(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser(); /* with the next one, to show machine code of our own */
  LLVMInitializeX86Disassembler();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  LLVMInstallFatalErrorHandler(on_fatal);
  /* Options of the code generator that its C interface has no function for. Loop strength reduction would rewrite the
   * pointers that the emitters carry through loops: a quarter of the time of a small kernel, no gain in any. The others look for
   * what emitters do not write (constants in need of a register, calls of libc, chains of comparisons, ends of blocks to copy, masks in
   * general registers, conditional moves that a branch would beat) and for what they need to know of each function. Instructions are ordered a second
   * time, behind the allocation of registers, for CPUs that LLVM's models of ask for it, AMD's among them, which execute out of order all the same. */
  static const char *const options[] = {"tcc",
                                        "-disable-lsr",
                                        "-disable-constant-hoisting",
                                        "-disable-partial-libcall-inlining",
                                        "-disable-mergeicmps",
                                        "-disable-early-taildup",
                                        "-disable-tail-duplicate",
                                        "-disable-x86-domain-reassignment",
                                        "-x86-cmov-converter=false",
                                        "-post-RA-scheduler=false"};
  LLVMParseCommandLineOptions(sizeof options / sizeof *options, options, NULL);
  pthread_key_create(&cleanup_key, destroy_worker);
}

static void begin_worker(void) {
  pthread_once(&once, initialise);
  pthread_setspecific(cleanup_key, &worker);
}

/* Without optimisation LLVM has a third of the passes, and its allocator of registers is the fast one. */
static TccStatus *prepare(const TccMachine *machine, TccEffort effort) {
  static const LLVMCodeGenOptLevel levels[] = {[TCC_EFFORT_FULL] = LLVMCodeGenLevelDefault,
                                               [TCC_EFFORT_LITTLE] = LLVMCodeGenLevelNone};
  begin_worker();
  char key[sizeof worker.key];
  snprintf(key, sizeof key, "%s|%s|%s", machine->triple, machine->cpu, machine->features);
  if (strcmp(key, worker.key) != 0) dispose_targets();
  memcpy(worker.key, key, sizeof key);
  worker.target = worker.targets[effort];
  if (worker.target) return NULL;
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(machine->triple, &target, &message)) {
    TccStatus *status = TCC_ERROR(TCC_UNSUPPORTED, "no code generator for %s: %s", machine->triple, message);
    LLVMDisposeMessage(message);
    return status;
  }
  worker.target = worker.targets[effort] = LLVMCreateTargetMachine(target, machine->triple, machine->cpu, machine->features,
                                                                   levels[effort], LLVMRelocPIC, LLVMCodeModelSmall);
  if (worker.target) return NULL;
  return TCC_ERROR(TCC_UNSUPPORTED, "no code generator for %s, cpu %s", machine->triple, machine->cpu);
}

/* By MLIR; NULL with the reason in *out_status. */
static LLVMModuleRef translate(TccStr text, LLVMContextRef context, TccStatus **out_status) {
  TccText bitcode = {0};
  LLVMModuleRef code = NULL;
  *out_status = tcc_upstream_bitcode(text, &bitcode);
  if (!*out_status) {
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bitcode.data, bitcode.length, "LLVMDialectModule", false);
    if (LLVMParseBitcodeInContext2(context, buffer, &code)) *out_status = TCC_ERROR(TCC_INTERNAL, "the bitcode cannot be read");
    LLVMDisposeMemoryBuffer(buffer);
  }
  tcc_text_destroy(&bitcode);
  return code;
}

static void set_machine(LLVMModuleRef code) {
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(worker.target);
  LLVMSetModuleDataLayout(code, layout);
  LLVMDisposeTargetData(layout);
  char *triple = LLVMGetTargetMachineTriple(worker.target);
  LLVMSetTarget(code, triple);
  LLVMDisposeMessage(triple);
  LLVMSetModuleIdentifier(code, "kernel", 6); /* ends up in the object: must not depend on anything */
  LLVMSetSourceFileName(code, "kernel", 6);
}

/* Assembly is there to be read: our own machine code as instructions, what lies behind them (int3) as words. A jump's distance
 * counts from behind it, and in assembly from where it begins. */
static void put_instructions(TccText *text, const char *name, const uint8_t *bytes, size_t length) {
  LLVMDisasmContextRef disassembler =
      LLVMCreateDisasmCPU("x86_64-unknown-linux-gnu", "sapphirerapids", NULL, 0, NULL, NULL); /* knows all forms that there are */
  tcc_text_printf(text, ".section " TCC_CODE_SECTION ",\"ax\",@progbits\n.p2align 6\n.globl %s\n.hidden %s\n%s:\n", name, name,
                  name);
  bool code = disassembler != NULL;
  for (size_t at = 0, n; at < length; at += n) {
    char line[200], jump[16];
    long long distance;
    code = code && bytes[at] != 0xcc;
    n = code ? LLVMDisasmInstruction(disassembler, (uint8_t *)(uintptr_t)bytes + at, length - at, at, line, sizeof line) : 0;
    if (!n) tcc_text_printf(text, "\t.byte 0x%02x\n", bytes[at]), n = 1;
    else if (sscanf(line, " %15[a-z] %lld", jump, &distance) == 2 && jump[0] == 'j')
      tcc_text_printf(text, "\t%s .%+lld\n", jump, distance + (long long)n);
    else tcc_text_printf(text, "%s\n", line);
  }
  if (disassembler) LLVMDisasmDispose(disassembler);
}

/* Code that LLVM would write as strings becomes declarations and assembly of the module. */
static void write_code(LLVMModuleRef module) {
  TccText text = {0};
  LLVMValueRef next;
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = next) {
    next = LLVMGetNextGlobal(global);
    const char *section = LLVMGetSection(global);
    LLVMValueRef value = LLVMGetInitializer(global);
    size_t length, name_length;
    if (!section || strcmp(section, TCC_CODE_SECTION) != 0 || !value) continue;
    const char *bytes = LLVMGetAsString(value, &length);
    put_instructions(&text, LLVMGetValueName2(global, &name_length), (const uint8_t *)bytes, length);
    LLVMSetInitializer(global, NULL);
    LLVMSetSection(global, "");
  }
  if (text.length) LLVMAppendModuleInlineAsm(module, text.data, text.length);
  tcc_text_destroy(&text);
}

/* LLVM takes machine code of our own for constants and has no way to be told otherwise. */
static void make_executable(char *object, size_t length) {
  Elf64_Ehdr *header = (void *)object;
  if (length < sizeof *header || memcmp(object, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_X86_64) return;
  Elf64_Shdr *sections = (void *)(object + header->e_shoff);
  const char *names = object + sections[header->e_shstrndx].sh_offset;
  for (size_t i = 0; i < header->e_shnum; i++)
    if (strcmp(names + sections[i].sh_name, TCC_CODE_SECTION) == 0) sections[i].sh_flags |= SHF_EXECINSTR;
}

static TccStatus *emit_code(LLVMModuleRef code, bool assembly, TccText *out) {
  LLVMMemoryBufferRef buffer = NULL;
  char *message = NULL;
  if (assembly) write_code(code);
  if (LLVMTargetMachineEmitToMemoryBuffer(worker.target, code, assembly ? LLVMAssemblyFile : LLVMObjectFile, &message, &buffer)) {
    TccStatus *status = TCC_ERROR(TCC_INTERNAL, "code generation: %s", message);
    LLVMDisposeMessage(message);
    return status;
  }
  size_t before = out->length;
  tcc_text_put(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
  if (!assembly) make_executable(out->data + before, out->length - before);
  LLVMDisposeMemoryBuffer(buffer);
  return NULL;
}

static LLVMModuleRef build(const TccLlvm *llvm, size_t count, LLVMContextRef context) {
  LLVMModuleRef all = LLVMModuleCreateWithNameInContext("kernel", context);
  for (size_t i = 0; i < count; i++) tcc_llvm_build(llvm[i].module, all);
  return all;
}

/* Where some are text: a module for each, which are linked; that renames internal symbols where they meet. */
static LLVMModuleRef translate_each(const TccLlvm *llvm, size_t count, LLVMContextRef context, TccStatus **out_status) {
  LLVMModuleRef all = NULL;
  for (size_t i = 0; i < count && !*out_status; i++) {
    LLVMModuleRef one = llvm[i].module ? build(&llvm[i], 1, context) : translate(llvm[i].text, context, out_status);
    if (!all) all = one;
    else if (one && LLVMLinkModules2(all, one)) *out_status = TCC_ERROR(TCC_INTERNAL, "kernels that do not fit into one module");
  }
  return all;
}

/* NULL, and a status, where that is no valid LLVM IR. */
static LLVMModuleRef make_module(const TccLlvm *llvm, size_t count, LLVMContextRef context, TccStatus **out_status) {
  bool text = false;
  for (size_t i = 0; i < count; i++) text |= !llvm[i].module;
  LLVMModuleRef all = text ? translate_each(llvm, count, context, out_status) : build(llvm, count, context);
  char *message = NULL;
  if (!*out_status && LLVMVerifyModule(all, LLVMReturnStatusAction, &message))
    *out_status = TCC_ERROR(TCC_INTERNAL, "the module is no valid LLVM IR: %s", message);
  LLVMDisposeMessage(message);
  if (*out_status && all) LLVMDisposeModule(all);
  return *out_status ? NULL : all;
}

static TccStatus *compile(const TccLlvm *llvm, size_t count, bool assembly, TccText *out) {
  LLVMContextRef context = LLVMContextCreate();
  TccStatus *status = NULL;
  LLVMModuleRef all = make_module(llvm, count, context, &status);
  if (all) {
    set_machine(all);
    status = emit_code(all, assembly, out);
    LLVMDisposeModule(all);
  }
  LLVMContextDispose(context);
  return status;
}

TccStatus *tcc_codegen_objects(const TccMachine *machine, const TccLlvm *llvm, size_t count, TccEffort effort, bool assembly,
                               TccText *out) {
  TCC_TRY(prepare(machine, effort));
  if (setjmp(fatal_exit)) {
    fatal_armed = false;
    worker = (Worker){0};
    return TCC_ERROR(TCC_INTERNAL, "code generation: %s", fatal_reason);
  }
  fatal_armed = true;
  TccStatus *status = compile(llvm, count, assembly, out);
  fatal_armed = false;
  return status;
}

TccStatus *tcc_codegen_object(const TccMachine *machine, const TccLlvm *llvm, bool assembly, TccText *out) {
  return tcc_codegen_objects(machine, llvm, 1, TCC_EFFORT_FULL, assembly, out);
}

TccStatus *tcc_codegen_ir(const TccLlvm *llvm, TccText *out) {
  begin_worker();
  LLVMContextRef context = LLVMContextCreate();
  TccStatus *status = NULL;
  LLVMModuleRef module = make_module(llvm, 1, context, &status);
  if (module) {
    char *printed = LLVMPrintModuleToString(module);
    tcc_text_put(out, printed, strlen(printed));
    LLVMDisposeMessage(printed);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  return status;
}

/* A loop with a vector: what touches the passes that a kernel touches. A failure shows when a kernel is compiled. */
void tcc_codegen_prepare(const TccMachine *machine) {
  TccArena *arena = tcc_arena_create();
  TccEmit e;
  TccVal arg[2];
  TccLoop loop;
  tcc_emit_init(&e, arena);
  tcc_emit_function(&e, "warm", false, 2, (const char *const[]){TCC_PTR, "i64"}, NULL, arg);
  tcc_emit_for(&e, &loop, tcc_emit_i64(&e, 0), arg[1], 8, 0, NULL, NULL);
  const char *type = tcc_emit_vector(&e, "f32", 8);
  TccVal p = tcc_emit_gep(&e, "f32", arg[0], loop.iv), v = tcc_emit_load(&e, type, p);
  tcc_emit_store(&e, type, tcc_emit_fma(&e, type, v, v, v), p);
  tcc_emit_end_for(&e, &loop, NULL);
  tcc_emit_return(&e, 0, NULL);
  TccText object = {0};
  bool assembly = machine->gpu.sms != 0; /* a GPU has no objects: LLVM would say so on standard error */
  tcc_status_destroy(tcc_codegen_object(machine, &(TccLlvm){.module = e.module}, assembly, &object));
  tcc_text_destroy(&object);
  tcc_emit_destroy(&e);
  tcc_arena_destroy(arena);
}
