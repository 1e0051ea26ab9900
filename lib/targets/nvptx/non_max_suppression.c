/* non_max_suppression.c - of each class the boxes that are kept, a block for each class of an image.
 *
 * A round goes through the boxes that are left: it drops those that overlap the one that was taken last, and takes the best of the others. A thread
 * has every 256th box, and whether that is dropped in a byte of scratch which nobody else reads. Rounds are one more than boxes are taken;
 * none waits for a sort. Arithmetic is the host's (lib/runtime/non_max_suppression.c): what overlaps by just the limit is decided by it. */
#include "lib/targets/nvptx/builtin.h"
#include "tcc/op_kinds.h"

enum { THREADS = NVPTX_BUILTIN_THREADS, BOXES = 0, SCORES, MOST, OVERLAP, LEAST, OPERANDS };

typedef struct {
  TccVal low[2], high[2], area;
} Box;

typedef struct {
  TccVal score, index; /* f32; i64, -1: none */
} Best;

typedef struct {
  NvptxBuiltin *b;
  int buffer[OPERANDS];
  bool center;
  TccVal count, overlap;         /* boxes of a class (i64); f32 */
  TccVal first_box, first_score; /* of this block's boxes, in numbers of four and of one (i64) */
  TccVal dropped;                /* this block's bytes */
  TccVal scores, indices;        /* shared memory: the best of each thread */
} Suppress;

static const char *const best_types[] = {"f32", "i64"};

static TccVal i64(Suppress *s, int64_t v) { return tcc_emit_i64(&s->b->n.e, v); }
static TccVal logic(Suppress *s, const char *op, TccVal x, TccVal y) { return tcc_emit_bin(&s->b->n.e, op, "i1", x, y); }
static TccVal f32(Suppress *s, const char *op, TccVal x, TccVal y) { return tcc_emit_bin(&s->b->n.e, op, "f32", x, y); }
/* A product that is rounded, whatever it is added to: no fused multiply-add. */
static TccVal rounded(Suppress *s, TccVal x, TccVal y) {
  return tcc_emit_call_intrinsic(&s->b->n.e, "llvm.nvvm.mul.rn.f", "f32", 2, (TccVal[]){x, y}, (const char *const[]){"f32", "f32"});
}
static TccVal more(Suppress *s, TccVal x, TccVal y) { return tcc_emit_fcmp(&s->b->n.e, "ogt", "f32", x, y); }
static TccVal less(Suppress *s, TccVal x, TccVal y) { return tcc_emit_intrinsic(&s->b->n.e, "minnum", "f32", 2, (TccVal[]){x, y}); }
static TccVal larger(Suppress *s, TccVal x, TccVal y) {
  return tcc_emit_intrinsic(&s->b->n.e, "maxnum", "f32", 2, (TccVal[]){x, y});
}

static TccVal score_of(Suppress *s, TccVal i) {
  return nvptx_builtin_load(s->b, TCC_ELEM_F32, s->buffer[SCORES], tcc_emit_add(&s->b->n.e, s->first_score, i));
}

static Box box_of(Suppress *s, TccVal i) {
  TccEmit *t = &s->b->n.e;
  TccVal at = tcc_emit_mul(t, tcc_emit_add(t, s->first_box, i), i64(s, 4));
  Box box;
  for (int axis = 0; axis < 2; axis++) {
    TccVal a = nvptx_builtin_load(s->b, TCC_ELEM_F32, s->buffer[BOXES], tcc_emit_add(t, at, i64(s, axis)));
    TccVal b = nvptx_builtin_load(s->b, TCC_ELEM_F32, s->buffer[BOXES], tcc_emit_add(t, at, i64(s, axis + 2)));
    TccVal half = f32(s, "fmul", b, tcc_emit_float(t, "f32", 0.5));
    box.low[axis] = s->center ? f32(s, "fsub", a, half) : less(s, a, b);
    box.high[axis] = s->center ? f32(s, "fadd", a, half) : larger(s, a, b);
  }
  box.area = rounded(s, f32(s, "fsub", box.high[0], box.low[0]), f32(s, "fsub", box.high[1], box.low[1]));
  return box;
}

static TccVal overlaps(Suppress *s, const Box *a, const Box *b) {
  TccEmit *t = &s->b->n.e;
  TccVal zero = tcc_emit_zero(t, "f32"), side[2];
  for (int axis = 0; axis < 2; axis++)
    side[axis] = f32(s, "fsub", less(s, a->high[axis], b->high[axis]), larger(s, a->low[axis], b->low[axis]));
  TccVal common = rounded(s, side[0], side[1]), together = f32(s, "fsub", f32(s, "fadd", a->area, b->area), common);
  TccVal share = more(s, f32(s, "fdiv", common, together), s->overlap), none = more(s, zero, s->overlap);
  TccVal meet = logic(s, "and", more(s, side[0], zero), more(s, side[1], zero));
  meet = logic(s, "and", logic(s, "and", meet, more(s, common, zero)),
               logic(s, "and", more(s, a->area, zero), more(s, b->area, zero)));
  return tcc_emit_select1(t, "i1", meet, share, none);
}

