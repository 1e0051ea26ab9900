/* common_ir.h - reading and writing IR, for the commands that link the compiler. */
#ifndef TCC_TOOLS_COMMON_IR_H
#define TCC_TOOLS_COMMON_IR_H
#include "tcc/ir.h"

/* Reads a module: a whole file, a pipe too, or standard input for "-". out is NUL-terminated (not counted). TCC_INVALID if there is nothing
 * in it, or what can be no module: what it is and which command takes it. */
TccStatus *tcc_read_input(const char *path, TccText *out) TCC_CHECKED;
/* Writes to path, or to standard output for NULL and "-". A file appears whole or not at all. */
TccStatus *tcc_write_output(const char *path, TccStr bytes) TCC_CHECKED;
/* Lets the context parse and lower all upstream dialects (they load on first use). */
void tcc_register_upstream(MlirContext context);
#endif
