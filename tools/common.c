/* common.c - options of the commands; see common.h.
 *
 * A command states its options once, as a table: parsing, --help and the "did you mean" of wrong usage come from it. */
#include "tools/common.h"
#include "tcc/cache.h"
#include "tools/manual.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- begin and end ---- */
static const char *running; /* name of the command */

/* What was printed and did not arrive, as on a full disk, is a failure like any other. */
static void close_output(void) {
  bool lost = ferror(stdout) != 0;
  errno = 0;
  if (fflush(stdout) == 0 && !lost) return;
  fprintf(stderr, "%s: error: standard output: %s\n", running, errno ? strerror(errno) : "not all was written");
  _exit(TCC_EXIT_FAILED);
}

/* A file that is mapped was cut short by somebody: its last pages are none, and nothing can be gone on with. Another bus error dies as ever. */
static void on_bus_error(int number, siginfo_t *about, void *context) {
  static const char text[] = ": error: a file that is read was cut short meanwhile\n";
  (void)context;
  if (about->si_code == BUS_ADRERR && write(STDERR_FILENO, running, strlen(running)) > 0 &&
      write(STDERR_FILENO, text, sizeof text - 1) > 0)
    _exit(TCC_EXIT_FAILED);
  signal(number, SIG_DFL);
}

/* What the environment says and nothing could be done with: a mistake there would do nothing. */
static void check_environment(const TccCommand *command) {
  static const struct {
    const char *name;
    long long least, most;
  } numbers[] = {{"TCC_THREADS", 1, TCC_MOST_THREADS}, {"TCC_PACKED_MB", 0, INT64_MAX >> 20}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const char *text = getenv(numbers[i].name);
    if (!text || !*text) continue;
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (*end || errno || value < numbers[i].least || value > numbers[i].most)
      tcc_usage_error(command, "%s=%s: no number from %lld to %lld", numbers[i].name, text, numbers[i].least, numbers[i].most);
  }
}

/* A stream that the caller closed stays useless, but its number is taken: a file that is opened later would get it, and with it what is printed. */
static void take_streams(void) {
  static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY}; /* reading the first, or writing to the others, fails as it did */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", useless[fd]) != fd) _exit(TCC_EXIT_FAILED);
}

/* A file that would grow past the process's limit is a write that fails, with a message and nothing left behind, not a death. */
static void begin(const TccCommand *command) {
  running = command->name;
  take_streams();
  signal(SIGXFSZ, SIG_IGN);
  const struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
  sigaction(SIGBUS, &action, NULL);
  atexit(close_output);
  check_environment(command);
}

void tcc_usage_error(const TccCommand *command, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: ", command->name);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  exit(TCC_EXIT_USAGE);
}

void *tcc_check_memory(const TccCommand *command, void *memory) {
  if (memory) return memory;
  fprintf(stderr, "%s: error: out of memory\n", command->name);
  exit(TCC_EXIT_FAILED);
}

static void print_option(const TccOption *option) {
  const char *value = option->value ? option->value : "";
  int width = printf("  %s%s%s", option->name, *value && *value != '[' ? (option->name[1] == '-' ? "=" : " ") : "", value);
  if (width > 29) width = printf("\n") - 1;
  for (const char *line = option->help; line;) {
    const char *end = strchr(line, '\n');
    printf("%*s%.*s\n", 30 - width, "", (int)(end ? (size_t)(end - line) : strlen(line)), line);
    width = 0;
    line = end ? end + 1 : NULL;
  }
}

static void print_help(const TccCommand *command) {
  printf("usage: %s %s\n%s\n\noptions:\n", command->name, command->usage, command->summary);
  for (size_t i = 0; i < command->noptions; ++i) print_option(&command->options[i]);
  for (size_t i = 0; i < sizeof tcc_common_options / sizeof *tcc_common_options; ++i) print_option(&tcc_common_options[i]);
  printf("\nexit status: " TCC_EXIT_STATUS_TEXT "\n");
  TccText models = {0};
  if (command->takes_models) {
    tcc_models_text(&models);
    printf("\n%s\n", models.data);
  }
  tcc_text_destroy(&models);
  if (command->epilogue) printf("\n%s", command->epilogue);
}

