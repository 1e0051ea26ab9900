/* emit_told.c - functions that differ in numbers alone as one, which reads them from a table.
 *
 * A network has the same packer, prefetch or norm for each of its widths and strides, one to four milliseconds of LLVM's time each. What such a function
 * multiplies by, compares with, chooses between, divides by or passes on becomes a load at its head, from a table of words that its callers know; so do
 * the places of operands among a kernel's arguments and of views in them. Numbers that code is slower or longer without stay: what is added, which addresses
 * have inside; small powers of two, the lanes and rows of tiles. Floats that the model says are words as well where the caller wants that: the count of
 * a mean, an epsilon.
 *
 *   %c = constant 192 : i64                     %p = getelementptr %table[0]; %c = load %p
 *   %m = mul %i, %c                      =>     %m = mul %i, %c
 *
 * Values get new numbers, in the order in which they appear, so that functions that have come to do the same are the same text.
 *
 * A division takes what it takes where LLVM knows the divisor (Granlund and Montgomery, Division by invariant integers using multiplication, 1994). Of what is
 * below 2^63: by a power of two a shift; by another d, 2^(b - 1) < d < 2^b, with m = ceil(2^(63 + b) / d), x / d = (x * m >> 64) >> (b - 1). */
#include "lib/codegen/emit/emit_internal.h"

enum { SHORT = 64, SHORT_FACTOR = 16 };
static const int64_t MOST_DIVISOR = INT64_C(1) << 62;

/* An i64 constant of the function. */
typedef struct {
  const TccLlvmInst *inst; /* NULL: the value is none */
  bool used, stays;        /* somewhere; where a constant is needed */
  bool read, divides;      /* where a word of the table does, by itself or as a divisor */
  TccVal told;             /* values: the number, */
  TccVal shift, mask;      /* of a power of two, its exponent and itself less 1; else b - 1, */
  TccVal reciprocal;       /* and m; 0: it is none */
} Number;

typedef struct {
  TccArena *arena;
  TccLlvmItem *function;
  TccVal table;
  TccWords *words;
  unsigned what;                   /* TCC_TELL_FLOATS ... */
  TCC_VEC(TccLlvmInst) head, body; /* of the function as it will be */
  bool in_head;                    /* where the next op goes */
  Number *number;                  /* by value */
  uint8_t *is_base;                /* by value: a parameter (1), or the address of an argument (2) */
  const TccLlvmInst **
      first; /* by value: of what the function begins with (constants, what is loaded once) the op, until it has its place by its use */
} Telling;

static bool is_power(int64_t number) { return (number & (number - 1)) == 0; }
static bool is_worth_a_word(int64_t number, int64_t least) { return number > 1 && !(number < least && is_power(number)); }
static bool is_i64(const char *type) { return type && strcmp(type, "i64") == 0; }

/* Which of v[] an op may read from the table: bits; powers of two below *out_least stay. */
static unsigned readable(const TccLlvmInst *inst, int64_t *out_least) {
  const TccLlvmForm form = tcc_llvm_rows[inst->op].form;
  *out_least = inst->op == TCC_LLVM_MUL ? SHORT_FACTOR : SHORT;
  if (!is_i64(inst->type)) return 0;
  return inst->op == TCC_LLVM_MUL || form == TCC_FORM_ICMP ? 3 : form == TCC_FORM_SELECT ? 6 : 0;
}

/* Of an index. A model's own numbers may be anything. */
static bool is_division(const TccLlvmInst *inst) {
  return (inst->op == TCC_LLVM_UDIV || inst->op == TCC_LLVM_UREM) && inst->flag && is_i64(inst->type);
}

static bool is_call(const TccLlvmInst *inst) { return inst->op == TCC_LLVM_CALL || inst->op == TCC_LLVM_CALL_POINTER; }

/* Which argument, or where a view begins. */
static bool is_told_place(const Telling *t, const TccLlvmInst *inst) {
  if (inst->op != TCC_LLVM_GEP_AT || inst->space) return false;
  const uint8_t base = t->what & TCC_TELL_PLACES ? t->is_base[inst->v[0]] : 0;
  return strcmp(inst->type, TCC_PTR) == 0 ? base == 1 && inst->v[0] != t->table : base == 2 && is_worth_a_word(inst->number, SHORT);
}

