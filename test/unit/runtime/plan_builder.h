/* plan_builder.h - plans written by hand, for tests of the run-time without a compiler. */
#ifndef TCC_TEST_PLAN_BUILDER_H
#define TCC_TEST_PLAN_BUILDER_H
#include "lib/runtime/internal.h"

typedef struct {
  TccArena *arena;
  TccExprPool *pool;
  TccText texts, code, data;
#define MEMBER(name, type) TCC_VEC(type) name;
  TCC_PLAN_TABLES(MEMBER)
#undef MEMBER
} Plan;

static inline void plan_open(Plan *p) {
  *p = (Plan){.arena = tcc_arena_create()};
  p->pool = tcc_expr_pool_create(p->arena);
  tcc_text_put(&p->texts, "", 1);
}

static inline TccPlanText plan_text(Plan *p, const char *text) {
  TccPlanText at = (TccPlanText)p->texts.length;
  tcc_text_put(&p->texts, text, strlen(text) + 1);
  return at;
}

static inline uint32_t plan_symbol(Plan *p, const char *name, uint32_t stage) {
  TccPlanSymbol symbol = {plan_text(p, name), stage};
  TCC_VEC_PUSH(p->arena, &p->symbols, symbol);
  return (uint32_t)p->symbols.count - 1;
}

static inline int plan_number(TccStr name, void *user) {
  Plan *p = user;
  for (size_t i = 0; i < p->symbols.count; i++)
    if (tcc_str_is(name, p->texts.data + p->symbols.data[i].name)) return (int)i;
  abort();
}

static inline void plan_stage(TccStr name, void *user) {
  Plan *p = user;
  TccPlanExpr *last = &p->exprs.data[p->exprs.count - 1];
  int32_t stage = (int32_t)p->symbols.data[plan_number(name, p)].stage;
  if (stage > last->stage) last->stage = stage;
}

static inline uint32_t plan_expr(Plan *p, const char *text) {
  const TccExpr *expr;
  TccStatus *status = tcc_expr_parse(p->pool, tcc_str(text), &expr);
  if (status) abort();
  TccStr name;
  TccPlanExpr record = {.code = (uint32_t)p->code.length, .symbol = -1, .stage = -1};
  tcc_expr_is_const(expr, &record.constant);
  if (tcc_expr_is_symbol(expr, &name)) record.symbol = plan_number(name, p);
  tcc_expr_compile(expr, plan_number, p, &p->code);
  record.length = (uint32_t)(p->code.length - record.code);
  TCC_VEC_PUSH(p->arena, &p->exprs, record);
  tcc_expr_symbols(expr, plan_stage, p);
  return (uint32_t)p->exprs.count - 1;
}

/* "B, 4" -> a range of expressions; "" is empty. */
static inline TccPlanRange plan_exprs(Plan *p, const char *list) {
  uint32_t numbers[16], count = 0;
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, ",");
    numbers[count++] = plan_expr(p, tcc_arena_copy(p->arena, at, length));
    at += length + (at[length] == ',');
    at += *at == ' ';
  }
  TccPlanRange range = {(uint32_t)p->indices.count, count};
  for (uint32_t i = 0; i < count; i++) TCC_VEC_PUSH(p->arena, &p->indices, numbers[i]);
  return range;
}

static inline TccPlanRange plan_list(Plan *p, size_t count, const uint32_t *numbers) {
  TccPlanRange range = {(uint32_t)p->indices.count, (uint32_t)count};
  for (size_t i = 0; i < count; i++) TCC_VEC_PUSH(p->arena, &p->indices, numbers[i]);
  return range;
}
#define LIST(p, ...) plan_list((p), sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static inline void plan_value(Plan *p, TccPlanValueKind kind, TccElem elem, const char *dims, uint32_t index) {
  TccPlanRange range = plan_exprs(p, dims);
  TccPlanValue value = {.kind = (uint8_t)kind, .elem = (uint8_t)elem, .rank = (uint8_t)range.count, .index = index, .dims = range};
  TCC_VEC_PUSH(p->arena, &p->values, value);
}

