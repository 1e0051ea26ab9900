/* lower_qdq.h - what the files of tcc-lower-qdq share. */
#ifndef TCC_PASSES_LOWER_QDQ_H
#define TCC_PASSES_LOWER_QDQ_H
#include "tcc/ir.h"
#include "tcc/pass.h"

/* lower_qdq_conv.c: convolutions of dequantised bytes become convolutions of bytes, where the target takes them. Whether
 * anything was changed; what nobody reads any more stays. */
bool tcc_lower_qdq_convolutions(TccPassRun *run, MlirBlock block);
#endif