static bool is_told_float(const TccLlvmInst *inst) {
  if (inst->op != TCC_LLVM_FLOAT || !inst->flag) return false;
  const size_t length = strlen(inst->type);
  return strcmp(inst->type, "f32") == 0 || (length > 5 && strcmp(inst->type + length - 5, "xf32>") == 0);
}

static int list_length(const TccLlvmInst *inst) {
  if (tcc_llvm_rows[inst->op].form == TCC_FORM_SHUFFLE) return 0;
  return inst->n + (inst->op == TCC_LLVM_COND_BR ? (int)inst->number : 0);
}

/* ---- which numbers ---- */

static void look_at_bases(Telling *t) {
  const TccLlvmItem *f = t->function;
  for (int i = 0; i < f->nparams; i++) t->is_base[i + 1] = 1;
  for (size_t i = 0; i < f->ninsts; i++) {
    const TccLlvmInst *inst = &f->insts[i], *at = i ? &f->insts[i - 1] : NULL;
    if (inst->op == TCC_LLVM_LOAD && strcmp(inst->type, TCC_PTR) == 0 && at && at->op == TCC_LLVM_GEP_AT &&
        at->result == inst->v[0] && t->is_base[at->v[0]] == 1)
      t->is_base[inst->result] = 2;
  }
}

/* An operand may be read where it is a number of at least so much. */
static bool reads(const Telling *t, TccVal v, bool may_read, int64_t least) {
  const TccLlvmInst *inst = t->number[v].inst;
  return may_read && inst && is_worth_a_word(inst->number, least);
}

static void note_use(Telling *t, TccVal v, bool read) {
  t->number[v].used = true;
  if (read) t->number[v].read = true;
  else t->number[v].stays = true;
}

static void look_at_uses(Telling *t) {
  const TccLlvmItem *f = t->function;
  for (size_t i = 0; i < f->ninsts; i++)
    if (f->insts[i].op == TCC_LLVM_INT && is_i64(f->insts[i].type)) t->number[f->insts[i].result].inst = &f->insts[i];
  for (size_t i = 0; i < f->ninsts; i++) {
    const TccLlvmInst *inst = &f->insts[i];
    int64_t least;
    const unsigned may = readable(inst, &least);
    Number *divisor = is_division(inst) ? &t->number[inst->v[1]] : NULL;
    if (divisor && divisor->inst && divisor->inst->number > 1 && divisor->inst->number <= MOST_DIVISOR)
      divisor->used = divisor->divides = true;
    else divisor = NULL;
    for (int k = 0; k < 3; k++)
      if (inst->v[k] && !(divisor && k == 1)) note_use(t, inst->v[k], reads(t, inst->v[k], may >> k & 1, least));
    for (int k = 0; k < list_length(inst); k++)
      note_use(t, inst->list[k], reads(t, inst->list[k], is_call(inst) && is_i64(inst->types[k]), 0));
  }
}

/* ---- the function again ---- */

static TccLlvmInst *put(Telling *t, TccLlvmInst inst) {
  if (t->in_head) {
    TCC_VEC_PUSH(t->arena, &t->head, inst);
    return &t->head.data[t->head.count - 1];
  }
  TCC_VEC_PUSH(t->arena, &t->body, inst);
  return &t->body.data[t->body.count - 1];
}

/* An op with a new value, or the one that it is to be. */
static TccLlvmInst *put_op(Telling *t, TccLlvmOp op, const char *type, TccVal a, TccVal b, TccVal result) {
  return put(t, (TccLlvmInst){.op = (uint8_t)op, .type = type, .result = result ? result : t->function->numbers++, .v = {a, b}});
}

static TccVal put_cast(Telling *t, TccLlvmOp op, const char *from, const char *to, TccVal v) {
  TccLlvmInst *inst = put_op(t, op, to, v, 0, 0);
  inst->other = from;
  return inst->result;
}

static TccVal put_int(Telling *t, const char *type, int64_t number) {
  TccLlvmInst *inst = put_op(t, TCC_LLVM_INT, type, 0, 0, 0);
  inst->number = number;
  return inst->result;
}

/* The next word of the table. */
static TccVal put_word(Telling *t, TccWord word, const char *type, TccVal result) {
  TccLlvmInst *at = put_op(t, TCC_LLVM_GEP_AT, "i64", t->table, 0, 0);
  at->number = t->words->first + (int64_t)t->words->count;
  const TccVal place = at->result;
  TCC_VEC_PUSH(t->arena, t->words, word);
  return put_op(t, TCC_LLVM_LOAD, type, place, 0, result)->result;
}