static inline uint32_t plan_call(Plan *p, const char *symbol, bool builtin, const char *sizes, const char *tiles) {
  TccPlanKernel kernel = {plan_text(p, symbol), plan_text(p, "test"), 0, builtin};
  TCC_VEC_PUSH(p->arena, &p->kernels, kernel);
  TccPlanCall call = {.name = plan_text(p, symbol),
                      .kind = plan_text(p, "map"),
                      .kernel = (uint32_t)p->kernels.count - 1,
                      .sizes = plan_exprs(p, sizes),
                      .tiles = plan_expr(p, tiles),
                      .scratch = plan_expr(p, "128"),
                      .ops = 1};
  TCC_VEC_PUSH(p->arena, &p->calls, call);
  TccPlanExpr unknown = {.symbol = -1, .stage = -1};
  TCC_VEC_PUSH(p->arena, &p->work, ((TccPlanWork){unknown, unknown}));
  return (uint32_t)p->calls.count - 1;
}

/* A check of the call that was made last. */
static inline void plan_check(Plan *p, const char *where, uint32_t valid, const char *size, const char *count, bool reads) {
  TccPlanCheck check = {
      .where = plan_text(p, where), .valid = valid, .size = plan_expr(p, size), .count = plan_expr(p, count), .reads = reads};
  TccPlanCall *call = &p->calls.data[p->calls.count - 1];
  if (!call->checks.count) call->checks.first = (uint32_t)p->checks.count;
  call->checks.count++;
  TCC_VEC_PUSH(p->arena, &p->checks, check);
}

static inline void plan_command(Plan *p, TccPlanCommandKind kind, uint32_t index, TccPlanRange operands, TccPlanRange results,
                                TccPlanRange inplace) {
  TccPlanCommand command = {.kind = kind, .index = index, .operands = operands, .results = results, .inplace = inplace};
  TCC_VEC_PUSH(p->arena, &p->commands, command);
}

static inline uint32_t plan_constant(Plan *p, const void *bytes, size_t length) {
  static const char zeros[64];
  tcc_text_put(&p->data, zeros, (64 - p->data.length % 64) % 64);
  TccPlanConstant constant = {p->data.length, length};
  tcc_text_put(&p->data, bytes, length);
  TCC_VEC_PUSH(p->arena, &p->constants, constant);
  return (uint32_t)p->constants.count - 1;
}

static inline TccPlanTable plan_append(TccText *out, const void *records, size_t count, size_t bytes) {
  static const char zeros[64];
  tcc_text_put(out, zeros, (64 - out->length % 64) % 64);
  TccPlanTable table = {out->length, count};
  if (count) tcc_text_put(out, records, count * bytes);
  return table;
}

/* The block, 64-byte aligned; heap. */
static inline void *plan_finish(Plan *p, size_t *out_bytes) {
  TccPlanHeader header = {.abi_version = TCC_ABI_VERSION, .header_bytes = sizeof header};
  memcpy(header.magic, TCC_PLAN_MAGIC, 8);
  TccText out = {0};
  tcc_text_put(&out, (const char *)&header, sizeof header);
  header.texts = plan_append(&out, p->texts.data, p->texts.length, 1);
  header.code = plan_append(&out, p->code.data, p->code.length, 1);
  header.data = plan_append(&out, p->data.data, p->data.length, 1);
#define APPEND(name, type) header.name = plan_append(&out, p->name.data, p->name.count, sizeof(type));
  TCC_PLAN_TABLES(APPEND)
#undef APPEND
  header.bytes = out.length;
  memcpy(out.data, &header, sizeof header);
  void *block = aligned_alloc(64, tcc_align(out.length));
  if (!block) abort();
  memcpy(block, out.data, out.length);
  *out_bytes = out.length;
  tcc_text_destroy(&out);
  tcc_text_destroy(&p->texts);
  tcc_text_destroy(&p->code);
  tcc_text_destroy(&p->data);
  tcc_arena_destroy(p->arena);
  return block;
}
#endif