/* Each thread's boxes, from iv on. */
static void each(Suppress *s, TccLoop *loop, int n, const TccVal *init) {
  tcc_emit_for(&s->b->n.e, loop, s->b->n.thread, s->count, THREADS, n, init, best_types);
}

static TccVal dropped_at(Suppress *s, TccVal i) { return tcc_emit_gep(&s->b->n.e, "i8", s->dropped, i); }

/* Boxes whose score is not above the least are dropped at once. */
static void begin(Suppress *s, TccVal least) {
  TccEmit *t = &s->b->n.e;
  TccLoop loop;
  each(s, &loop, 0, NULL);
  TccVal score = score_of(s, loop.iv), all = tcc_emit_fcmp(t, "uno", "f32", least, least);
  TccVal number = tcc_emit_fcmp(t, "ord", "f32", score, score);
  TccVal in = tcc_emit_select1(t, "i1", all, number, more(s, score, least));
  TccVal out = tcc_emit_select1(t, "i8", in, tcc_emit_int(t, "i8", 0), tcc_emit_int(t, "i8", 1));
  tcc_emit_store(t, "i8", out, dropped_at(s, loop.iv));
  tcc_emit_end_for(t, &loop, NULL);
}

/* Of this thread's boxes the best, behind those that go because of `last`, which was taken (-1: none was). */
static Best best_left(Suppress *s, TccVal last) {
  TccEmit *t = &s->b->n.e;
  TccLoop loop;
  TccIf left, goes;
  TccVal none[] = {tcc_emit_zero(t, "f32"), i64(s, -1)}, was = tcc_emit_icmp(t, "sge", "i64", last, i64(s, 0));
  Box taken = box_of(s, tcc_emit_max(t, last, i64(s, 0)));
  each(s, &loop, 2, none);
  TccVal dropped = tcc_emit_load(t, "i8", dropped_at(s, loop.iv));
  tcc_emit_if(t, &left, tcc_emit_icmp(t, "eq", "i8", dropped, tcc_emit_int(t, "i8", 0)), 2, best_types);
  Box box = box_of(s, loop.iv);
  TccVal out = logic(s, "or", tcc_emit_icmp(t, "eq", "i64", loop.iv, last), overlaps(s, &box, &taken));
  tcc_emit_if(t, &goes, logic(s, "and", was, out), 2, best_types);
  tcc_emit_store(t, "i8", tcc_emit_int(t, "i8", 1), dropped_at(s, loop.iv));
  tcc_emit_else(t, &goes, loop.in);
  TccVal score = score_of(s, loop.iv), first = tcc_emit_icmp(t, "slt", "i64", loop.in[1], i64(s, 0));
  TccVal better = logic(s, "or", first, more(s, score, loop.in[0]));
  TccVal kept[] = {tcc_emit_select1(t, "f32", better, score, loop.in[0]), tcc_emit_select1(t, "i64", better, loop.iv, loop.in[1])};
  tcc_emit_end_if(t, &goes, kept);
  tcc_emit_else(t, &left, goes.out);
  tcc_emit_end_if(t, &left, loop.in);
  tcc_emit_end_for(t, &loop, left.out);
  return (Best){loop.out[0], loop.out[1]};
}

static Best best_at(Suppress *s, TccVal thread) {
  TccEmit *t = &s->b->n.e;
  return (Best){tcc_emit_shared_load(t, "f32", tcc_emit_shared_gep(t, "f32", s->scores, thread)),
                tcc_emit_shared_load(t, "i64", tcc_emit_shared_gep(t, "i64", s->indices, thread))};
}

static void put_best(Suppress *s, Best best, TccVal thread) {
  TccEmit *t = &s->b->n.e;
  tcc_emit_shared_store(t, "f32", best.score, tcc_emit_shared_gep(t, "f32", s->scores, thread));
  tcc_emit_shared_store(t, "i64", best.index, tcc_emit_shared_gep(t, "i64", s->indices, thread));
}

/* The index of the best of all threads; of equal scores the lowest. */
static TccVal best_of_block(Suppress *s, Best own) {
  TccEmit *t = &s->b->n.e;
  TccVal thread = s->b->n.thread, zero = i64(s, 0);
  nvptx_barrier(&s->b->n); /* what the round before has found is read */
  put_best(s, own, thread);
  for (int half = THREADS / 2; half > 0; half /= 2) {
    TccIf lower, better;
    nvptx_barrier(&s->b->n);
    tcc_emit_if(t, &lower, tcc_emit_icmp(t, "slt", "i64", thread, i64(s, half)), 0, NULL);
    Best a = best_at(s, thread), b = best_at(s, tcc_emit_add(t, thread, i64(s, half)));
    TccVal equal =
        logic(s, "and", tcc_emit_fcmp(t, "oeq", "f32", b.score, a.score), tcc_emit_icmp(t, "slt", "i64", b.index, a.index));
    TccVal wins = logic(s, "or", tcc_emit_icmp(t, "slt", "i64", a.index, zero), logic(s, "or", more(s, b.score, a.score), equal));
    tcc_emit_if(t, &better, logic(s, "and", tcc_emit_icmp(t, "sge", "i64", b.index, zero), wins), 0, NULL);
    put_best(s, b, thread);
    tcc_emit_end_if(t, &better, NULL);
    tcc_emit_end_if(t, &lower, NULL);
  }
  nvptx_barrier(&s->b->n);
  return tcc_emit_shared_load(t, "i64", s->indices);
}

