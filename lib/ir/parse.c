/* parse.c - modules from text: MLIR's parser, and the one error that it does not report. */
#include "tcc/diagnostics.h"
#include "tcc/file.h"
#include <string.h>

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

/* An op of IRDL has no form but the generic one; the parser of another fails without a word. */
static void explain_failure(MlirContext context, TccStr text, const char *name) {
  size_t at = custom_form(text), line = 1, begin = 0, length = 0;
  if (at == text.length) {
    tcc_error_at(mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(name), 0, 0), "does not parse");
    return;
  }
  for (size_t i = 0; i < at; i++)
    if (text.data[i] == '\n') line++, begin = i + 1;
  while (at + length < text.length && in_name(text.data[at + length])) length++;
  tcc_error_at(
      mlirLocationFileLineColGet(context, mlirStringRefCreateFromCString(name), (unsigned)line, (unsigned)(at - begin + 1)),
      "'%.*s' has the generic form alone: \"%.*s\"(operands) {attributes} : (types) -> types", (int)length, text.data + at,
      (int)length, text.data + at);
}

MlirModule tcc_parse_module(MlirContext context, TccStr text, const char *file) {
  size_t errors = 0;
  uint64_t handler = mlirContextAttachDiagnosticHandler(context, count_error, &errors, NULL);
  MlirModule module = text.data ? mlirModuleCreateParse(context, mlirStringRefCreate(text.data, text.length))
                                : mlirModuleCreateParseFromFile(context, mlirStringRefCreateFromCString(file));
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
