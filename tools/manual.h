/* manual.h - the option table of a command in other forms than --help: a man page, completions of shells. */
#ifndef TCC_TOOLS_MANUAL_H
#define TCC_TOOLS_MANUAL_H
#include "tools/common.h"

/* What all commands have besides their tables, in the tables' form. */
extern const TccOption tcc_common_options[2];
#define TCC_EXIT_STATUS_TEXT "0 ok, 1 a diagnosed failure, 2 wrong usage, 77 the machine lacks what is needed"

/* "A model is a file whose name ends in .onnx, .mlir or .mlirbc.": by the table of kinds. */
void tcc_models_text(TccText *out);
/* Prints the form "man", "bash", "zsh" or "fish" to standard output; false if there is no such form. */
bool tcc_manual_print(const TccCommand *command, const char *form);
#endif