/* What a report of a bug should say: the same lines are part of every key of the compile cache. */
static void print_version(const TccCommand *command) {
  TccText build = {0};
  tcc_cache_key_runtime(&build);
  tcc_cache_key_build(&build);
  tcc_cache_key_machine(&build);
  tcc_text_put(&build, "", 0); /* ends where the text has failed */
  printf("%s %s\n%s", command->name, tcc_runtime_version(), build.data);
  tcc_text_destroy(&build);
}

static _Noreturn void unknown_option(const TccCommand *command, TccStr name) {
  size_t count = command->noptions + command->nmore + 2;
  const char **names = malloc(count * sizeof *names);
  const char *near = NULL;
  if (names) {
    for (size_t i = 0; i < command->noptions; ++i) names[i] = command->options[i].name;
    for (size_t i = 0; i < command->nmore; ++i) names[command->noptions + i] = command->more[i];
    names[count - 2] = "--version";
    names[count - 1] = "--help";
    near = tcc_nearest(name, names, count);
  }
  if (access(name.data, F_OK) == 0)
    tcc_usage_error(command, "unknown option '%s'; the file of this name is './%s'", name.data, name.data);
  if (near) tcc_usage_error(command, "unknown option '%.*s'; did you mean '%s'?", TCC_STR_ARG(name), near);
  tcc_usage_error(command, "unknown option '%.*s'; see %s --help", TCC_STR_ARG(name), command->name);
}

/* An empty value of an option that names something on the disk would be an error of the system that names nothing. */
static void check_named(const TccCommand *command, const TccOption *option, const char *value) {
  static const struct {
    const char *value, *what;
  } named[] = {
      {"FILE", "file"}, {"ARTIFACT", "file"}, {"DIR", "folder"}, {"PATH", "file or folder"}, {"DIR|FILE", "folder or file"}};
  for (size_t i = 0; i < sizeof named / sizeof *named && value && !*value; i++)
    if (strcmp(option->value, named[i].value) == 0)
      tcc_usage_error(command, "%s needs the name of a %s", option->name, named[i].what);
}

TccArg tcc_args_next(TccArgs *args) {
  const TccCommand *command = args->command;
  if (args->position == 0) {
    begin(command);
    args->position = 1;
  }
  if (args->position >= args->argc) return (TccArg){.option = TCC_ARG_END};
  const char *text = args->argv[args->position++];
  if (!args->only_files && strcmp(text, "--") == 0) {
    args->only_files = true;
    return tcc_args_next(args);
  }
  if (!*text) tcc_usage_error(command, "an argument is empty");
  if (args->only_files || text[0] != '-' || text[1] == 0)
    return (TccArg){.option = TCC_ARG_FILE, .name = tcc_str(text), .value = text};
  const char *equals = text[1] == '-' ? strchr(text, '=') : NULL;
  TccArg arg = {.name = {text, equals ? (size_t)(equals - text) : strlen(text)}, .value = equals ? equals + 1 : NULL};
  if (tcc_str_is(arg.name, "--help") || tcc_str_is(arg.name, "-h")) {
    if (!arg.value) print_help(command);
    else if (!tcc_manual_print(command, arg.value))
      tcc_usage_error(command, "option '--help' is man, bash, zsh or fish, not '%s'", arg.value);
    exit(TCC_EXIT_OK);
  }
  if (tcc_str_is(arg.name, "--version")) {
    print_version(command);
    exit(TCC_EXIT_OK);
  }
  for (size_t i = 0; i < command->noptions; ++i) {
    const TccOption *option = &command->options[i];
    if (!tcc_str_is(arg.name, option->name)) continue;
    arg.option = (int)i;
    if (!option->value && arg.value) tcc_usage_error(command, "option '%s' takes no value", option->name);
    if (option->value && option->value[0] != '[' && !arg.value) {
      if (args->position >= args->argc)
        tcc_usage_error(command, "option '%s' needs a value: %s %s", option->name, option->name, option->value);
      arg.value = args->argv[args->position++];
    }
    if (option->value) check_named(command, option, arg.value);
    return arg;
  }
  if (command->accepts && command->accepts(arg.name)) {
    arg.option = TCC_ARG_MORE;
    return arg;
  }
  unknown_option(command, arg.name);
}

