/* steps.c - see steps.h. Intel SDM volume 2 for the instructions, LLVM's language reference for constraints. */
#include "lib/codegen/steps.h"

enum { LINE = 64, MOST_BROADCASTS = 3, RATE_BITS = 16 };

/* Operand numbers: outputs are sums, b, [a], [ahead], the bytes taken, [a scratch number], temporaries; inputs are the outputs'
 * first ones again, tied, then the pointers and the number of bytes. One pointer moves, several share the number taken. */
typedef struct { int b, a, ahead, taken, scratch, temporary, pointer, bytes, held, broadcasts, tied; } Operands;

static Operands place_operands(const TccSteps *s, bool ahead) {
  int sums = s->rows * s->vectors, room = s->registers - sums;
  int moving = s->npointers == 1;
  Operands o = {.b = sums, .a = sums + 1, .ahead = sums + 1 + moving, .tied = sums + 1 + moving + (ahead ? 1 : 0)};
  o.held = s->vectors < room ? s->vectors : room - 1;
  o.broadcasts = room - o.held < MOST_BROADCASTS ? room - o.held : MOST_BROADCASTS;
  o.taken = o.tied, o.scratch = o.taken + 1;
  o.temporary = o.scratch + (s->ahead_stride ? 1 : 0);
  o.pointer = o.temporary + o.held + o.broadcasts + o.tied;
  o.bytes = o.pointer + (moving ? 0 : s->npointers);
  return o;
}

static void put_fetch_address(TccText *t, const TccSteps *s, const Operands *o) {
  tcc_text_printf(t, "imulq $$%lld, $%d, $%d\nshrq $$%d, $%d\n", (long long)s->ahead_rate, o->taken, o->scratch, RATE_BITS, o->scratch);
  tcc_text_printf(t, "imulq $$%lld, $%d, $%d\n", (long long)s->ahead_stride, o->scratch, o->scratch);
}

static void put_fetch(TccText *t, const TccSteps *s, const Operands *o, int line) {
  if (s->ahead_stride) tcc_text_printf(t, "prefetcht1 %d($%d,$%d)\n", line * LINE, o->ahead, o->scratch);
  else tcc_text_printf(t, "prefetcht1 %d($%d)\n", line * LINE, o->ahead);
}

/* Fetches are spread over the turn: they wait for the same ports as loads. */
static void put_step(TccText *t, const TccSteps *s, const Operands *o, int u, int vector_bytes, int *line) {
  for (int j = 0; j < o->held; j++)
    tcc_text_printf(t, "vmovups %lld($%d), $%d\n", (long long)(u * s->b_step + j * vector_bytes), o->b, o->temporary + j);
  for (int r = 0; r < s->rows; r++) {
    int one = o->temporary + o->held + r % o->broadcasts, done = u * s->rows + r + 1, all = s->unroll * s->rows;
    long long offset = s->offset[r] + u * s->a_step;
    if (s->npointers == 1) tcc_text_printf(t, "%s %lld($%d), $%d\n", s->broadcast, offset, o->a, one);
    else tcc_text_printf(t, "%s %lld($%d,$%d), $%d\n", s->broadcast, offset, o->pointer + s->pointer[r], o->taken, one);
    for (int j = 0; j < s->vectors; j++) {
      if (j < o->held) tcc_text_printf(t, "%s $%d", s->multiply, o->temporary + j);
      else tcc_text_printf(t, "%s %lld($%d)", s->multiply, (long long)(u * s->b_step + j * vector_bytes), o->b);
      tcc_text_printf(t, ", $%d, $%d\n", one, r * s->vectors + j);
    }
    while (*line * all < done * s->lines) put_fetch(t, s, o, (*line)++);
  }
}

static void put_add(TccText *t, long long bytes, int operand) { tcc_text_printf(t, "addq $$%lld, $%d\n", bytes, operand); }