static TccVal put_number_word(Telling *t, int64_t number, const char *type, TccVal result) {
  return put_word(t, (TccWord){number, -1}, type, result);
}

/* floor(2^(64 + b - 1) / d) + 1 */
static int64_t reciprocal_of(int64_t d, int b) {
  uint64_t rest = UINT64_C(1) << (b - 1), quotient = 0;
  for (int bit = 0; bit < 64; bit++) {
    const bool fits = (rest *= 2) >= (uint64_t)d;
    rest -= fits ? (uint64_t)d : 0;
    quotient = quotient * 2 + fits;
  }
  return (int64_t)(quotient + 1);
}

static void put_number(Telling *t, Number *number) {
  const int64_t n = number->inst->number;
  int b = 0;
  while (number->divides && INT64_C(1) << b < n) b++;
  if (number->stays) put(t, *number->inst);
  if (number->read || (number->divides && !is_power(n))) number->told = put_number_word(t, n, "i64", 0);
  if (!number->divides) return;
  number->shift = put_number_word(t, is_power(n) ? b : b - 1, "i64", 0);
  if (is_power(n)) number->mask = put_number_word(t, n - 1, "i64", 0);
  else number->reciprocal = put_number_word(t, reciprocal_of(n, b), "i64", 0);
}

static void put_division(Telling *t, const TccLlvmInst *inst, const Number *d) {
  static const char wide[] = "i128";
  const TccVal x = inst->v[0];
  const bool rest = inst->op == TCC_LLVM_UREM;
  if (!d->reciprocal) {
    put_op(t, rest ? TCC_LLVM_AND : TCC_LLVM_LSHR, "i64", x, rest ? d->mask : d->shift, inst->result);
    return;
  }
  TccVal from = put_cast(t, TCC_LLVM_ZEXT, "i64", wide, x), by = put_cast(t, TCC_LLVM_ZEXT, "i64", wide, d->reciprocal);
  TccVal product = put_op(t, TCC_LLVM_MUL, wide, from, by, 0)->result, half = put_int(t, wide, 64);
  product = put_cast(t, TCC_LLVM_TRUNC, wide, "i64", put_op(t, TCC_LLVM_LSHR, wide, product, half, 0)->result);
  const TccVal quotient = put_op(t, TCC_LLVM_LSHR, "i64", product, d->shift, rest ? 0 : inst->result)->result;
  if (!rest) return;
  product = put_op(t, TCC_LLVM_MUL, "i64", quotient, d->told, 0)->result;
  put_op(t, TCC_LLVM_SUB, "i64", x, product, inst->result);
}

static void put_float(Telling *t, const TccLlvmInst *inst) {
  const int lanes = tcc_llvm_lanes(inst->type);
  if (lanes == 1) {
    put_number_word(t, inst->number, inst->type, inst->result);
    return;
  }
  const TccVal one = put_number_word(t, inst->number, "f32", 0), poison = put_op(t, TCC_LLVM_POISON, inst->type, 0, 0, 0)->result,
               zero = put_int(t, "i64", 0);
  TccLlvmInst *insert = put_op(t, TCC_LLVM_INSERT, inst->type, one, poison, 0);
  insert->v[2] = zero;
  TccLlvmInst *all = put_op(t, TCC_LLVM_SHUFFLE, inst->type, insert->result, poison, inst->result);
  all->n = (uint16_t)lanes, all->list = TCC_NEW_ARRAY(t->arena, int32_t, lanes);
}

static void put_place(Telling *t, const TccLlvmInst *inst) {
  const bool in_head = t->in_head;
  t->in_head = true;
  const TccVal index = put_number_word(t, inst->number, "i64", 0);
  t->in_head = in_head;
  put_op(t, TCC_LLVM_GEP, inst->type, inst->v[0], index, inst->result)->other = "i64";
}

static void put_again(Telling *t, TccLlvmInst inst) {
  int64_t least;
  const unsigned may = readable(&inst, &least);
  for (int k = 0; k < 3; k++)
    if (reads(t, inst.v[k], may >> k & 1, least)) inst.v[k] = t->number[inst.v[k]].told;
  const int n = is_call(&inst) ? inst.n : 0;
  int32_t *list = n ? TCC_NEW_ARRAY(t->arena, int32_t, n) : NULL;
  for (int k = 0; k < n; k++)
    list[k] = reads(t, inst.list[k], is_i64(inst.types[k]), 0) ? t->number[inst.list[k]].told : inst.list[k];
  if (n) inst.list = list;
  put(t, inst);
}