int64_t tcc_arg_integer(const TccCommand *command, const TccArg *arg) {
  char *end;
  errno = 0;
  long long value = strtoll(arg->value, &end, 10);
  if (end == arg->value || *end || errno)
    tcc_usage_error(command, "option '%.*s' needs an integer, not '%s'", TCC_STR_ARG(arg->name), arg->value);
  return value;
}

size_t tcc_arg_bytes(const TccCommand *command, const TccArg *arg) {
  static const char units[] = "KMG";
  char *end;
  errno = 0;
  long long value = strtoll(arg->value, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  if (end == arg->value || errno || (unit ? end[1] : end[0]) || value < 1 || value > INT64_MAX >> shift)
    tcc_usage_error(command, "option '%.*s' needs a number of bytes, 1 at least, such as 4096 or 512M, not '%s'",
                    TCC_STR_ARG(arg->name), arg->value);
  return (size_t)value << shift;
}

double tcc_arg_number(const TccCommand *command, const TccArg *arg) {
  char *end;
  double value = strtod(arg->value, &end);
  if (end == arg->value || *end || !isfinite(value) || value < 0)
    tcc_usage_error(command, "option '%.*s' needs a number that is not negative, not '%s'", TCC_STR_ARG(arg->name), arg->value);
  return value;
}

/* NAME=VALUE: the name, from malloc; value borrowed from arg. */
static char *arg_pair(const TccCommand *command, const TccArg *arg, const char **out_value) {
  const char *equals = strchr(arg->value, '=');
  if (!equals || equals == arg->value || !equals[1])
    tcc_usage_error(command, "option '%.*s' needs NAME=VALUE", TCC_STR_ARG(arg->name));
  *out_value = equals + 1;
  return tcc_check_memory(command, strndup(arg->value, (size_t)(equals - arg->value)));
}

char *tcc_arg_size(const TccCommand *command, const TccArg *arg, int64_t *out_size) {
  TccArg number = {.option = arg->option, .name = arg->name};
  char *name = arg_pair(command, arg, &number.value);
  *out_size = tcc_arg_integer(command, &number);
  if (*out_size < 0) tcc_usage_error(command, "%.*s %s: a size is not negative", TCC_STR_ARG(arg->name), name);
  return name;
}

size_t tcc_arg_word(const TccCommand *command, const TccArg *arg, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(arg->value, words[i]) == 0) return i;
  TccText list = {0};
  tcc_text_put_words(&list, words, count, "or");
  tcc_usage_error(command, "option '%.*s' is %s, not '%s'", TCC_STR_ARG(arg->name), list.data, arg->value);
}

bool tcc_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

void tcc_check_output(const TccCommand *command, const char *option, const char *output, const char *input, const char *what) {
  if (output && input && tcc_same_file(output, input)) tcc_usage_error(command, "%s %s is %s itself", option, output, what);
}

int tcc_exit_status(const TccCommand *command, TccStatus *status) {
  if (!status) return TCC_EXIT_OK;
  fprintf(stderr, "%s: error: %s\n", command->name, tcc_status_message(status));
  const bool machine = tcc_status_code(status) == TCC_INCOMPATIBLE;
  tcc_status_destroy(status);
  return machine ? TCC_EXIT_NO_MACHINE : TCC_EXIT_FAILED;
}

