/* ops_nchwc.c - convolutions that onnxruntime's optimiser wrote for blocks of channels: the domain com.microsoft.nchwc of models that it saved with
 * ORT_ENABLE_ALL.
 *
 * The shapes of its images are those of NCHW with a multiple of a block of channels, so they are that here, and elementwise operators and concatenations
 * between these operators need not know. Only the bytes of a filter lie otherwise than its dims say:
 *
 *     [O/b][I/b][H][W][b of I][b of O]       whose image comes in blocks
 *     [O/b][I][H][W][b of O]                 depthwise, or of fewer than b channels, which come as they are
 *
 * with zeros behind O and I up to a multiple of b. b is 8 where the CPU that saved the model has AVX or AVX2, 16 where it has AVX-512 or NEON: the file has
 * it only where the number of channels is one that is no multiple of 16, or is padded by 8 and more. Otherwise the caller has to say it. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

enum { NARROW = 8, WIDE = 16, RANK = 4 };

static const TccOnnxTensor *initializer_named(const TccOnnxGraph *graph, TccStr name) {
  for (size_t i = 0; i < graph->initializer.count; i++)
    if (tcc_str_equal(graph->initializer.data[i].name, name)) return &graph->initializer.data[i];
  return NULL;
}

static bool is_blocked(const TccOnnxNode *node, const char *type) {
  return tcc_str_is(node->domain, "com.microsoft.nchwc") && tcc_str_is(node->op_type, type);
}

static const TccOnnxNode *producer(const TccOnnxGraph *graph, TccStr name) {
  for (size_t i = 0; i < graph->node.count; i++)
    for (size_t k = 0; k < graph->node.data[i].output.count; k++)
      if (tcc_str_equal(graph->node.data[i].output.data[k], name)) return &graph->node.data[i];
  return NULL;
}

/* Leading size of a convolution's filter; 0 if it is not of the file. */
static int64_t filters(const TccOnnxGraph *graph, const TccOnnxNode *conv) {
  const TccOnnxTensor *w = conv->input.count > 1 ? initializer_named(graph, conv->input.data[1]) : NULL;
  return w && w->dims.count ? w->dims.data[0] : 0;
}

/* What the sizes of the file say of b; 0: nothing. */
static int64_t block_by_sizes(const TccOnnxGraph *graph) {
  int64_t block = 0;
  for (size_t i = 0; i < graph->node.count; i++) {
    const TccOnnxNode *node = &graph->node.data[i];
    if (is_blocked(node, "Conv") && filters(graph, node) % WIDE) return NARROW;
    if (!is_blocked(node, "ReorderOutput") || !node->input.count) continue;
    const TccOnnxNode *from = producer(graph, node->input.data[0]);
    const int64_t count = from && is_blocked(from, "Conv") ? filters(graph, from) : 0;
    for (size_t k = 0; k < node->attribute.count && count; k++)
      if (tcc_str_is(node->attribute.data[k].name, "channels") && count - node->attribute.data[k].i >= NARROW) block = WIDE;
  }
  return block;
}

static const TccExpr *told_block(Importer *run) { return import_parse_size(run, tcc_str("nchwc_block")); }

void onnx_declare_blocks(Importer *run) {
  const TccOnnxGraph *graph = onnx_import_of(run)->model->graph;
  bool any = false;
  for (size_t i = 0; i < graph->node.count; i++) any = any || is_blocked(&graph->node.data[i], "Conv");
  if (!any) return;
  onnx_import_of(run)->block = block_by_sizes(graph);
  told_block(run);
}

/* b; false after a reason. */
static bool read_block(ImportCall *c, int64_t *out) {
  const TccExpr *told = told_block(c->importer);
  const int64_t known = onnx_import_of(c->importer)->block;
  int64_t given = 0;
  if (!*import_wanted_dims(c, told) && !import_fix_size(c, told, &given)) return false;
  if (given && given != NARROW && given != WIDE) return import_invalid(c, "nchwc_block is %lld: 8 or 16", (long long)given);
  if (given && known && given != known)
    return import_invalid(c, "nchwc_block is %lld, sizes of filters say %lld", (long long)given, (long long)known);
  *out = known ? known : given;
  return *out ||
         import_unsupported(
             c, "filters in blocks of channels, whose size the file does not tell: give --dim nchwc_block=8 if the model was "
                "saved on a CPU with AVX or AVX2, =16 for AVX-512 or NEON, or save it with ORT_ENABLE_EXTENDED");
}

