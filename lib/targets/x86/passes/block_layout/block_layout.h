/* block_layout.h - what the files of tcc-block-layout share. Builders give a null value after an error, of which a diagnostic
 * has been emitted; handlers of ops then false. */
#ifndef TCC_PASSES_BLOCK_LAYOUT_H
#define TCC_PASSES_BLOCK_LAYOUT_H
#include "lib/targets/x86/conv/conv_plan.h"
#include "lib/targets/x86/passes/passes.h"
#include "tcc/codegen.h"

typedef struct TccLayoutFunction TccLayoutFunction; /* block_layout_calls.c */
typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccInit *init;
  int64_t lanes;
  bool direct; /* numerics: convolutions do as they are written */
  TccConvShape machine;
  TccMap *blocked;             /* plain value -> its blocked form */
  TccMap *last;                /* plain value -> its form with channels last */
  TccMap *functions;           /* name -> TccLayoutFunction */
  TccLayoutFunction *function; /* that is laid out */
} TccLayout;

typedef struct {
  MlirValue value;
  int64_t channels;
  bool first;     /* one of the two is made of the other already */
  MlirValue last; /* null, or the same with channels last: that is stored, and readers have views of it (tcc_layout_blocks_of) */
} TccBlocked;

/* ---- block_layout.c ---- */
TccStr tcc_layout_key(const MlirValue *value);
TccBlocked *tcc_layout_blocked(TccLayout *l, MlirValue value); /* NULL: it is not blocked */
/* What a reader in front of which b stands is to read: x's blocks. */
MlirValue tcc_layout_blocks_of(TccLayout *l, TccBuilder *b, const TccBlocked *x);
void tcc_layout_set_blocked(TccLayout *l, MlirValue plain, MlirValue blocked, int64_t channels);
const TccExpr *tcc_layout_number(TccLayout *l, int64_t n);
int64_t tcc_layout_blocks(const TccLayout *l, int64_t channels);
bool tcc_layout_static_dim(TccLayout *l, MlirType type, int axis, int64_t *out);
MlirValue tcc_layout_pad_axes(TccLayout *l, TccBuilder *b, MlirValue x, const int64_t *before, const int64_t *behind);
MlirValue tcc_layout_pad_axis(TccLayout *l, TccBuilder *b, MlirValue x, int axis, int64_t size);
MlirValue tcc_layout_to_blocks(TccLayout *l, TccBuilder *b, MlirValue x, int64_t channels);
MlirValue tcc_layout_rebuild(TccBuilder *b, MlirOperation op, TccOpKind kind, const MlirValue *operands, size_t n,
                             const TccNamedAttr *changed, size_t nchanged, const MlirType *declared);
MlirValue tcc_layout_with_type(TccBuilder *b, MlirValue v, MlirType type);
MlirValue tcc_layout_to_plain(TccLayout *l, TccBuilder *b, const TccBlocked *x);
/* The rewrites of a function's block that come first; the walk over it. */
bool tcc_layout_prepare(TccLayout *l, MlirBlock block);
bool tcc_layout_block(TccLayout *l, MlirBlock block);

/* ---- block_layout_filter_grad.c ---- */
bool tcc_layout_filter_grad(TccLayout *l, MlirOperation op);

/* ---- block_layout_calls.c ---- */
bool tcc_layout_module(TccLayout *l, MlirOperation module);
bool tcc_layout_call(TccLayout *l, MlirOperation op);   /* an op that is a call, perhaps */
void tcc_layout_return(TccLayout *l, MlirOperation op); /* likewise */

/* ---- block_layout_conv.c ---- */
bool tcc_layout_convolution(TccLayout *l, MlirOperation op);
MlirValue tcc_layout_reshape(TccLayout *l, TccBuilder *b, MlirValue x, int rank, const int64_t *dims);
/* Size of an axis of an image: as it is, or where it is known at run time only as it is likely to be, and s->dynamic. False: there is none. */
bool tcc_layout_image_size(TccLayout *l, MlirType type, int axis, TccConvShape *s, int64_t *out);
/* w [M, C, KH, KW] -> [panels, blocks, KH, KW, lanes of x, V * L], or [blocks, KH, KW, L], or of words [.., L / W, V * L, W]; of
 * bf16 with one channel a group in f32. */
