/* tcc-opt.c - runs passes over IR: the workbench and the driver of the tests.
 *
 * Reads MLIR text or bytecode, runs passes of tcc and of upstream MLIR in the order of the command line, prints the module.
 * Before each step the module and the rest of the pipeline are written to a file, which is removed after it: when a step
 * kills the process, a signal handler names the file, and the file's first line is the command that fails again. */
#include "mlir-c/RegisterEverything.h"
#include "tcc/diagnostics.h"
#include "tcc/optable.h"
#include "tcc/pass.h"
#include "tcc/target.h"
#include "tools/common.h"
#include "tools/common_expected.h"
#include "tools/common_ir.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  const char *file, *output, *target;
  int document; /* what is printed in place of a module; OPT_PASS_PIPELINE: nothing */
  TccText pipeline;
  bool split, verify_diagnostics, emit_bytecode, allow_unregistered, no_reproducer;
  TccPipelineOptions run;
} Options;

enum {
  OPT_PASS_PIPELINE,
  OPT_PIPELINE,
  OPT_TARGET,
  OPT_OUTPUT,
  OPT_BYTECODE,
  OPT_SPLIT,
  OPT_VERIFY_DIAGNOSTICS,
  OPT_VERIFY_EACH,
  OPT_TIMING,
  OPT_PRINT_ALL,
  OPT_PRINT_AFTER,
  OPT_ALLOW_UNREGISTERED,
  OPT_NO_REPRODUCER,
  OPT_LIST_PASSES,
  OPT_LIST_PIPELINES,
  OPT_PRINT_OPS_DOC,
  OPT_PRINT_ATTRIBUTES_DOC,
};
static const TccOption table[] = {
    [OPT_PASS_PIPELINE] = {"--pass-pipeline", "TEXT",
                           "run a pipeline: tcc-verify,tcc-simplify{name=value},canonicalize,func.func(cse)"},
    [OPT_PIPELINE] = {"--pipeline", "NAME", "run a named pipeline (--list-pipelines)"},
    [OPT_TARGET] = {"--target", "TARGET",
                    "what passes prepare for: x86[,MACHINE][,SIZES], nvptx[,sm_90a] or reference;\ndefault x86, this machine"},
    [OPT_OUTPUT] = {"-o", "FILE", "write there instead of standard output"},
    [OPT_BYTECODE] = {"--emit-bytecode", NULL, "write bytecode instead of text"},
    [OPT_SPLIT] = {"--split-input-file", NULL, "take the input as modules separated by lines '// -----'"},
    [OPT_VERIFY_DIAGNOSTICS] =
        {"--verify-diagnostics", NULL,
         "write no module, compare diagnostics with comments expected-error{{TEXT}}, expected-error@+1{{TEXT}}\n(error, warning, remark, note; @+N, @-N, @above, @below, @unknown)"},
    [OPT_VERIFY_EACH] = {"--verify-each", NULL, "verify after each pass"},
    [OPT_TIMING] = {"--timing", NULL, "print the time of each pass to standard error"},
    [OPT_PRINT_ALL] = {"--print-ir-after-all", NULL, "print the IR after each pass to standard error"},
    [OPT_PRINT_AFTER] = {"--print-ir-after", "PASS", "print the IR after this pass to standard error"},
    [OPT_ALLOW_UNREGISTERED] = {"--allow-unregistered-dialect", NULL, "accept ops of dialects that are not known"},
    [OPT_NO_REPRODUCER] = {"--no-reproducer", NULL, "write no reproducer file before each pass"},
    [OPT_LIST_PASSES] = {"--list-passes", NULL, "print tcc's passes and their options"},
    [OPT_LIST_PIPELINES] = {"--list-pipelines", NULL, "print the named pipelines"},
    [OPT_PRINT_OPS_DOC] = {"--print-ops-doc", NULL, "print docs/ops.md from the table of ops"},
    [OPT_PRINT_ATTRIBUTES_DOC] = {"--print-attributes-doc", NULL, "print docs/attributes.md from the table of attributes"},
};

static TccStr without_dashes(TccStr name) { return (TccStr){name.data + 2, name.length - 2}; }

static bool is_pass(TccStr name) { return tcc_str_starts(name, "--") && tcc_target_pass(without_dashes(name), NULL) != NULL; }

static const TccCommand command = {
    .name = "tcc-opt",
    .usage = "[--pass-pipeline=TEXT | --tcc-PASS[=OPTIONS]... | --pipeline=NAME] [options] [FILE]",
    .summary = "Runs passes over a module in MLIR text or bytecode; without a FILE, over standard input.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .accepts = is_pass,
};

