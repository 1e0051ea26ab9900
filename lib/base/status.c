/* status.c - error objects; see include/tcc/status.h. */
#include "tcc/status.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct TccStatus {
  TccCode code;
  int line;
  const char *file; /* string literal */
  char *message;
};

static TccStatus out_of_memory = {TCC_NO_MEMORY, 0, "status.c", (char *)"out of memory"};

TccStatus *tcc_status_make(TccCode code, const char *file, int line, const char *format, ...) {
  TccStatus *status = malloc(sizeof *status);
  if (!status) return &out_of_memory;
  va_list args;
  va_start(args, format);
  int written = vasprintf(&status->message, format, args);
  va_end(args);
  if (written < 0) {
    free(status);
    return &out_of_memory;
  }
  status->code = code;
  status->file = file;
  status->line = line;
  return status;
}

TccStatus *tcc_status_context(TccStatus *status, const char *format, ...) {
  if (!status || status == &out_of_memory) return status;
  char *context = NULL, *joined = NULL;
  va_list args;
  va_start(args, format);
  int written = vasprintf(&context, format, args);
  va_end(args);
  if (written < 0) return status;
  if (asprintf(&joined, "%s: %s", context, status->message) >= 0) {
    free(status->message);
    status->message = joined;
  }
  free(context);
  return status;
}

TccCode tcc_status_code(const TccStatus *status) { return status ? status->code : TCC_OK; }
const char *tcc_status_message(const TccStatus *status) { return status ? status->message : "ok"; }
const char *tcc_status_file(const TccStatus *status) { return status ? status->file : ""; }
int tcc_status_line(const TccStatus *status) { return status ? status->line : 0; }

const char *tcc_code_name(TccCode code) {
  static const char *const names[] = {"ok",        "invalid",      "unsupported", "not found", "io",
                                      "no memory", "incompatible", "mismatch",    "internal"};
  return code <= TCC_INTERNAL ? names[code] : "unknown";
}

void tcc_status_destroy(TccStatus *status) {
  if (!status || status == &out_of_memory) return;
  free(status->message);
  free(status);
}
