/* plan_tables.c - the tables of a plan: interning on the way in, one block of bytes on the way out.
 *
 * Expressions are hash-consed by their pool, so a pointer is a key; each becomes byte code once, however many kernels and
 * values use it, and is evaluated once per set of sizes. */
#include "lib/compile/plan.h"
#include <stdlib.h>

void tcc_plan_tables_open(TccPlanTables *tables, TccIr *ir, TccSpace space) {
  *tables = (TccPlanTables){.ir = ir,
                            .space = space,
                            .text_map = tcc_map_create(ir->arena),
                            .symbol_map = tcc_map_create(ir->arena),
                            .expr_map = tcc_map_create(ir->arena),
                            .constant_map = tcc_map_create(ir->arena)};
  tcc_text_put(&tables->texts, "", 1); /* offset 0 is the empty text */
}

void tcc_plan_tables_close(TccPlanTables *tables) {
  tcc_text_destroy(&tables->texts);
  tcc_text_destroy(&tables->code);
  tcc_text_destroy(&tables->data);
}

TccPlanText tcc_plan_put_text(TccPlanTables *tables, TccStr text) {
  if (text.length == 0) return 0;
  bool inserted;
  TccMapEntry *entry = tcc_map_put(tables->text_map, text, &inserted);
  if (inserted) {
    entry->integer = (int64_t)tables->texts.length;
    tcc_text_put(&tables->texts, text.data, text.length);
    tcc_text_put(&tables->texts, "", 1);
  }
  return (TccPlanText)entry->integer;
}

uint32_t tcc_plan_put_symbol(TccPlanTables *tables, TccStr name) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(tables->symbol_map, name, &inserted);
  if (inserted) {
    entry->integer = (int64_t)tables->symbols.count;
    TccPlanSymbol symbol = {.name = tcc_plan_put_text(tables, name)};
    TCC_VEC_PUSH(tables->ir->arena, &tables->symbols, symbol);
    TCC_VEC_PUSH(tables->ir->arena, &tables->bound, false);
  }
  return (uint32_t)entry->integer;
}

static int number_symbol(TccStr name, void *user) { return (int)tcc_plan_put_symbol(user, name); }

TccPlanExpr tcc_plan_expr(TccPlanTables *tables, const TccExpr *expr) {
  TccPlanExpr record = {.code = (uint32_t)tables->code.length, .symbol = -1, .stage = -1};
  TccStr name;
  if (tcc_expr_is_const(expr, &record.constant)) return record;
  record.stage = 0;
  if (tcc_expr_is_symbol(expr, &name)) record.symbol = (int32_t)tcc_plan_put_symbol(tables, name);
  tcc_expr_compile(expr, number_symbol, tables, &tables->code);
  tcc_text_put(&tables->code, "", 0); /* ends where the code has failed */
  record.length = (uint32_t)(tables->code.length - record.code);
  return record;
}

uint32_t tcc_plan_put_expr(TccPlanTables *tables, const TccExpr *expr) {
  bool inserted;
  const void *pointer = expr;
  TccMapEntry *entry = tcc_map_put(tables->expr_map, tcc_key_pointer(&pointer), &inserted);
  if (!inserted) return (uint32_t)entry->integer;
  entry->integer = (int64_t)tables->exprs.count;
  uint32_t index = (uint32_t)entry->integer;
  TccPlanExpr record = tcc_plan_expr(tables, expr);
  TCC_VEC_PUSH(tables->ir->arena, &tables->exprs, record);
  TCC_VEC_PUSH(tables->ir->arena, &tables->sources_of, expr);
  return index;
}

TccPlanRange tcc_plan_put_exprs(TccPlanTables *tables, const TccExpr *const *exprs, size_t count) {
  TccPlanRange range = {(uint32_t)tables->indices.count, (uint32_t)count};
  for (size_t i = 0; i < count; i++) {
    uint32_t index = tcc_plan_put_expr(tables, exprs[i]);
    TCC_VEC_PUSH(tables->ir->arena, &tables->indices, index);
  }
  return range;
}

static void pad(TccText *text, size_t alignment) {
  static const char zeros[64];
  tcc_text_put(text, zeros, (alignment - text->length % alignment) % alignment);
}

uint64_t tcc_plan_put_data(TccPlanTables *tables, const void *bytes, size_t length) {
  pad(&tables->data, 64);
  uint64_t offset = tables->data.length;
  tcc_text_put(&tables->data, bytes, length);
  return offset;
}

uint32_t tcc_plan_put_constant(TccPlanTables *tables, const void *bytes, size_t length) {
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(bytes, length, digest);
  bool inserted;
  TccMapEntry *entry = tcc_map_put(tables->constant_map, (TccStr){(const char *)digest, sizeof digest}, &inserted);
  if (inserted) {
    entry->integer = (int64_t)tables->constants.count;
    TccPlanConstant constant = {tcc_plan_put_data(tables, bytes, length), length};
    TCC_VEC_PUSH(tables->ir->arena, &tables->constants, constant);
  }
  return (uint32_t)entry->integer;
}

const char *tcc_plan_unbound_symbol(const TccPlanTables *tables) {
  for (size_t i = 0; i < tables->symbols.count; i++)
    if (!tables->bound.data[i]) return tables->texts.data + tables->symbols.data[i].name;
  return NULL;
}

typedef struct {
  const TccPlanTables *tables;
  int32_t stage;
} StageOf;

static void visit_symbol(TccStr name, void *user) {
  StageOf *of = user;
  int32_t stage = (int32_t)of->tables->symbols.data[tcc_map_find(of->tables->symbol_map, name)->integer].stage;
  if (stage > of->stage) of->stage = stage;
}

/* A table's place behind what is in out, and its bytes. */
static TccPlanTable append(TccText *out, size_t base, const void *records, size_t count, size_t bytes, size_t alignment) {
  pad(out, alignment);
  TccPlanTable table = {out->length - base, count};
  if (count) tcc_text_put(out, records, count * bytes);
  return table;
}

void tcc_plan_serialise(TccPlanTables *t, const TccTargetInfo *target, TccStr options, TccText *out) {
  for (size_t i = 0; i < t->exprs.count; i++) {
    StageOf of = {t, -1};
    tcc_expr_symbols(t->sources_of.data[i], visit_symbol, &of);
    t->exprs.data[i].stage = of.stage;
  }
  TccPlanHeader header = {.abi_version = TCC_ABI_VERSION,
                          .header_bytes = sizeof header,
                          .isa = tcc_machine_needs(&target->machine),
                          .target = tcc_plan_put_text(t, tcc_str(target->of->name)),
                          .machine = tcc_plan_put_text(t, tcc_str(target->machine.cpu)),
                          .options = tcc_plan_put_text(t, options)};
  memcpy(header.magic, TCC_PLAN_MAGIC, sizeof header.magic);
  pad(out, 64);
  size_t base = out->length;
  tcc_text_put(out, (const char *)&header, sizeof header);
  header.texts = append(out, base, t->texts.data, t->texts.length, 1, 8);
  header.code = append(out, base, t->code.data, t->code.length, 1, 8);
#define APPEND(name, type) header.name = append(out, base, t->name.data, t->name.count, sizeof(type), 8);
  TCC_PLAN_TABLES(APPEND)
#undef APPEND
  header.data = append(out, base, t->data.data, t->data.length, 1, 64);
  header.bytes = out->length - base;
  memcpy(out->data + base, &header, sizeof header);
}