/* ---- reproducer ---- */

static struct {
  char path[4096]; /* "" while no step runs */
  char name[4096];
} reproducer;

static void write_reproducer(const char *left, MlirOperation module, void *user) {
  const Options *options = user;
  if (!left) {
    if (reproducer.path[0]) unlink(reproducer.path);
    reproducer.path[0] = 0;
    return;
  }
  TccText text = {0};
  tcc_text_printf(&text, "// tcc-opt %s%s%s--pass-pipeline='%s' %s\n", options->target ? "--target=" : "",
                  options->target ? options->target : "", options->target ? " " : "", left, reproducer.name);
  mlirOperationPrint(module, tcc_append, &text);
  tcc_text_put(&text, "\n", 1);
  FILE *file = fopen(reproducer.name, "wb");
  if (file) {
    bool written = fwrite(text.data, 1, text.length, file) == text.length;
    written &= fclose(file) == 0;
    if (written) memcpy(reproducer.path, reproducer.name, sizeof reproducer.path);
    else unlink(reproducer.name);
  }
  tcc_text_destroy(&text);
}

static void say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

static void on_crash(int number) {
  if (reproducer.path[0]) {
    say("tcc-opt: a pass crashed; the first line of this file says how to see it again: ");
    say(reproducer.path);
    say("\n");
  }
  raise(number); /* SA_RESETHAND: the default action this time */
}

static void catch_crashes(void) {
  const char *folder = getenv("TMPDIR");
  int length =
      snprintf(reproducer.name, sizeof reproducer.name, "%s/tcc-opt-%ld.mlir", folder && *folder ? folder : "/tmp", (long)getpid());
  if (length < 0 || (size_t)length >= sizeof reproducer.name)
    snprintf(reproducer.name, sizeof reproducer.name, "tcc-opt-%ld.mlir", (long)getpid());
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) sigaction(numbers[i], &action, NULL);
}

/* ---- one module ---- */

static void print_module(MlirOperation module, const Options *options, TccText *out) {
  if (options->emit_bytecode) mlirOperationWriteBytecode(module, tcc_append, out);
  else mlirOperationPrint(module, tcc_append, out); /* ends in a newline */
}

/* text is NUL-terminated; NULL: the file itself, whose name is then in the locations. */
static bool process(TccIr *ir, TccStr text, const Options *options, TccText *out) {
  MlirModule module = tcc_parse_foreign_module(ir->context, text, options->file);
  if (mlirModuleIsNull(module)) return false;
  MlirOperation op = mlirModuleGetOperation(module);
  bool ok = true;
  if (options->pipeline.length) {
    ok = mlirLogicalResultIsSuccess(tcc_pipeline_run(ir, op, tcc_text_str(&options->pipeline), &options->run));
    ok = ok && mlirOperationVerify(op);
  }
  if (ok) print_module(op, options, out);
  mlirModuleDestroy(module);
  return ok;
}

/* Each module gets its own context: what a TccIr remembers is keyed by values, whose addresses come again. */
static bool process_chunk(TccStr text, const Options *options, TccText *out) {
  TccIr *ir = tcc_ir_create();
  tcc_register_upstream(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context); /* for passes that make code: gpu-module-to-binary */
  mlirContextSetAllowUnregisteredDialects(ir->context, options->allow_unregistered);
  bool ok;
  if (options->verify_diagnostics) {
    TccExpected *expected = tcc_expected_create(ir->context, options->file, text);
    process(ir, text, options, out);
    ok = tcc_expected_finish(expected);
  } else {
    tcc_diagnostics_to_stderr(ir->context, NULL);
    ok = process(ir, text, options, out);
  }
  tcc_ir_destroy(ir);
  return ok;
}

/* ---- the file ---- */

static bool is_bytecode(TccStr text) { return text.length >= 4 && memcmp(text.data, "ML\xefR", 4) == 0; }

/* Start of the next separator line at or after `from`; NULL if there is none. */
static const char *find_separator(const char *from, const char *start) {
  for (const char *at = from; (at = strstr(at, "// -----")); at += 8)
    if (at == start || at[-1] == '\n') return at;
  return NULL;
}