static void put_told(Telling *t, const TccLlvmInst *inst) {
  if (inst->op == TCC_LLVM_INT && t->number[inst->result].inst) put_number(t, &t->number[inst->result]);
  else if (t->what & TCC_TELL_FLOATS && is_told_float(inst)) put_float(t, inst);
  else if (is_told_place(t, inst)) put_place(t, inst);
  else if (is_division(inst) && t->number[inst->v[1]].divides) put_division(t, inst, &t->number[inst->v[1]]);
  else put_again(t, *inst);
}

/* What stands in front has its place where it is used first: constants that were folded into others have none. */
static void put_first(Telling *t, TccVal v) {
  const TccLlvmInst *inst = t->first[v];
  if (!inst) return;
  t->first[v] = NULL;
  const TccLlvmInst *at = inst->op == TCC_LLVM_LOAD ? t->first[inst->v[0]] : NULL;
  if (at && at->v[0] == t->table && at->op == TCC_LLVM_GEP_AT) { /* a word of the table that there is: it has another place, too */
    put_word(t, (TccWord){0, at->number}, inst->type, inst->result);
    return;
  }
  for (int k = 0; k < 3; k++) put_first(t, inst->v[k]);
  put_told(t, inst);
}

static bool stands_in_front(const TccLlvmInst *inst) {
  return inst->op <= TCC_LLVM_ADDRESS || inst->op == TCC_LLVM_GEP_AT || (inst->op == TCC_LLVM_LOAD && !inst->number);
}

size_t emit_told_size(const TccLlvmItem *function) {
  size_t first = 0;
  while (first < function->ninsts && stands_in_front(&function->insts[first])) first++;
  return function->ninsts - first;
}

static void rewrite(Telling *t) {
  const TccLlvmItem *f = t->function;
  const size_t first = f->ninsts - emit_told_size(f);
  for (size_t i = 0; i < first; i++) t->first[f->insts[i].result] = &f->insts[i];
  for (size_t i = first; i < f->ninsts; i++) {
    const TccLlvmInst *inst = &f->insts[i];
    t->in_head = true;
    for (int k = 0; k < 3; k++) put_first(t, inst->v[k]);
    for (int k = 0; k < list_length(inst); k++) put_first(t, inst->list[k]);
    t->in_head = false;
    put_told(t, inst);
  }
  for (size_t i = 0; i < t->body.count; i++) TCC_VEC_PUSH(t->arena, &t->head, t->body.data[i]);
}

/* Numbers of values and blocks, in the order of their first appearance. */
static void number_again(Telling *t) {
  TccLlvmItem *f = t->function;
  TccVal *as = TCC_NEW_ARRAY(t->arena, TccVal, f->numbers), next = 1;
  for (int i = 0; i < f->nparams; i++) as[next] = next, next++;
  for (size_t i = 0; i < t->head.count; i++) {
    TccLlvmInst *inst = &t->head.data[i];
    for (int k = 0; k < 3; k++) {
      if (inst->v[k] && !as[inst->v[k]]) as[inst->v[k]] = next++;
      inst->v[k] = inst->v[k] ? as[inst->v[k]] : 0;
    }
    const int n = list_length(inst);
    int32_t *list = n ? TCC_NEW_ARRAY(t->arena, int32_t, n) : NULL;
    for (int k = 0; k < n; k++) {
      if (!as[inst->list[k]]) as[inst->list[k]] = next++;
      list[k] = as[inst->list[k]];
    }
    if (n) inst->list = list;
    if (inst->result && !as[inst->result]) as[inst->result] = next++;
    inst->result = inst->result ? as[inst->result] : 0;
  }
  f->insts = t->head.data, f->ninsts = t->head.count, f->numbers = next;
}

void emit_tell(TccArena *arena, TccLlvmItem *function, TccVal table, unsigned what, TccWords *words) {
  const size_t n = (size_t)function->numbers;
  Telling t = {.arena = arena, .function = function, .table = table, .words = words, .what = what};
  t.number = TCC_NEW_ARRAY(arena, Number, n), t.is_base = TCC_NEW_ARRAY(arena, uint8_t, n);
  t.first = TCC_NEW_ARRAY(arena, const TccLlvmInst *, n);
  look_at_bases(&t), look_at_uses(&t);
  rewrite(&t);
  number_again(&t);
}