bool tcc_option_is_for_models(int option) {
  return option == TCC_OPT_TARGET || option == TCC_OPT_MODE || option == TCC_OPT_NUMERICS || option == TCC_OPT_AUTOCAST ||
         option == TCC_OPT_INDICES || option == TCC_OPT_EFFORT || option == TCC_OPT_NO_DEDUP || option == TCC_OPT_FREEZE ||
         option == TCC_OPT_COMPILE_TIME || option == TCC_OPT_COMPILE_MEMORY;
}

void tcc_take_weights(const TccCommand *command, const TccArg *arg, TccCompileOptions *options) {
  static const char *const endings[] = {".safetensors", ".json"};
  const char *value = arg->value;
  const size_t length = strlen(value);
  struct stat info;
  const int error = stat(value, &info) != 0 ? errno : 0;
  if (!error && S_ISDIR(info.st_mode)) {
    options->weights_dir = value;
    return;
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t n = strlen(endings[i]);
    if (length < n || strcmp(value + length - n, endings[i]) != 0) continue;
    options->weights = value;
    return;
  }
  exit(tcc_exit_status(
      command, error
                   ? TCC_ERROR(TCC_NOT_FOUND, "--weights=%s: %s", value, strerror(error))
                   : TCC_ERROR(TCC_INVALID, "--weights=%s: neither a folder nor a .safetensors file or its index (.json)", value)));
}

unsigned tcc_arg_threads(const TccCommand *command, const TccArg *arg) {
  const int64_t threads = tcc_arg_integer(command, arg);
  if (threads < 1 || threads > TCC_MOST_THREADS)
    tcc_usage_error(command, "%.*s needs a number from 1 to %d", TCC_STR_ARG(arg->name), TCC_MOST_THREADS);
  const unsigned cpus = tcc_cpu_count();
  if (threads <= cpus || getenv("TCC_OVERSUBSCRIBE")) return (unsigned)threads;
  fprintf(stderr, "%s: %.*s=%d: this process may use %u CPU%s, so many threads are taken\n", command->name, TCC_STR_ARG(arg->name),
          (int)threads, cpus, cpus > 1 ? "s" : "");
  return cpus;
}

bool tcc_compile_option(const TccCommand *command, const TccArg *arg, TccCompileOptions *options) {
  switch (arg->option) {
  case TCC_OPT_TARGET: options->target = arg->value; return true;
  case TCC_OPT_MODE: options->mode = (TccMode)tcc_arg_word(command, arg, tcc_mode_words, TCC_MODE_COUNT); return true;
  case TCC_OPT_INDICES:
    options->indices = (TccIndices)tcc_arg_word(command, arg, tcc_indices_words, TCC_INDICES_COUNT);
    return true;
  case TCC_OPT_EFFORT: options->effort = (TccEffort)tcc_arg_word(command, arg, tcc_effort_words, TCC_EFFORT_COUNT); return true;
  case TCC_OPT_NUMERICS:
    options->numerics = (TccNumerics)tcc_arg_word(command, arg, tcc_numerics_words, TCC_NUMERICS_COUNT);
    return true;
  case TCC_OPT_AUTOCAST:
    options->autocast = (TccAutocast)tcc_arg_word(command, arg, tcc_autocast_words, TCC_AUTOCAST_COUNT);
    return true;
  case TCC_OPT_THREADS: options->threads = tcc_arg_threads(command, arg); return true;
  case TCC_OPT_NO_DEDUP: options->no_dedup = true; return true;
  case TCC_OPT_FREEZE: options->freeze = true; return true;
  case TCC_OPT_NO_CACHE: options->no_cache = true; return true;
  case TCC_OPT_COMPILE_TIME:
    options->compile_seconds = tcc_arg_number(command, arg);
    if (!(options->compile_seconds > 0)) tcc_usage_error(command, "--compile-time needs a positive number of seconds");
    return true;
  case TCC_OPT_COMPILE_MEMORY: {
    int64_t megabytes = tcc_arg_integer(command, arg);
    if (megabytes < 1) tcc_usage_error(command, "--compile-memory needs a positive number of MB");
    options->compile_megabytes = (size_t)megabytes;
    return true;
  }
  case TCC_OPT_WEIGHTS: tcc_take_weights(command, arg, options); return true;
  case TCC_OPT_QUIET: options->progress = NULL; return true;
  default: return false;
  }
}

