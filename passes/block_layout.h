/* block_layout.h - what the files of tcc-block-layout share. */
#ifndef TCC_PASSES_BLOCK_LAYOUT_H
#define TCC_PASSES_BLOCK_LAYOUT_H
#include "tcc/codegen.h"
#include "tcc/pass.h"

/* block_layout_lines.c: convolutions along one axis become those of images with one row, narrow ones wide, where they can be
 * blocked then. *changed: whether there were any. False after an error. */
bool tcc_block_layout_lines(TccPassRun *run, const TccInit *init, int64_t lanes, MlirBlock block, bool *changed);
#endif
