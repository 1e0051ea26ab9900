/* conv_steps.c - the innermost loop of a dense convolution on blocked channels, as assembly for AVX-512.
 *
 * `steps` steps of k: load the weights of a step, broadcast each pixel, multiply and add. A tile of 7 x 4 or 14 x 2 fills 28
 * of the 32 registers with sums, and what is left is enough only if nothing is loaded early: LLVM's scheduler loads early,
 * then spills sums inside of the loop (a fifth of the speed). So this loop says itself which register holds what: sums are
 * tied operands, as many vectors of weights as fit beside one broadcast are loaded, the others are read from memory by their
 * multiply-adds. It also takes a tenth of the time to compile. The order is that of brgemm kernels of oneDNN. */
#include "lib/codegen/conv_blocked.h"

enum { LINE = 64 };

static void put_operand(TccText *t, int n) { tcc_text_printf(t, "$%d", n); }

/* Operand numbers: sums, then w, [ahead], the counter, temporaries (all outputs); inputs follow. */
typedef struct { int w, ahead, index, temporary, pixel, steps; } Numbers;

static void put_step(TccText *t, const TccConvSteps *s, const Numbers *at, int u, int held, int broadcasts) {
  for (int j = 0; j < held; j++) tcc_text_printf(t, "vmovups %d($%d), $%d\\0A", (u * s->vectors + j) * LINE, at->w, at->temporary + j);
  for (int p = 0; p < s->pixels; p++) {
    int b = at->temporary + held + p % broadcasts;
    tcc_text_printf(t, "vbroadcastss %lld($%d,$%d,4), $%d\\0A", (long long)(s->offset[p] + u * s->x_step) * 4, at->pixel + s->pointer[p], at->index, b);
    for (int j = 0; j < s->vectors; j++) {
      tcc_text_printf(t, "vfmadd231ps ");
      if (j < held) put_operand(t, at->temporary + j);
      else tcc_text_printf(t, "%d($%d)", (u * s->vectors + j) * LINE, at->w);
      tcc_text_printf(t, ", $%d, $%d\\0A", b, p * s->vectors + j);
    }
  }
}

bool tcc_conv_steps_fit(const TccConvSteps *s) { return s->npointers <= 7 && s->pixels * s->vectors + 2 <= 32; }

void tcc_conv_steps_emit(TccEmit *e, const TccConvSteps *s, TccVal *sums, TccVal *w, TccVal ahead) {
  int n = s->pixels * s->vectors, room = 32 - n, held = s->vectors < room ? s->vectors : room - 1;
  int broadcasts = room - held < 3 ? room - held : 3, temporaries = held + broadcasts;
  Numbers at = {.w = n, .ahead = n + 1, .index = n + (ahead ? 2 : 1)};
  at.temporary = at.index + 1, at.pixel = at.temporary + temporaries + n + (ahead ? 2 : 1), at.steps = at.pixel + s->npointers;
  TccText code = {0}, constraints = {0}, types = {0};
    tcc_text_printf(&code, "xorl ${%d:k}, ${%d:k}\\0A.p2align 4\\0A1:\\0A", at.index, at.index);
  for (int l = 0; l < s->ahead_lines; l++) tcc_text_printf(&code, "prefetcht1 %d($%d)\\0A", l * LINE, at.ahead);
  for (int u = 0; u < s->unroll; u++) put_step(&code, s, &at, u, held, broadcasts);
  tcc_text_printf(&code, "addq $$%d, $%d\\0A", s->unroll * s->vectors * LINE, at.w);
  if (ahead) tcc_text_printf(&code, "addq $$%d, $%d\\0A", s->ahead_lines * LINE, at.ahead);
  tcc_text_printf(&code, "addq $$%lld, $%d\\0Acmpq $%d, $%d\\0Ajb 1b", (long long)(s->unroll * s->x_step), at.index, at.steps, at.index);

  for (int i = 0; i < n; i++) tcc_text_printf(&constraints, "=v,"), tcc_text_printf(&types, "%s%s", i ? ", " : "", "vector<16xf32>");
  for (int i = 0; i < (ahead ? 2 : 1); i++) tcc_text_printf(&constraints, "=r,"), tcc_text_printf(&types, ", " TCC_PTR);
  tcc_text_printf(&constraints, "=&r,"), tcc_text_printf(&types, ", i64");
  for (int i = 0; i < temporaries; i++) tcc_text_printf(&constraints, "=&v,"), tcc_text_printf(&types, ", vector<16xf32>");
  for (int i = 0; i < at.index; i++) tcc_text_printf(&constraints, "%d,", i);
  for (int i = 0; i <= s->npointers; i++) tcc_text_printf(&constraints, "r,");
  tcc_text_printf(&constraints, "~{memory},~{dirflag},~{fpsr},~{flags}");

  TccVal all = e->next++;
  tcc_emit_put(e, "%%%d = llvm.inline_asm has_side_effects \"%s\", \"%s\" ", all, code.data, constraints.data);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", sums[i]);
  tcc_emit_put(e, ", %%%d", *w);
  if (ahead) tcc_emit_put(e, ", %%%d", ahead);
  for (int i = 0; i < s->npointers; i++) tcc_emit_put(e, ", %%%d", s->x[i]);
  tcc_emit_put(e, ", %%%d : (", s->end);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "vector<16xf32>, ");
  for (int i = 0; i < s->npointers + (ahead ? 2 : 1); i++) tcc_emit_put(e, TCC_PTR ", ");
  tcc_emit_put(e, "i64) -> !llvm.struct<(%s)>\n", types.data);
  for (int i = 0; i <= n; i++) {
    TccVal v = tcc_emit_op(e, "llvm.extractvalue %%%d[%d] : !llvm.struct<(%s)>", all, i, types.data);
    *(i < n ? &sums[i] : w) = v;
  }
  tcc_text_destroy(&code), tcc_text_destroy(&constraints), tcc_text_destroy(&types);
}
