/* parse.c - modules from text and bytecode: MLIR's readers, and the errors that they do not report. */
#include "tcc/diagnostics.h"
#include "tcc/file.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a module of bytecode may take to be read, seconds of CPU; a broken one may take for ever. */
enum { BYTECODE_SECONDS = 10, BYTECODE_BYTES_PER_SECOND = 1 << 20 };
/* Levels of brackets in a text. Modules have some tens; the parser's stack ends between 2,000 and 10,000. */
enum { MOST_NESTED = 1000 };
/* Results of an operation. A step of training a model of 10,000 weights has some tens of thousands. */
enum { MOST_RESULTS = 1 << 20 };

static MlirModule parse(MlirContext context, TccStr text, const char *file) {
  return text.data ? mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length))
                   : mlirModuleCreateParseFromFile(context, mlirStringRefCreateFromCString(file));
}

static MlirLogicalResult count_error(MlirDiagnostic diagnostic, void *errors) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) ++*(size_t *)errors;
  return mlirLogicalResultFailure(); /* the next handler prints it */
}

static bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$'; }

/* Offset of the first tcc.NAME outside of strings and comments; the text's length if there is none. */
static size_t custom_form(TccStr text) {
  bool string = false;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '"') string = !string;
    else if (string && c == '\\') i++;
    else if (!string && c == '/' && i + 1 < text.length && text.data[i + 1] == '/')
      while (i + 1 < text.length && text.data[i + 1] != '\n') i++;
    else if (!string && in_name(c)) {
      size_t from = i;
      while (i + 1 < text.length && in_name(text.data[i + 1])) i++;
      bool symbol = from > 0 && strchr("%@#!^", text.data[from - 1]);
      if (!symbol && i - from >= 4 && !strncmp(text.data + from, "tcc.", 4)) return from;
    }
  }
  return text.length;
}

static MlirLocation location_at(MlirContext context, TccStr text, size_t at, const char *file) {
  unsigned line = 1, column = 1;
  for (size_t i = 0; i < at; i++) {
    column++;
    if (text.data[i] == '\n') line++, column = 1;
  }
  return mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(file), line, column);
}

/* An op of IRDL has no form but the generic one; the parser of another fails without a word. */
static void explain_failure(MlirContext context, TccStr text, const char *name) {
  size_t at = custom_form(text), length = 0;
  if (at == text.length) {
    tcc_error_at(mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(name), 0, 0), "does not parse");
    return;
  }
  while (at + length < text.length && in_name(text.data[at + length])) length++;
  tcc_error_at(location_at(context, text, at, name),
               "'%.*s' has the generic form alone: \"%.*s\"(operands) {attributes} : (types) -> types", (int)length, text.data + at,
               (int)length, text.data + at);
}

MlirModule tcc_parse_module(MlirContext context, TccStr text, const char *file) {
  size_t errors = 0;
  uint64_t handler = mlirContextAttachDiagnosticHandler(context, count_error, &errors, NULL);
  MlirModule module = parse(context, text, file);
  mlirContextDetachDiagnosticHandler(context, handler);
  if (!mlirModuleIsNull(module) || errors) return module;
  TccFileMap map = {0};
  if (!text.data) {
    tcc_status_destroy(tcc_file_map(file, &map)); /* without a text the error has no line */
    text = (TccStr){map.data, map.length};
  }
  explain_failure(context, text, file ? file : "standard input");
  tcc_file_unmap(&map);
  return module;
}

/* ---- modules of anybody ---- */
/* Offset of the character at which brackets, and signs in a row, are nested deeper than `most`; the text's length if there is none. '<' counts where
 * it is no part of "<=" and '>' where it ends no arrow or ">=". */
static size_t too_deep(TccStr text, size_t most) {
  size_t depth = 0, signs = 0;
  for (size_t i = 0; i < text.length; i++) {
    const char c = text.data[i], next = i + 1 < text.length ? text.data[i + 1] : 0;
    if (c == '"') {
      for (i++; i < text.length && text.data[i] != '"'; i++) i += text.data[i] == '\\';
    } else if (c == '/' && next == '/') {
      while (i + 1 < text.length && text.data[i + 1] != '\n') i++;
    } else if (c == '(' || c == '[' || c == '{' || (c == '<' && next != '=')) {
      depth++;
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && next != '=' && (i == 0 || text.data[i - 1] != '-'))) {
      depth -= depth > 0;
    }
    signs = c == '-' ? signs + 1 : c == ' ' ? signs : 0;
    if (depth + signs > most) return i;
  }
  return text.length;
}