MlirValue tcc_layout_pack_weights(TccLayout *l, TccBuilder *b, const TccConvShape *s, MlirValue w);
/* x in blocks, from now on known as such; the bias as long as whole blocks. */
bool tcc_layout_blocked_operand(TccLayout *l, TccBuilder *b, MlirValue x, int64_t channels, MlirValue *out);
bool tcc_layout_blocked_bias(TccLayout *l, TccBuilder *b, MlirValue bias, int64_t channels, MlirValue *out);
/* The op of a shape, on x, packed weights and bias in blocks; more: up to four attributes of phases. */
MlirValue tcc_layout_conv_blocked(TccLayout *l, TccBuilder *b, const TccConvShape *s, const MlirValue operands[3],
                                  const TccNamedAttr *more, size_t nmore);

/* ---- block_layout_transposed.c ---- */
bool tcc_layout_transposed_convolution(TccLayout *l, MlirOperation op);
/* Whether weights of phases stay, or are worth packing in each call (block_layout_conv.c). */
bool tcc_layout_packs_phases(TccLayout *l, MlirValue x, MlirValue w, MlirValue bias);

/* One axis of a transposed convolution: with `front` zeros in front of the window stride divides the padding, so that tap
 * j * stride + a belongs to phase a and all phases see the same `taps` input rows. */
typedef struct {
  int64_t stride, front, taps, low, high;
  int64_t shift; /* windows of phases from this one on lie a pixel further on; 0: none */
  const TccExpr *out, *rows;
} TccPhases; /* low, high: padding of x; rows: of one phase */
bool tcc_layout_read_phases(TccLayout *l, const TccExpr *in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                            const TccExpr *out, TccPhases *p);
bool tcc_layout_phases_fill(TccLayout *l, const TccPhases *p); /* else the last phases have fewer rows */

/* ---- block_layout_groups.c ---- */
/* How many groups are made one so that its channels, in and out, fill blocks; 1: they do; 0: no number that pays, or may_merge is false and they do
 * not. The multiply-adds of what is made are as many times those of before. */
int64_t tcc_layout_merged_groups(int64_t lanes, int64_t groups, int64_t channels, int64_t out_channels, bool may_merge);
/* w [M, C, KH, KW] of `groups` groups -> [M, merged * C, KH, KW]. */
MlirValue tcc_layout_merge_weights(TccLayout *l, TccBuilder *b, MlirValue w, int64_t groups, int64_t merged);

/* ---- block_layout_channels.c ---- */
bool tcc_layout_concat(TccLayout *l, MlirOperation op);
bool tcc_layout_slice(TccLayout *l, MlirOperation op);

/* ---- block_layout_phases.c: transposed convolutions into few channels become convolutions into their phases. *changed: whether there
 * were any. ---- */
bool tcc_layout_phases_as_channels(TccLayout *l, MlirBlock block, bool *changed);

/* ---- block_layout_last.c ---- */
extern const int64_t tcc_layout_from_last[4];
MlirValue tcc_layout_last(TccLayout *l, MlirValue value); /* its form with channels last, or null */
MlirValue tcc_layout_last_to_blocks(TccLayout *l, TccBuilder *b, MlirValue last, int64_t channels);
/* Bytes that op made in blocks, which is known, with channels last where the convolutions that read them gain by it. */
bool tcc_layout_bytes_last(TccLayout *l, TccBuilder *b, MlirOperation op);
bool tcc_layout_elementwise_last(TccLayout *l, MlirOperation op, TccOpKind kind);
bool tcc_layout_transpose(TccLayout *l, MlirOperation op);

/* ---- block_layout_lines.c: convolutions along one axis become those of images with one row, narrow ones wide, where they can be
 * blocked then. *changed: whether there were any. ---- */
/* Before it, of transposed ones in groups, whose phases are channels then (block_layout_phases.c). */
bool tcc_block_layout_grouped_lines(TccPassRun *run, const TccInit *init, int64_t lanes, MlirBlock block, bool *changed);
bool tcc_block_layout_lines(TccPassRun *run, const TccInit *init, int64_t lanes, bool direct, MlirBlock block, bool *changed);
#endif