/* w [O, I, H, W], whose bytes are in blocks of b, in the order of its dims. */
static MlirValue plain_filter(ImportCall *c, MlirValue w, int64_t block) {
  static const int64_t both[] = {0, 5, 1, 4, 2, 3}, outputs[] = {0, 4, 1, 2, 3};
  ImportShape s = import_shape(c, w);
  int64_t o, i;
  if (!import_fix_size(c, s.dims[0], &o) || !import_fix_size(c, s.dims[1], &i)) return (MlirValue){NULL};
  const bool depthwise = i == 1 && onnx_int(c, "group", 1) == o, direct = onnx_int(c, "group", 1) == 1 && i < block;
  if (s.rank != RANK || o % block || (!depthwise && !direct && i % block)) {
    import_invalid(c, "a filter of %lld times %lld channels, of rank %d, in blocks of %lld", (long long)o, (long long)i, s.rank,
                   (long long)block);
    return (MlirValue){NULL};
  }
  const TccExpr *b = import_size(c, block), *groups = import_size(c, o / block);
  const TccExpr *stored[] = {groups, import_size(c, i / block), s.dims[2], s.dims[3], b, b},
                *as_is[] = {groups, s.dims[1], s.dims[2], s.dims[3], b};
  MlirValue turned = depthwise || direct ? tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, w, 5, as_is), outputs)
                                         : tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, w, 6, stored), both);
  return tcc_build_reshape(&c->b, turned, RANK, s.dims);
}

/* Conv, FusedConv's addend and activation. */
bool onnx_op_nchwc_conv(ImportCall *c) {
  int64_t block;
  if (!import_need(c, 2) || !read_block(c, &block)) return false;
  const ImportValue stored = c->inputs[1];
  MlirValue w = plain_filter(c, import_without_subnormals(c, stored.tensor), block);
  if (!w.ptr) return false;
  c->inputs[1].tensor = w;
  const bool done = onnx_op_fused_conv(c);
  c->inputs[1] = stored;
  return done;
}

static MlirValue move_channels(ImportCall *c, MlirValue x, bool to_front) {
  static const int64_t front[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1};
  return onnx_int(c, "channels_last", 0) ? tcc_build_transpose(&c->b, x, to_front ? front : back) : x;
}

static bool check_image(ImportCall *c, MlirValue x) {
  return import_shape(c, x).rank == RANK || import_invalid(c, "an image of rank %d", import_shape(c, x).rank);
}

/* An image in blocks: with zeros behind its channels, where they are no multiple of a block. */
bool onnx_op_nchwc_reorder_input(ImportCall *c) {
  int64_t channels, block;
  if (!import_need(c, 1) || !check_image(c, import_input(c, 0))) return false;
  MlirValue x = move_channels(c, import_input(c, 0), true);
  ImportShape s = import_shape(c, x);
  if (!import_fix_size(c, s.dims[1], &channels)) return false;
  if (channels % WIDE == 0) return import_output(c, 0, x);
  if (!read_block(c, &block)) return false;
  s.dims[1] = import_size(c, (channels + block - 1) / block * block);
  return import_output(c, 0, onnx_pad_end(c, x, s.dims));
}

/* The first `channels` of an image in blocks. */
bool onnx_op_nchwc_reorder_output(ImportCall *c) {
  if (!import_need(c, 1) || !check_image(c, import_input(c, 0))) return false;
  MlirValue x = import_input(c, 0);
  const TccExpr *channels = import_size(c, onnx_int(c, "channels", 0));
  if (!import_require_at_most(c, channels, import_shape(c, x).dims[1], "channels")) return false;
  return import_output(c, 0, move_channels(c, tcc_build_slice_axis(&c->b, x, 1, import_size(c, 0), 1, channels), false));
}
