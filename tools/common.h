/* common.h - what every command shares: its options as a table, --help, and one line for wrong usage. No MLIR. */
#ifndef TCC_TOOLS_COMMON_H
#define TCC_TOOLS_COMMON_H
#include "tcc/compile.h"

enum { TCC_EXIT_OK = 0, TCC_EXIT_FAILED = 1, TCC_EXIT_USAGE = 2, TCC_EXIT_NO_MACHINE = 77 };

/* One row of a command's option table. */
typedef struct {
  const char *name;  /* "--data", "-o" */
  const char *value; /* NULL: a flag. "FILE": needs a value, --data=FILE or --data FILE. "[=SEED]": may have =SEED */
  const char *help;  /* one line or more, separated by \n */
} TccOption;

typedef struct {
  const char *name;    /* "tcc-opt" */
  const char *usage;   /* what follows the name in the usage line */
  const char *summary; /* one sentence */
  const TccOption *options;
  size_t noptions;
  bool takes_models;    /* --help says by which endings they are known */
  const char *epilogue; /* printed after the options of --help; may be NULL */
  /* Further names accepted as options (passes); NULL if there are none. */
  bool (*accepts)(TccStr name);
  const char *const *more; /* names that accepts() takes, for "did you mean" */
  size_t nmore;
} TccCommand;

/* Walks the arguments. Zero-initialise but for command, argc, argv. */
typedef struct {
  const TccCommand *command;
  int argc;
  char **argv;
  int position;
  bool only_files; /* "--" was seen */
} TccArgs;

typedef struct {
  int option;        /* index into the table; TCC_ARG_FILE, TCC_ARG_MORE or TCC_ARG_END */
  TccStr name;       /* as written, without "=VALUE" */
  const char *value; /* NULL if none was given; the argument itself for TCC_ARG_FILE */
} TccArg;
enum { TCC_ARG_END = -1, TCC_ARG_FILE = -2, TCC_ARG_MORE = -3 };

/* The next argument; the first call also prepares the process: no file that is opened later gets the number of a standard stream, at the
 * process's end output that was lost counts as a failure, and files that reach a limit of size fail to be written (SIGXFSZ is ignored). Prints the help or the version and exits with 0 at --help and --version, exits with 2 and one line at
 * wrong usage. */
TccArg tcc_args_next(TccArgs *args);
/* Prints "NAME: MESSAGE" and exits with TCC_EXIT_USAGE. */
_Noreturn void tcc_usage_error(const TccCommand *command, const char *format, ...) TCC_PRINTF(2, 3);
/* Gives memory back; where there is none, prints "NAME: error: out of memory" and exits with TCC_EXIT_FAILED. */
void *tcc_check_memory(const TccCommand *command, void *memory);
/* Values of options; exit with TCC_EXIT_USAGE if the text is none. */
int64_t tcc_arg_integer(const TccCommand *command, const TccArg *arg);
/* Bytes, 1 at least: "4096", "512M"; K, M and G are powers of 1024. */
size_t tcc_arg_bytes(const TccCommand *command, const TccArg *arg);
double tcc_arg_number(const TccCommand *command, const TccArg *arg); /* finite, not negative */
/* A number of threads, 1 at least. Beyond the CPUs, whose threads would only take turns, it is cut and said so; $TCC_OVERSUBSCRIBE: it is not. */
unsigned tcc_arg_threads(const TccCommand *command, const TccArg *arg);
/* NAME=N, a size: the name, from malloc. */
char *tcc_arg_size(const TccCommand *command, const TccArg *arg, int64_t *out_size);
/* Index of arg's value in `words`, "a, b or c" in the message otherwise. */
size_t tcc_arg_word(const TccCommand *command, const TccArg *arg, const char *const *words, size_t count);
/* Exits with TCC_EXIT_USAGE if `output`, the value of an option that names a file to be written, is the file `input`, which `what`
 * says it is ("the model"), by whatever name. Either may be NULL: nothing is checked. */