/* The number of boxes that are taken; their indices are results. */
static TccVal take(Suppress *s, int to, TccVal most) {
  TccEmit *t = &s->b->n.e;
  static const char *const types[] = {"i64", "i64"};
  TccVal zero = i64(s, 0), none[] = {i64(s, -1), zero};
  TccLoop rounds;
  TccIf writes;
  most = tcc_emit_max(t, tcc_emit_min(t, most, s->count), zero);
  tcc_emit_for_by(t, &rounds, zero, most, i64(s, 1), 2, none, types);
  TccVal index = best_of_block(s, best_left(s, rounds.in[0])), found = tcc_emit_icmp(t, "sge", "i64", index, zero);
  tcc_emit_if(t, &writes, logic(s, "and", found, tcc_emit_icmp(t, "eq", "i64", s->b->n.thread, zero)), 0, NULL);
  nvptx_builtin_store(s->b, TCC_ELEM_I64, to, tcc_emit_add(t, s->first_score, rounds.iv), index);
  tcc_emit_end_if(t, &writes, NULL);
  rounds.step = tcc_emit_select1(t, "i64", found, i64(s, 1), most);
  TccVal next[] = {index, tcc_emit_add(t, rounds.in[1], tcc_emit_cast(t, "zext", "i1", "i64", found))};
  tcc_emit_end_for(t, &rounds, next);
  return rounds.out[1];
}

const TccExpr *nvptx_non_max_suppression_scratch(TccIr *ir, MlirOperation op) {
  return tcc_type_count(ir, tcc_value_type(mlirOperationGetOperand(op, SCORES)));
}

TccStatus *nvptx_non_max_suppression(NvptxBuiltin *b, const TccExpr **out_blocks, uint32_t *out_shared) {
  TccEmit *t = &b->n.e;
  Suppress s = {.b = b, .center = tcc_bool(b->ir, b->op, "center")};
  int to = nvptx_builtin_result(b, 0);
  for (int i = 0; i < OPERANDS; i++) {
    s.buffer[i] = nvptx_builtin_operand(b, i);
    if (s.buffer[i] < 0 || to < 0) return TCC_ERROR(TCC_INVALID, "an operand or result that is computed inside the kernel");
  }
  MlirType scores = tcc_value_type(mlirOperationGetOperand(b->op, SCORES));
  const TccExpr *images = tcc_type_dim(b->ir, scores, 0), *classes = tcc_type_dim(b->ir, scores, 1);
  TccVal zero = i64(&s, 0);
  TccLoop rest;
  tcc_emit_shared(t, "scores", THREADS, "f32", NVPTX_SHARED_ALIGNMENT);
  tcc_emit_shared(t, "indices", THREADS, "i64", NVPTX_SHARED_ALIGNMENT);
  s.scores = tcc_emit_shared_address(t, "scores"), s.indices = tcc_emit_shared_address(t, "indices");
  s.count = tcc_kernel_size(&b->n.k, tcc_type_dim(b->ir, scores, 2));
  s.first_score = tcc_emit_mul(t, b->n.block, s.count);
  s.first_box = tcc_emit_mul(t, tcc_emit_div(t, b->n.block, tcc_kernel_size(&b->n.k, classes)), s.count);
  s.dropped = tcc_emit_gep(t, "i8", b->n.scratch, s.first_score);
  s.overlap = nvptx_builtin_load(b, TCC_ELEM_F32, s.buffer[OVERLAP], zero);
  begin(&s, nvptx_builtin_load(b, TCC_ELEM_F32, s.buffer[LEAST], zero));
  TccVal taken = take(&s, to, nvptx_builtin_load(b, TCC_ELEM_I64, s.buffer[MOST], zero));
  tcc_emit_for(t, &rest, tcc_emit_add(t, taken, b->n.thread), s.count, THREADS, 0, NULL, NULL);
  nvptx_builtin_store(b, TCC_ELEM_I64, to, tcc_emit_add(t, s.first_score, rest.iv), i64(&s, -1));
  tcc_emit_end_for(t, &rest, NULL);
  *out_blocks = tcc_expr_mul(b->ir->exprs, images, classes);
  *out_shared = THREADS * (sizeof(float) + sizeof(int64_t));
  return NULL;
}