/* Offset behind a string or a comment that begins at i; i where there is none. */
static size_t behind_text(TccStr text, size_t i) {
  if (text.data[i] == '"') {
    for (i++; i < text.length && text.data[i] != '"'; i++) i += text.data[i] == '\\';
  } else if (text.data[i] == '/' && i + 1 < text.length && text.data[i + 1] == '/') {
    while (i < text.length && text.data[i] != '\n') i++;
  }
  return i;
}

static bool in_value_name(char c) { return in_name(c) || (c >= 'A' && c <= 'Z') || c == '-'; }

/* Offset of a result's number, as in %0#1, that is above `most`; the text's length if there is none. */
static size_t too_far(TccStr text, size_t most) {
  for (size_t i = 0; i < text.length; i++) {
    i = behind_text(text, i);
    if (i >= text.length || text.data[i] != '%') continue;
    while (i + 1 < text.length && in_value_name(text.data[i + 1])) i++;
    if (i + 1 >= text.length || text.data[i + 1] != '#') continue;
    const size_t at = i + 2;
    size_t number = 0;
    for (i = at; i < text.length && text.data[i] >= '0' && text.data[i] <= '9' && number <= most; i++)
      number = 10 * number + (size_t)(text.data[i] - '0');
    if (number > most) return at;
    i--;
  }
  return text.length;
}

/* MLIR's parser of text calls itself for each level, and takes memory for all results up to the one that is named. */
static bool is_bounded(MlirContext context, TccStr text, const char *file) {
  const size_t deep = too_deep(text, MOST_NESTED), far = too_far(text, MOST_RESULTS);
  if (deep < text.length) tcc_error_at(location_at(context, text, deep, file), "nested deeper than %d levels", MOST_NESTED);
  else if (far < text.length)
    tcc_error_at(location_at(context, text, far, file), "an operation of more than %d results", MOST_RESULTS);
  return deep == text.length && far == text.length;
}

static MlirLogicalResult say_nothing(MlirDiagnostic diagnostic, void *data) {
  (void)diagnostic, (void)data;
  return mlirLogicalResultSuccess();
}

/* In a child process. Whether the module is valid is of no interest here: the parent reads it again. */
static _Noreturn void try_to_read(MlirContext context, TccStr text, const char *file, size_t bytes) {
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL); /* a crash ends the child and says nothing */
  const rlim_t seconds = BYTECODE_SECONDS + bytes / BYTECODE_BYTES_PER_SECOND;
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  close(STDOUT_FILENO), close(STDERR_FILENO);
  mlirContextAttachDiagnosticHandler(context, say_nothing, NULL, NULL);
  parse(context, text, file);
  _exit(0);
}

static const char *how_reading_ended(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? NULL : "gave up";
  const int number = WTERMSIG(status);
  return number == SIGXCPU || number == SIGKILL ? "does not come to an end" : strsignal(number);
}

/* MLIR's reader of bytecode crashes on some broken files and does not end on others. */
static bool is_readable(MlirContext context, TccStr text, const char *file, size_t bytes) {
  const MlirLocation location = mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(file), 0, 0);
  const pid_t child = fork();
  if (child == 0) try_to_read(context, text, file, bytes);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (child < 0) tcc_error_at(location, "no process for reading bytecode: %s", strerror(errno));
  const char *how = child < 0 ? NULL : how_reading_ended(status);
  if (how) tcc_error_at(location, "broken bytecode: MLIR's reader of it: %s", how);
  return child > 0 && !how;
}

MlirModule tcc_parse_foreign_module(MlirContext context, TccStr text, const char *file) {
  TccFileMap map = {0};
  if (!text.data) tcc_status_destroy(tcc_file_map(file, &map)); /* MLIR says that there is no such file */
  const TccStr bytes = text.data ? text : (TccStr){map.data, map.length};
  const char *kind = bytes.data ? tcc_file_kind(bytes.data, bytes.length) : NULL, *name = file ? file : "standard input";
  bool is_sound = true;
  if (kind && strcmp(kind, TCC_FILE_BYTECODE) == 0) is_sound = is_readable(context, text, name, bytes.length);
  else if (bytes.data) is_sound = is_bounded(context, bytes, name);
  tcc_file_unmap(&map);
  return is_sound ? tcc_parse_module(context, text, file) : (MlirModule){NULL};
}
