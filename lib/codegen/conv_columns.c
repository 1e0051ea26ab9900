/* conv_columns.c - see conv_columns.h.
 *
 * Where a panel is a single vector, a multiply-add for each broadcast leaves the processor waiting for its loads and its front
 * end (steps.c: two instructions and a load for each). Here a column of the image is broadcast once for all pixels whose window it lies
 * in, and the weights of a row of the window stay in registers: 74 instructions where the steps take 102 (3 x 3, stride 2, 14 pixels). */
#include "lib/codegen/conv_columns.h"

enum { BROADCASTS = 3 };

bool tcc_conv_columns_fit(int pixels, int64_t columns, int registers) { return pixels + columns + BROADCASTS <= registers; }

/* Operand numbers: outputs are sums, x, w, the channels left, the rows left, temporaries; inputs the first ones again, tied, then two
 * distances. */
typedef struct { int x, w, left, rows, weight, broadcast, row, rest; } Operands;

static void put_row(TccText *t, const TccConvColumns *c, const Operands *o, int vector_bytes) {
  for (int64_t k = 0; k < c->columns; k++)
    tcc_text_printf(t, "vmovups %lld($%d), $%d\n", (long long)k * vector_bytes, o->w, o->weight + (int)k);
  const int64_t last = (c->pixels - 1) * c->stride + (c->columns - 1) * c->dilation;
  for (int64_t at = 0, turn = 0; at <= last; at++) {
    bool loaded = false;
    for (int64_t k = 0; k < c->columns; k++) {
      const int64_t from = at - k * c->dilation;
      if (from < 0 || from % c->stride != 0 || from / c->stride >= c->pixels) continue;
      const int one = o->broadcast + (int)(turn % BROADCASTS);
      if (!loaded) tcc_text_printf(t, "vbroadcastss %lld($%d), $%d\n", (long long)at * 4, o->x, one);
      loaded = true;
      tcc_text_printf(t, "vfmadd231ps $%d, $%d, $%d\n", o->weight + (int)k, one, (int)(from / c->stride));
    }
    turn += loaded;
  }
}

static void put_repeated(TccText *t, int64_t count, const char *text) {
  for (int64_t i = 0; i < count; i++) tcc_text_printf(t, "%s", text);
}

void tcc_conv_columns_emit(TccEmit *e, const TccConvColumns *c, TccVal *sums, TccVal x, TccVal w) {
  const int n = c->pixels, vector_bytes = c->registers == 32 ? 64 : 32, temporaries = (int)c->columns + BROADCASTS, tied = n + 3;
  const Operands o = {.x = n, .w = n + 1, .left = n + 2, .rows = tied, .weight = tied + 1, .broadcast = tied + 1 + (int)c->columns, .row = 2 * tied + 1 + temporaries,
                      .rest = 2 * tied + 2 + temporaries};
  TccText code = {0}, constraints = {0}, results = {0}, operands = {0};
  tcc_text_printf(&code, "1:\nmovq $$%lld, $%d\n.p2align 4\n2:\n", (long long)c->rows, o.rows);
  put_row(&code, c, &o, vector_bytes);
  tcc_text_printf(&code, "addq $%d, $%d\naddq $$%lld, $%d\ndecq $%d\njnz 2b\n", o.row, o.x, (long long)c->columns * vector_bytes, o.w, o.rows);
  tcc_text_printf(&code, "addq $%d, $%d\ndecq $%d\njnz 1b", o.rest, o.x, o.left);

  put_repeated(&constraints, n, "=v,");
  put_repeated(&constraints, 3, "=r,");
  put_repeated(&constraints, 1, "=&r,");
  put_repeated(&constraints, temporaries, "=&v,");
  for (int i = 0; i < tied; i++) tcc_text_printf(&constraints, "%d,", i);
  put_repeated(&constraints, 2, "r,");
  tcc_text_printf(&constraints, "~{memory},~{dirflag},~{fpsr},~{flags}");

  for (int i = 0; i < n; i++) tcc_text_printf(&operands, "%s%s", i ? ", " : "", c->vector);
  put_repeated(&operands, 2, ", " TCC_PTR);
  put_repeated(&operands, 1, ", i64");
  tcc_text_printf(&results, "%s", operands.data);
  tcc_text_printf(&results, ", i64");
  for (int i = 0; i < temporaries; i++) tcc_text_printf(&results, ", %s", c->vector);

  TccVal all = e->next++;
  tcc_emit_put(e, "%%%d = llvm.inline_asm has_side_effects \"", all);
  for (const char *line = code.data; *line;) { /* a line break is \0A in a string of MLIR */
    int length = (int)strcspn(line, "\n");
    tcc_emit_put(e, "%.*s%s", length, line, line[length] ? "\\0A" : "");
    line += length + (line[length] != 0);
  }
  tcc_emit_put(e, "\", \"%s\" ", constraints.data);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%%%d, ", sums[i]);
  tcc_emit_put(e, "%%%d, %%%d, %%%d, %%%d, %%%d : (%s, i64, i64) -> !llvm.struct<(%s)>\n", x, w, c->channels, c->row_bytes, c->rest_bytes, operands.data,
               results.data);
  for (int i = 0; i < n; i++) sums[i] = tcc_emit_op(e, "llvm.extractvalue %%%d[%d] : !llvm.struct<(%s)>", all, i, results.data);
  tcc_text_destroy(&code), tcc_text_destroy(&constraints), tcc_text_destroy(&results), tcc_text_destroy(&operands);
}