/* Parsers count lines from the start of what they are given: a later chunk gets as many empty lines in front. */
static bool process_split(TccStr text, const Options *options, TccText *out) {
  bool ok = true;
  unsigned line = 0;
  TccText chunk = {0};
  for (const char *at = text.data; at;) {
    const char *end = find_separator(at, text.data);
    tcc_text_clear(&chunk);
    for (unsigned i = 0; i < line; ++i) tcc_text_put(&chunk, "\n", 1);
    tcc_text_put(&chunk, at, end ? (size_t)(end - at) : strlen(at));
    if (at != text.data) tcc_text_printf(out, "// -----\n");
    ok &= process_chunk(tcc_text_str(&chunk), options, out);
    const char *next = end ? strchr(end, '\n') : NULL;
    for (const char *c = at; c < (next ? next + 1 : at); ++c) line += *c == '\n';
    at = next ? next + 1 : NULL;
  }
  tcc_text_destroy(&chunk);
  return ok;
}

static void list_passes(TccText *out) {
  const TccTarget *owner;
  const TccPassInfo *pass;
  for (size_t i = 0; (pass = tcc_target_pass_at(i, &owner)); ++i) {
    tcc_text_printf(out, "%-24s %s%s%s\n", pass->name, pass->summary, owner ? "; a pass of target " : "", owner ? owner->name : "");
    for (const char *at = pass->options; *at;) {
      size_t length = strcspn(at, ";");
      tcc_text_printf(out, "%-24s   %.*s\n", "", (int)length, at);
      at += length;
      at += strspn(at, "; ");
    }
  }
}

static void list_pipelines(TccText *out) {
  size_t count;
  const TccPipelineInfo *pipelines = tcc_pipeline_table(&count);
  for (size_t i = 0; i < count; ++i)
    tcc_text_printf(out, "%-12s %s\n%-12s   %s\n", pipelines[i].name, pipelines[i].summary, "", pipelines[i].text);
}

static int print_document(const Options *options) {
  TccText text = {0};
  switch (options->document) {
  case OPT_LIST_PASSES: list_passes(&text); break;
  case OPT_LIST_PIPELINES: list_pipelines(&text); break;
  case OPT_PRINT_OPS_DOC: tcc_ops_document(&text); break;
  case OPT_PRINT_ATTRIBUTES_DOC: tcc_attributes_document(&text); break;
  }
  int code = tcc_exit_status(&command, tcc_write_output(options->output, tcc_text_str(&text)));
  tcc_text_destroy(&text);
  return code;
}

static void add_to_pipeline(Options *options, const char *format, ...) TCC_PRINTF(2, 3);
static void add_to_pipeline(Options *options, const char *format, ...) {
  if (options->pipeline.length) tcc_text_put(&options->pipeline, ",", 1);
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&options->pipeline, format, args);
  va_end(args);
}

/* "did you mean" of a word that is none of the table's names. */
static _Noreturn void unknown_name(const char *what, const char *word, const char *const *names, size_t count, const char *list) {
  const char *near = tcc_nearest(tcc_str(word), names, count);
  if (near) tcc_usage_error(&command, "unknown %s '%s'; did you mean '%s'?", what, word, near);
  tcc_usage_error(&command, "unknown %s '%s'; see %s", what, word, list);
}

/* A pass of upstream may have any name but one that begins as ours do. */
static void check_pass_name(const char *name, const char *const *flags, size_t count) {
  if (tcc_target_pass(tcc_str(name), NULL) || !tcc_str_starts(tcc_str(name), "tcc-")) return;
  const char *names[64];
  if (count > 64) count = 64;
  for (size_t i = 0; i < count; ++i) names[i] = flags[i] + strlen("--");
  unknown_name("pass", name, names, count, "--list-passes");
}

static void check_pipeline_name(const char *name) {
  if (tcc_pipeline_text(tcc_str(name))) return;
  size_t count;
  const TccPipelineInfo *pipelines = tcc_pipeline_table(&count);
  const char *names[64];
  if (count > 64) count = 64;
  for (size_t i = 0; i < count; ++i) names[i] = pipelines[i].name;
  unknown_name("pipeline", name, names, count, "--list-pipelines");
}

/* An option that would not be looked at is an error. */
static void check_options(const Options *options) {
  const char *useless = options->file                 ? "FILE"
                        : options->pipeline.length    ? "passes"
                        : options->emit_bytecode      ? "--emit-bytecode"
                        : options->split              ? "--split-input-file"
                        : options->verify_diagnostics ? "--verify-diagnostics"
                                                      : NULL;
  if (options->document && useless) tcc_usage_error(&command, "%s takes no %s", table[options->document].name, useless);
  if (options->split && options->emit_bytecode)
    tcc_usage_error(&command, "--emit-bytecode writes one module, and goes not with --split-input-file");
}