static void push_input(const TccCommand *command, TccCompileOptions *options, const char *name, TccHostTensor *tensor) {
  TccCompileInput *grown = tcc_check_memory(command, realloc((void *)options->inputs, (options->ninputs + 1) * sizeof *grown));
  grown[options->ninputs++] = (TccCompileInput){name, tensor};
  options->inputs = grown;
}

static void push_dim(const TccCommand *command, TccCompileOptions *options, const char *name, int64_t size) {
  TccCompileDim *grown = tcc_check_memory(command, realloc((void *)options->dims, (options->ndims + 1) * sizeof *grown));
  grown[options->ndims++] = (TccCompileDim){name, size};
  options->dims = grown;
}

/* A file that holds a list gives its tensors the names of the ports that they are, and its length as the size of the input's name. */
void tcc_add_input(const TccCommand *command, const TccArg *arg, TccCompileOptions *options) {
  const char *file, *name = arg_pair(command, arg, &file);
  TccHostTensors list = {0};
  TccText item = {0};
  for (size_t i = 0; i < options->ninputs; i++)
    if (strcmp(options->inputs[i].name, name) == 0) tcc_usage_error(command, "--input %s is given twice", name);
  TccStatus *status = tcc_host_tensors_read(file, &list);
  if (status) exit(tcc_exit_status(command, status));
  const bool is_list = list.lengths[0] >= 0;
  for (size_t i = 0; i < list.count; i++) {
    tcc_text_clear(&item);
    tcc_text_printf(&item, "%s[%zu]", name, i);
    char *own = is_list ? tcc_check_memory(command, item.failed ? NULL : strdup(item.data)) : (char *)name;
    push_input(command, options, own, list.tensors[i]);
  }
  if (is_list) push_dim(command, options, name, list.lengths[0]);
  list.count = 0; /* the options have the tensors */
  tcc_host_tensors_clear(&list);
  tcc_text_destroy(&item);
}

void tcc_add_dim(const TccCommand *command, const TccArg *arg, TccCompileOptions *options) {
  int64_t size;
  const char *name = tcc_arg_size(command, arg, &size);
  for (size_t i = 0; i < options->ndims; i++)
    if (strcmp(options->dims[i].name, name) == 0) tcc_usage_error(command, "--dim %s is given twice", name);
  push_dim(command, options, name, size);
}

void tcc_add_tie(const TccCommand *command, const TccArg *arg, TccCompileOptions *options) {
  TccCompileTie tie;
  tie.output = arg_pair(command, arg, &tie.input);
  TccCompileTie *grown = tcc_check_memory(command, realloc((void *)options->ties, (options->nties + 1) * sizeof *grown));
  grown[options->nties++] = tie;
  options->ties = grown;
}

void tcc_compile_options_free(TccCompileOptions *options) {
  for (size_t i = 0; i < options->ninputs; i++) {
    free((char *)options->inputs[i].name);
    tcc_host_tensor_destroy((TccHostTensor *)options->inputs[i].tensor);
  }
  for (size_t i = 0; i < options->ndims; i++) free((char *)options->dims[i].name);
  for (size_t i = 0; i < options->nties; i++) free((char *)options->ties[i].output);
  free((void *)options->inputs);
  free((void *)options->ties);
  free((void *)options->dims);
  options->inputs = NULL, options->dims = NULL, options->ties = NULL;
  options->ninputs = options->ndims = options->nties = 0;
}

void tcc_progress(const char *line, void *unused) {
  static bool shown;
  (void)unused;
  if ((!line && !shown) || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r\033[K%s", line ? line : "");
  fflush(stderr);
  shown = line != NULL;
}
