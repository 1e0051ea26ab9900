/* view_emit.h - addresses in views (lib/codegen/read/view.h). */
#ifndef TCC_CODEGEN_VIEW_EMIT_H
#define TCC_CODEGEN_VIEW_EMIT_H
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/read/view.h"

TccVal tcc_view_pointer(TccKernelEmit *k, const TccView *view); /* first element */
/* Element offset of linear `index` of the span in tensor t. */
TccVal tcc_span_offset(TccKernelEmit *k, const TccSpan *span, int t, TccVal index);
#endif
