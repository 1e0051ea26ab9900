/* common_expected.c - --verify-diagnostics: diagnostics against comments.
 *
 *   // expected-error {{text}}          a diagnostic of that kind on this line whose message contains the text
 *   // expected-error@+2 {{text}}       ... two lines further; @-1, @above, @below; @unknown: at a place outside of the file
 *
 * kinds: error warning remark note. Several may stand in one comment. The syntax is that of mlir-opt, so that tests read
 * alike; expected-error-re, whose text holds regular expressions, is not taken. A note counts as a diagnostic of its own;
 * unlike in mlir-opt, notes that no comment asks for are let pass. */
#include "tools/common_expected.h"
#include "tools/common_ir.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  enum MlirDiagnosticSeverity kind;
  unsigned line; /* expected on; 0: at an unknown place */
  unsigned written_at;
  TccStr text;
  bool seen;
} Expectation;

struct TccExpected {
  TccArena *arena;
  MlirContext context;
  MlirDiagnosticHandlerID handler;
  const char *name;
  TCC_VEC(Expectation) list;
  bool failed;
};

enum { MAX_DEPTH = 64 }; /* of nested locations */

static const char *const kinds[] = {[MlirDiagnosticError] = "error",
                                    [MlirDiagnosticWarning] = "warning",
                                    [MlirDiagnosticNote] = "note",
                                    [MlirDiagnosticRemark] = "remark"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool skip(TccStr *at, const char *text) {
  if (!tcc_str_starts(*at, text)) return false;
  at->data += strlen(text);
  at->length -= strlen(text);
  return true;
}

static unsigned long skip_number(TccStr *at) {
  unsigned long value = 0;
  for (; at->length && at->data[0] >= '0' && at->data[0] <= '9'; ++at->data, --at->length)
    value = value < 100000000 ? value * 10 + (unsigned long)(at->data[0] - '0') : value;
  return value;
}

/* at stands behind "expected-". False if no expectation can be read from there. */
static bool read_expectation(TccStr *at, unsigned line, Expectation *out) {
  *out = (Expectation){.line = line, .written_at = line};
  int kind = 0;
  while (kind < KINDS && !skip(at, kinds[kind])) ++kind;
  if (kind == KINDS) return false;
  out->kind = (enum MlirDiagnosticSeverity)kind;
  while (skip(at, " ")) {}
  if (skip(at, "@unknown")) out->line = 0;
  else if (skip(at, "@above")) out->line = line - 1;
  else if (skip(at, "@below")) out->line = line + 1;
  else if (skip(at, "@+")) out->line = line + (unsigned)skip_number(at);
  else if (skip(at, "@-")) {
    unsigned long lines = skip_number(at);
    if (lines >= line) return false;
    out->line = line - (unsigned)lines;
  }
  while (skip(at, " ")) {}
  if (!skip(at, "{{")) return false;
  const char *end = memmem(at->data, at->length, "}}", 2);
  if (!end || memchr(at->data, '\n', (size_t)(end - at->data))) return false;
  out->text = (TccStr){at->data, (size_t)(end - at->data)};
  at->length -= (size_t)(end + 2 - at->data);
  at->data = end + 2;
  return true;
}

static void read_expectations(TccExpected *expected, TccStr text) {
  unsigned line = 1;
  const char *counted = text.data;
  for (TccStr at = text; at.length;) {
    const char *found = memmem(at.data, at.length, "expected-", 9);
    if (!found) return;
    for (; counted < found; ++counted) line += *counted == '\n';
    at.length -= (size_t)(found + 9 - at.data);
    at.data = found + 9;
    Expectation one;
    if (read_expectation(&at, line, &one)) {
      TCC_VEC_PUSH(expected->arena, &expected->list, one);
    } else {
      fprintf(stderr, "%s:%u: error: this expectation is not understood\n", expected->name, line);
      expected->failed = true;
    }
  }
}

/* The first file position in a location. Nesting is bounded by what a parser accepts; deeper is no position. */
static bool find_position(MlirLocation location, int depth, TccStr *out_name, unsigned *out_line, unsigned *out_column) {
  if (depth > MAX_DEPTH) return false;
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    *out_name = (TccStr){name.data, name.length};
    *out_line = (unsigned)mlirLocationFileLineColRangeGetStartLine(location);
    *out_column = (unsigned)mlirLocationFileLineColRangeGetStartColumn(location);
    return true;
  }
  if (mlirLocationIsAName(location))
    return find_position(mlirLocationNameGetChildLoc(location), depth + 1, out_name, out_line, out_column);
  if (mlirLocationIsACallSite(location))
    return find_position(mlirLocationCallSiteGetCallee(location), depth + 1, out_name, out_line, out_column);
  if (mlirLocationIsAFused(location)) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    MlirLocation *parts = calloc(count ? count : 1, sizeof *parts);
    bool found = false;
    if (parts) mlirLocationFusedGetLocations(location, parts);
    for (unsigned i = 0; parts && i < count && !found; ++i)
      found = find_position(parts[i], depth + 1, out_name, out_line, out_column);
    free(parts);
    return found;
  }
  return false;
}

static void check(TccExpected *expected, MlirDiagnostic diagnostic) {
  TccText message = {0};
  tcc_text_put(&message, "", 0);
  mlirDiagnosticPrint(diagnostic, tcc_append, &message);
  TccStr name;
  unsigned line = 0, column = 0;
  enum MlirDiagnosticSeverity kind = mlirDiagnosticGetSeverity(diagnostic);
  bool placed = find_position(mlirDiagnosticGetLocation(diagnostic), 0, &name, &line, &column);
  if (placed && name.length && !tcc_str_is(name, "-") && !tcc_str_is(name, expected->name)) line = 0; /* of another file */
  Expectation *match = NULL;
  for (size_t i = 0; i < expected->list.count && !match; ++i) {
    Expectation *one = &expected->list.data[i];
    if (!one->seen && one->kind == kind && one->line == line &&
        (one->text.length == 0 || memmem(message.data, message.length, one->text.data, one->text.length)))
      match = one;
  }
  if (match) {
    match->seen = true;
  } else if (kind != MlirDiagnosticNote) {
    expected->failed = true;
    fprintf(stderr, "%s:%u:%u: error: unexpected %s: %s\n", expected->name, line, column, kinds[kind], message.data);
  }
  tcc_text_destroy(&message);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i) check(expected, mlirDiagnosticGetNote(diagnostic, i));
}

static MlirLogicalResult handle(MlirDiagnostic diagnostic, void *expected) {
  check(expected, diagnostic);
  return mlirLogicalResultSuccess();
}

TccExpected *tcc_expected_create(MlirContext context, const char *name, TccStr text) {
  TccArena *arena = tcc_arena_create();
  TccExpected *expected = TCC_NEW(arena, TccExpected);
  expected->arena = arena;
  expected->context = context;
  expected->name = name;
  read_expectations(expected, text);
  expected->handler = mlirContextAttachDiagnosticHandler(context, handle, expected, NULL);
  return expected;
}

bool tcc_expected_finish(TccExpected *expected) {
  mlirContextDetachDiagnosticHandler(expected->context, expected->handler);
  for (size_t i = 0; i < expected->list.count; ++i) {
    const Expectation *one = &expected->list.data[i];
    if (one->seen) continue;
    expected->failed = true;
    fprintf(stderr, "%s:%u: error: expected %s \"%.*s\" was not produced\n", expected->name, one->written_at, kinds[one->kind],
            TCC_STR_ARG(one->text));
  }
  bool ok = !expected->failed;
  tcc_arena_destroy(expected->arena);
  return ok;
}
