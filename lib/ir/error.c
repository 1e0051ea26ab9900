/* error.c - the one way to report an error about the IR, and how diagnostics look on a terminal. */
#include "lib/ir/internal.h"
#include "tcc/diagnostics.h"
#include <stdio.h>

static MlirLogicalResult emit(MlirLocation location, const char *format, va_list args) {
  TccText text = {0};
  tcc_text_vprintf(&text, format, args);
  mlirEmitError(location, text.data);
  tcc_text_destroy(&text);
  return mlirLogicalResultFailure();
}

MlirLogicalResult tcc_error(MlirOperation op, const char *format, ...) {
  va_list args;
  va_start(args, format);
  MlirLogicalResult result = emit(mlirOperationGetLocation(op), format, args);
  va_end(args);
  return result;
}

MlirLogicalResult tcc_error_at(MlirLocation location, const char *format, ...) {
  va_list args;
  va_start(args, format);
  MlirLogicalResult result = emit(location, format, args);
  va_end(args);
  return result;
}

static MlirLogicalResult limit_error(TccIr *ir, MlirOperation op) {
  char text[96];
  TccStr name = tcc_from_ref(mlirIdentifierStr(mlirOperationGetName(op)));
  return tcc_error(op, "at '%.*s': %s", TCC_STR_ARG(name), tcc_limit_text(&ir->limit, text));
}

MlirLogicalResult tcc_limit_check(TccIr *ir, MlirOperation next) {
  if (ir->limit.reached) return mlirLogicalResultFailure();
  return tcc_limit_reached(&ir->limit) ? limit_error(ir, next) : mlirLogicalResultSuccess();
}

MlirLogicalResult tcc_limit_check_bytes(TccIr *ir, MlirOperation op, size_t bytes) {
  if (ir->limit.reached) return mlirLogicalResultFailure();
  return tcc_limit_fits(&ir->limit, bytes) ? mlirLogicalResultSuccess() : limit_error(ir, op);
}

MlirLogicalResult tcc_status_emit(TccStatus *status, MlirLocation location) {
  if (!status) return mlirLogicalResultSuccess();
  mlirEmitError(location, tcc_status_message(status));
  tcc_status_destroy(status);
  return mlirLogicalResultFailure();
}

/* ---- printing ---- */
#define UNKNOWN "<unknown>"

/* "file:line:col", "file: node \"name\"" or "<unknown>". */
static void put_location(MlirLocation location, TccText *out) {
  if (mlirLocationIsAName(location)) {
    TccStr name = tcc_from_ref(mlirIdentifierStr(mlirLocationNameGetName(location)));
    MlirLocation child = mlirLocationNameGetChildLoc(location);
    if (mlirLocationIsAFileLineColRange(child)) {
      put_location(child, out);
      tcc_text_printf(out, ": ");
    }
    tcc_text_printf(out, "node \"%.*s\"", TCC_STR_ARG(name));
  } else if (mlirLocationIsAFileLineColRange(location)) {
    TccStr file = tcc_from_ref(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location)));
    int line = mlirLocationFileLineColRangeGetStartLine(location);
    tcc_text_printf(out, "%.*s", TCC_STR_ARG(file));
    if (line > 0) tcc_text_printf(out, ":%d:%d", line, mlirLocationFileLineColRangeGetStartColumn(location));
  } else if (mlirLocationIsACallSite(location)) {
    put_location(mlirLocationCallSiteGetCallee(location), out);
  } else if (mlirLocationIsAFused(location) && mlirLocationFusedGetNumLocations(location) > 0) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    TccArena *arena = tcc_arena_create();
    MlirLocation *locations = TCC_NEW_ARRAY(arena, MlirLocation, count);
    mlirLocationFusedGetLocations(location, locations);
    put_location(locations[0], out);
    tcc_arena_destroy(arena);
  } else {
    tcc_text_printf(out, UNKNOWN);
  }
}

/* An error at no place is its message alone, as that of a status, or (is_line) behind "error: ". */
static void put_diagnostic(MlirDiagnostic diagnostic, bool is_line, TccText *out) {
  static const char *const severities[] = {"error", "warning", "note", "remark"};
  const MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  TccText place = {0};
  put_location(mlirDiagnosticGetLocation(diagnostic), &place);
  const bool known = place.length && !tcc_str_is(tcc_text_str(&place), UNKNOWN);
  if (known) tcc_text_printf(out, "%s: ", place.data);
  if (known || is_line || severity != MlirDiagnosticError) tcc_text_printf(out, "%s: ", severities[severity]);
  tcc_text_destroy(&place);
  mlirDiagnosticPrint(diagnostic, tcc_append, out);
  tcc_text_printf(out, "\n");
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); i++)
    put_diagnostic(mlirDiagnosticGetNote(diagnostic, i), true, out);
}

void tcc_diagnostic_text(MlirDiagnostic diagnostic, TccText *out) { put_diagnostic(diagnostic, false, out); }

static MlirLogicalResult print_to_stderr(MlirDiagnostic diagnostic, void *errors) {
  TccText text = {0};
  put_diagnostic(diagnostic, true, &text);
  fwrite(text.data, 1, text.length, stderr);
  tcc_text_destroy(&text);
  if (errors && mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) ++*(size_t *)errors;
  return mlirLogicalResultSuccess();
}

uint64_t tcc_diagnostics_to_stderr(MlirContext context, size_t *errors) {
  return mlirContextAttachDiagnosticHandler(context, print_to_stderr, errors, NULL);
}