static void parse_arguments(int argc, char **argv, Options *options) {
  size_t npasses = 0;
  while (tcc_target_pass_at(npasses, NULL)) ++npasses;
  const char **flags = calloc(npasses + 1, sizeof *flags);
  for (size_t i = 0; flags && i < npasses; ++i)
    if (asprintf((char **)&flags[i], "--%s", tcc_target_pass_at(i, NULL)->name) < 0) npasses = i;
  TccCommand with_passes = command;
  with_passes.more = flags;
  with_passes.nmore = flags ? npasses : 0;
  TccArgs args = {.command = &with_passes, .argc = argc, .argv = argv};
  for (TccArg arg; (arg = tcc_args_next(&args)).option != TCC_ARG_END;) {
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (options->file) tcc_usage_error(&command, "more than one input file: '%s' and '%s'", options->file, arg.value);
      options->file = arg.value;
      break;
    case TCC_ARG_MORE:
      add_to_pipeline(options, "%.*s%s%s%s", TCC_STR_ARG(without_dashes(arg.name)), arg.value ? "{" : "",
                      arg.value ? arg.value : "", arg.value ? "}" : "");
      break;
    case OPT_PASS_PIPELINE: add_to_pipeline(options, "%s", arg.value); break;
    case OPT_PIPELINE:
      check_pipeline_name(arg.value);
      add_to_pipeline(options, "%s", arg.value);
      break;
    case OPT_TARGET: options->target = arg.value; break;
    case OPT_OUTPUT: options->output = arg.value; break;
    case OPT_BYTECODE: options->emit_bytecode = true; break;
    case OPT_SPLIT: options->split = true; break;
    case OPT_VERIFY_DIAGNOSTICS: options->verify_diagnostics = true; break;
    case OPT_VERIFY_EACH: options->run.verify_each = true; break;
    case OPT_TIMING: options->run.timing = true; break;
    case OPT_PRINT_ALL: options->run.print_after_all = true; break;
    case OPT_PRINT_AFTER:
      check_pass_name(arg.value, with_passes.more, with_passes.nmore);
      options->run.print_after = arg.value;
      break;
    case OPT_ALLOW_UNREGISTERED: options->allow_unregistered = true; break;
    case OPT_NO_REPRODUCER: options->no_reproducer = true; break;
    case OPT_LIST_PASSES:
    case OPT_LIST_PIPELINES:
    case OPT_PRINT_OPS_DOC:
    case OPT_PRINT_ATTRIBUTES_DOC:
      if (options->document)
        tcc_usage_error(&command, "%s and %s: one at a time", table[options->document].name, table[arg.option].name);
      options->document = arg.option;
      break;
    }
  }
  for (size_t i = 0; i < with_passes.nmore; ++i) free((char *)flags[i]);
  free(flags);
  check_options(options);
  if (!options->file) options->file = "-";
}

int main(int argc, char **argv) {
  Options options = {0};
  parse_arguments(argc, argv, &options);
  if (options.document) return print_document(&options);
  TccArena *arena = tcc_arena_create();
  TccText text = {0}, out = {0};
  TccStatus *status = tcc_target_parse(arena, options.target, &options.run.target);
  int code = tcc_exit_status(&command, status ? status : tcc_read_input(options.file, &text));
  if (code == TCC_EXIT_OK) {
    if (!options.no_reproducer) {
      catch_crashes();
      options.run.before = write_reproducer;
      options.run.user = &options;
    }
    TccStr input = tcc_text_str(&text);
    struct stat about; /* a pipe has been read: it is empty now */
    bool from_file = stat(options.file, &about) == 0 && S_ISREG(about.st_mode) && !options.verify_diagnostics;
    bool ok = options.split && !is_bytecode(input) ? process_split(input, &options, &out)
                                                   : process_chunk(from_file ? (TccStr){0} : input, &options, &out);
    if (!ok) code = TCC_EXIT_FAILED;
    else if (!options.verify_diagnostics) code = tcc_exit_status(&command, tcc_write_output(options.output, tcc_text_str(&out)));
  }
  tcc_text_destroy(&text);
  tcc_text_destroy(&out);
  tcc_text_destroy(&options.pipeline);
  tcc_arena_destroy(arena);
  return code;
}
