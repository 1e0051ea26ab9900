/* common_ir.c - input, output and diagnostics of the commands that link the compiler; see common_ir.h. */
#include "tools/common_ir.h"
#include "mlir-c/RegisterEverything.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 16, MAX_DEPTH = 64 /* of nested locations */ };

TccStatus *tcc_read_input(const char *path, TccText *out) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!file) return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", path, strerror(errno));
  static char buffer[READ_BYTES];
  tcc_text_put(out, "", 0);
  errno = 0;
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) tcc_text_put(out, buffer, got);
  int error = ferror(file) ? errno : 0;
  if (file != stdin) fclose(file);
  return error ? TCC_ERROR(TCC_IO, "%s: %s", path, strerror(error)) : NULL;
}

TccStatus *tcc_write_output(const char *path, TccStr bytes) {
  bool to_stdout = !path || strcmp(path, "-") == 0;
  char *temporary = NULL;
  if (!to_stdout && asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
    return TCC_ERROR(TCC_NO_MEMORY, "%s: no memory for its name", path);
  /* A device or a pipe is written as it is: there is nothing to rename. */
  bool in_place = !to_stdout && access(path, F_OK) == 0 && strncmp(path, "/dev/", 5) == 0;
  FILE *file = to_stdout ? stdout : fopen(in_place ? path : temporary, "wb");
  TccStatus *status = NULL;
  if (!file) {
    status = TCC_ERROR(TCC_IO, "%s: %s", path, strerror(errno));
  } else {
    bool bad = fwrite(bytes.data, 1, bytes.length, file) != bytes.length;
    bad |= (to_stdout ? fflush(file) : fclose(file)) != 0;
    if (bad) status = TCC_ERROR(TCC_IO, "%s: %s", to_stdout ? "standard output" : path, strerror(errno));
    if (!to_stdout && !in_place) {
      if (!status && rename(temporary, path) != 0) status = TCC_ERROR(TCC_IO, "%s: %s", path, strerror(errno));
      if (status) unlink(temporary);
    }
  }
  free(temporary);
  return status;
}

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

bool tcc_location_position(MlirLocation location, TccStr *out_name, unsigned *out_line, unsigned *out_column) {
  return find_position(location, 0, out_name, out_line, out_column);
}

void tcc_append(MlirStringRef part, void *text) { tcc_text_put(text, part.data, part.length); }

static void print_diagnostic(MlirDiagnostic diagnostic, const char *name) {
  static const char *const kinds[] = {"error", "warning", "note", "remark"};
  MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
  TccText message = {0};
  mlirDiagnosticPrint(diagnostic, tcc_append, &message);
  TccText where = {0};
  TccStr file;
  unsigned line, column;
  if (tcc_location_position(location, &file, &line, &column)) {
    bool unnamed = file.length == 0 || tcc_str_is(file, "-");
    TccStr shown = unnamed ? tcc_str(name) : file;
    tcc_text_printf(&where, "%.*s:%u:%u: ", TCC_STR_ARG(shown), line, column);
  }
  if (mlirLocationIsAName(location)) { /* importers name the node */
    MlirStringRef label = mlirIdentifierStr(mlirLocationNameGetName(location));
    tcc_text_printf(&where, "%.*s: ", (int)label.length, label.data);
  }
  fprintf(stderr, "%s%s: %s\n", where.data ? where.data : "", kinds[mlirDiagnosticGetSeverity(diagnostic)],
          message.data ? message.data : "");
  tcc_text_destroy(&message);
  tcc_text_destroy(&where);
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i) print_diagnostic(mlirDiagnosticGetNote(diagnostic, i), name);
}

static MlirLogicalResult print_handler(MlirDiagnostic diagnostic, void *name) {
  print_diagnostic(diagnostic, name);
  return mlirLogicalResultSuccess();
}

MlirDiagnosticHandlerID tcc_print_diagnostics(MlirContext context, const char *name) {
  return mlirContextAttachDiagnosticHandler(context, print_handler, (void *)name, NULL);
}

void tcc_register_upstream(MlirContext context) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
}