static void put_code(TccText *t, const TccSteps *s, const Operands *o, bool ahead, int vector_bytes) {
  int line = 0;
  tcc_text_printf(t, "xorl ${%d:k}, ${%d:k}\ncmpq $%d, $%d\njae 2f\n.p2align 4\n1:\n", o->taken, o->taken, o->bytes, o->taken);
  if (s->ahead_stride && s->lines) put_fetch_address(t, s, o);
  for (int u = 0; u < s->unroll; u++) put_step(t, s, o, u, vector_bytes, &line);
  put_add(t, s->unroll * s->b_step, o->b);
  if (s->npointers == 1) put_add(t, s->unroll * s->a_step, o->a);
  if (ahead && !s->ahead_stride) put_add(t, s->lines * LINE, o->ahead);
  put_add(t, s->unroll * s->a_step, o->taken);
  tcc_text_printf(t, "cmpq $%d, $%d\njb 1b\n2:", o->bytes, o->taken);
}

static void put_repeated(TccText *t, int count, const char *text) {
  for (int i = 0; i < count; i++) tcc_text_printf(t, "%s", text);
}

bool tcc_steps_fit(const TccSteps *s) {
  return s->npointers <= TCC_STEPS_POINTERS + 1 && s->rows * s->vectors <= TCC_STEPS_SUMS && s->rows * s->vectors + 2 <= s->registers &&
         s->ahead_rate < INT32_MAX && s->ahead_stride < INT32_MAX;
}

void tcc_steps_emit(TccEmit *e, const TccSteps *s, TccVal *sums, TccVal *b, TccVal ahead) {
  int n = s->rows * s->vectors, vector_bytes = s->registers == 32 ? 64 : 32;
  Operands o = place_operands(s, ahead);
  TccText code = {0}, constraints = {0}, types = {0}, parameters = {0};
  put_code(&code, s, &o, ahead, vector_bytes);

  int temporaries = o.held + o.broadcasts, numbers = o.temporary - o.taken;
  put_repeated(&constraints, n, "=v,");
  put_repeated(&constraints, o.tied - n, "=r,");
  put_repeated(&constraints, numbers, "=&r,");
  put_repeated(&constraints, temporaries, "=&v,");
  for (int i = 0; i < o.tied; i++) tcc_text_printf(&constraints, "%d,", i);
  put_repeated(&constraints, o.bytes + 1 - o.pointer, "r,");
  tcc_text_printf(&constraints, "~{memory},~{dirflag},~{fpsr},~{flags}");

  for (int i = 0; i < n; i++) tcc_text_printf(&types, "%s%s", i ? ", " : "", s->vector);
  tcc_text_printf(&parameters, "%s", types.data);
  put_repeated(&types, o.tied - n, ", " TCC_PTR);
  put_repeated(&types, numbers, ", i64");
  for (int i = 0; i < temporaries; i++) tcc_text_printf(&types, ", %s", s->vector);
  put_repeated(&parameters, o.tied - n + o.bytes - o.pointer, ", " TCC_PTR);

  TccVal all = e->next++;
  tcc_emit_put(e, "%%%d = llvm.inline_asm has_side_effects \"", all);
  for (const char *line = code.data; *line;) { /* a line break is \0A in a string of MLIR */
    int length = (int)strcspn(line, "\n");
    tcc_emit_put(e, "%.*s%s", length, line, line[length] ? "\\0A" : "");
    line += length + (line[length] != 0);
  }
  tcc_emit_put(e, "\", \"%s\" ", constraints.data);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", sums[i]);
  tcc_emit_put(e, ", %%%d", *b);
  if (s->npointers == 1) tcc_emit_put(e, ", %%%d", s->a[0]);
  if (ahead) tcc_emit_put(e, ", %%%d", ahead);
  for (int i = 0; i < o.bytes - o.pointer; i++) tcc_emit_put(e, ", %%%d", s->a[i]);
  tcc_emit_put(e, ", %%%d : (%s, i64) -> !llvm.struct<(%s)>\n", s->bytes, parameters.data, types.data);
  for (int i = 0; i <= n; i++) {
    TccVal v = tcc_emit_op(e, "llvm.extractvalue %%%d[%d] : !llvm.struct<(%s)>", all, i, types.data);
    *(i < n ? &sums[i] : b) = v;
  }
  tcc_text_destroy(&code), tcc_text_destroy(&constraints), tcc_text_destroy(&types), tcc_text_destroy(&parameters);
}
