/* status.h - the error currency of the byte world (readers, run-time, files): no MLIR here.
 *
 * NULL is success and costs nothing. An error owns its message; whoever handles it destroys it. Context is added on the
 * way up with tcc_status_context(). Functions that can fail return TccStatus * and deliver results through out_
 * parameters, which come last and are set to NULL/0 on entry. In the IR world MlirLogicalResult is used instead; see
 * tcc_status_emit() in ir.h for the one border. */
#ifndef TCC_STATUS_H
#define TCC_STATUS_H
#include <stddef.h>

#define TCC_EXPORT __attribute__((visibility("default")))
#define TCC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TCC_CHECKED __attribute__((warn_unused_result))
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TCC_OK = 0,
  TCC_INVALID,      /* the input breaks its format or the caller's contract: retrying with the same bytes fails again */
  TCC_UNSUPPORTED,  /* the input is well formed and asks for something that tcc does not do */
  TCC_NOT_FOUND,    /* a named file, weight, symbol or input does not exist */
  TCC_IO,           /* the operating system refused or lost bytes */
  TCC_NO_MEMORY,    /* an allocation failed or a size exceeds a limit */
  TCC_INCOMPATIBLE, /* artifact and machine or version do not fit */
  TCC_MISMATCH,     /* results, or files, differ from what they were compared with */
  TCC_INTERNAL,     /* tcc itself is wrong */
} TccCode;

typedef struct TccStatus TccStatus;

/* Makes an error. file/line say where in tcc's source it arose. Returns a static out-of-memory status if it cannot. */
TCC_EXPORT TccStatus *tcc_status_make(TccCode code, const char *file, int line, const char *format, ...)
    TCC_PRINTF(4, 5) TCC_CHECKED;
/* Prefixes the message: "<context>: <message>". Consumes and returns status; NULL stays NULL. */
TCC_EXPORT TccStatus *tcc_status_context(TccStatus *status, const char *format, ...) TCC_PRINTF(2, 3) TCC_CHECKED;
/* All take NULL as success. Texts are borrowed from the status. */
TCC_EXPORT TccCode tcc_status_code(const TccStatus *status);
TCC_EXPORT const char *tcc_status_message(const TccStatus *status); /* for a person: what, and where; no newline at its end */
TCC_EXPORT const char *tcc_status_file(const TccStatus *status);
TCC_EXPORT int tcc_status_line(const TccStatus *status);
TCC_EXPORT const char *tcc_code_name(TccCode code); /* "not found"; static */
TCC_EXPORT void tcc_status_destroy(TccStatus *status);
#ifdef __cplusplus
}
#endif

#define TCC_ERROR(code, ...) tcc_status_make((code), __FILE__, __LINE__, __VA_ARGS__)
#define TCC_TRY(expression)                                                                                                        \
  do {                                                                                                                             \
    TccStatus *tcc_try_status = (expression);                                                                                      \
    if (tcc_try_status) return tcc_try_status;                                                                                     \
  } while (0)
/* For functions with several resources: needs `TccStatus *status` and a label `done`. */
#define TCC_GOTO(expression)                                                                                                       \
  do {                                                                                                                             \
    status = (expression);                                                                                                         \
    if (status) goto done;                                                                                                         \
  } while (0)
#endif