void tcc_check_output(const TccCommand *command, const char *option, const char *output, const char *input, const char *what);
/* Whether both are names of one file that is there. */
bool tcc_same_file(const char *a, const char *b);
/* Prints "NAME: error: MESSAGE" for a status, destroys it, gives TCC_EXIT_FAILED; TCC_EXIT_OK for NULL. */
int tcc_exit_status(const TccCommand *command, TccStatus *status);
/* The options of all commands that compile a model: the first rows of their tables, TCC_OPT_SHARED is the number of the next one. */
enum {
  TCC_OPT_TARGET,
  TCC_OPT_MODE,
  TCC_OPT_NUMERICS,
  TCC_OPT_AUTOCAST,
  TCC_OPT_INDICES,
  TCC_OPT_EFFORT,
  TCC_OPT_THREADS,
  TCC_OPT_NO_DEDUP,
  TCC_OPT_FREEZE,
  TCC_OPT_NO_CACHE,
  TCC_OPT_COMPILE_TIME,
  TCC_OPT_COMPILE_MEMORY,
  TCC_OPT_WEIGHTS,
  TCC_OPT_QUIET,
  TCC_OPT_SHARED
};
#define TCC_COMPILE_OPTIONS                                                                                                        \
  [TCC_OPT_TARGET] = {"--target", "TARGET", "x86[,MACHINE][,SIZES], nvptx[,sm_90a] or reference; default: x86, this machine"},     \
  [TCC_OPT_MODE] = {"--mode", "MODE", "default, reduce-overhead or max-autotune: kernels are measured once (docs/tuning.md)"},     \
  [TCC_OPT_NUMERICS] =                                                                                                             \
      {"--numerics", "KIND",                                                                                                       \
       "fast; direct: without Winograd's filtering in convolutions; eager: each op rounds as in PyTorch's eager mode"},            \
  [TCC_OPT_AUTOCAST] =                                                                                                             \
      {"--autocast", "TYPE",                                                                                                       \
       "mixed precision: products, convolutions and attention in bf16 or f16, what is sensitive in f32; default: none"},           \
  [TCC_OPT_INDICES] = {"--indices", "KIND",                                                                                        \
                       "check: indices outside of a tensor are errors; clamp: the nearest inside takes their place"},              \
  [TCC_OPT_EFFORT] = {"--effort", "KIND", "full; little: code is made in a third of the time, and slower"},                        \
  [TCC_OPT_THREADS] = {"--threads", "N", "threads that compile and run; default: one for each CPU"},                               \
  [TCC_OPT_NO_DEDUP] = {"--no-dedup", NULL, "compile each copy of a repeated region"},                                             \
  [TCC_OPT_NO_CACHE] = {"--no-cache", NULL, "neither read nor write the compile cache"},                                           \
  [TCC_OPT_COMPILE_TIME] = {"--compile-time", "SECONDS", "end compiling with an error that names where it was; default: none"},    \
  [TCC_OPT_COMPILE_MEMORY] = {"--compile-memory", "MB", "likewise; default: three quarters of the machine's memory"},              \
  [TCC_OPT_WEIGHTS] = {"--weights", "DIR|FILE",                                                                                    \
                       "where the files with the weights of the model are; default: beside it, or the artifact; "                  \
                       "FILE.safetensors or its index (.json): these replace the model's (docs/weights.md)"},                      \
  [TCC_OPT_QUIET] = {"--quiet", NULL, "no line of progress, which a terminal gets of work that takes long"}
/* The row that is missing: a command has an option --freeze of its own there, if not this one. */
#define TCC_FREEZE_OPTION [TCC_OPT_FREEZE] = {"--freeze", NULL, "parameters that are inputs are packed once, until they change"}
/* --weights: a folder, or a file of tensors or an index of such, by its ending. Both may be given, one after the other. What is neither ends
 * the process with TCC_EXIT_FAILED. */
void tcc_take_weights(const TccCommand *command, const TccArg *arg, TccCompileOptions *options);
/* If arg is one of them it is put into options; else false. */
bool tcc_compile_option(const TccCommand *command, const TccArg *arg, TccCompileOptions *options);
/* Whether it says what to compile a model to, and so nothing about an artifact. */
bool tcc_option_is_for_models(int option);
/* --input NAME=FILE and --dim NAME=N: one more of them in options, which owns it; tcc_compile_options_free frees them all. A file
 * that cannot be read ends the process with TCC_EXIT_FAILED. */
void tcc_add_input(const TccCommand *command, const TccArg *arg, TccCompileOptions *options);
void tcc_add_dim(const TccCommand *command, const TccArg *arg, TccCompileOptions *options);
/* --tie OUTPUT=INPUT, likewise. */
void tcc_add_tie(const TccCommand *command, const TccArg *arg, TccCompileOptions *options);
void tcc_compile_options_free(TccCompileOptions *options);
/* Progress of long work: one line on standard error that the next one overwrites, where that is a terminal; else nothing.
 * line NULL: the work is over, the line goes away. */
void tcc_progress(const char *line, void *unused);
#endif
