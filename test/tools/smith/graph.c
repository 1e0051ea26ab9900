/* graph.c - see graph.h: values, leaves, and the module as text. What ops there are is in ops.c. */
#include "test/tools/smith/graph.h"
#include "mlir-c/Support.h"
#include "tcc/op_kinds.h"
#include "tcc/optable.h"
#include <math.h>
#include <stdlib.h>

uint64_t smith_random(SmithGraph *g, uint64_t below) { /* splitmix64 */
  uint64_t z = g->state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return below ? z % below : 0;
}

bool smith_chance(SmithGraph *g, unsigned percent) { return smith_random(g, 100) < percent; }

double smith_unit(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F64: return 0x1p-53;
  case TCC_ELEM_F32: return 0x1p-24;
  case TCC_ELEM_F16: return 0x1p-11;
  case TCC_ELEM_BF16: return 0x1p-8;
  case TCC_ELEM_F8E4M3FN: return 0x1p-4;
  case TCC_ELEM_F8E5M2: return 0x1p-3;
  case TCC_ELEM_F4E2M1FN: return 0x1p-2;
  default: return 0;
  }
}

/* Up to which all integers are numbers of the type. */
static double exact_limit(TccElem elem) {
  if (tcc_elem_is_float(elem)) return elem == TCC_ELEM_F64 ? 0x1p50 : 0.5 / smith_unit(elem);
  if (elem == TCC_ELEM_BOOL) return 1;
  return ldexp(1, (int)tcc_elem_bits(elem) - 1) - 1;
}

static bool is_narrow(TccElem elem) { return tcc_elem_bits(elem) < 8 || !tcc_elem_computes(elem); }

static void put_type(TccText *text, MlirType type) { mlirTypePrint(type, tcc_append, text); }

size_t smith_pick(SmithGraph *g, SmithFits *fits, const void *more) {
  size_t found = SIZE_MAX, seen = 0;
  for (size_t i = 0; i < g->count; i++) { /* later ones and those that nobody reads yet oftener */
    if (g->values[i].hidden || !fits(&g->values[i], more)) continue;
    size_t weight = 1 + (i + 8 > g->count ? 3 : 0) + (g->values[i].used ? 0 : 2);
    seen += weight;
    if (smith_random(g, seen) < weight) found = i;
  }
  return found;
}

bool smith_symbol_is_bound(const SmithGraph *g) { return g->symbol_bound; }

static MlirType parse_type(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, unsigned symbolic) {
  TccText text = {0};
  tcc_text_printf(&text, "tensor<");
  for (int i = 0; i < rank; i++)
    if (symbolic >> i & 1) tcc_text_printf(&text, "?x");
    else tcc_text_printf(&text, "%lldx", (long long)dims[i]);
  tcc_text_printf(&text, "%s", tcc_elem_name(elem));
  for (int i = 0; symbolic && i < rank; i++)
    if (symbolic >> i & 1) tcc_text_printf(&text, "%s\"N\"", i ? ", " : ", [");
    else tcc_text_printf(&text, "%s%lld", i ? ", " : ", [", (long long)dims[i]);
  tcc_text_printf(&text, "%s>", symbolic ? "]" : "");
  MlirType type = mlirTypeParseGet(g->ir->context, mlirStringRefCreate(text.data, text.length));
  tcc_text_destroy(&text);
  return type;
}

MlirType smith_type(SmithGraph *g, TccElem elem, int rank, const int64_t *dims) { return parse_type(g, elem, rank, dims, 0); }

static bool symbol_value(TccStr name, int64_t *out, void *graph) {
  const SmithGraph *g = graph;
  *out = g->symbol;
  for (size_t i = 0; i < g->ncounted; i++) {
    char counted[8];
    snprintf(counted, sizeof counted, "Z%d", (int)i);
    if (tcc_str_is(name, counted)) *out = g->counted[i];
  }
  return tcc_str_is(name, "N") || (name.length > 1 && name.data[0] == 'Z');
}

enum { MOST_ELEMENTS = 20000, MOST_LARGE = 400000, MOST_LISTED = 400 /* of a constant, in decimal */ }; /* elements of a value */

/* What the type says, with the value of the symbol; false: it cannot be a value. */
static bool read_type(SmithGraph *g, MlirType type, SmithValue *out) {
  out->type = type;
  out->elem = tcc_type_elem(type);
  out->rank = tcc_type_rank(type);
  if (out->elem == TCC_ELEM_NONE || out->rank < 0 || out->rank > SMITH_MAX_RANK) return false;
  int64_t count = 1;
  for (int i = 0; i < out->rank; i++) {
    const TccExpr *dim = tcc_type_dim(g->ir, type, i);
    TccStatus *status = dim ? tcc_expr_eval(dim, symbol_value, g, &out->dims[i]) : NULL;
    const bool known = dim && !status;
    tcc_status_destroy(status);
    if (!known || out->dims[i] < 0) return false;
    count *= out->dims[i];
  }
  return count <= (g->large ? MOST_LARGE : MOST_ELEMENTS);
}

static double next_number(SmithGraph *g, bool integral, double least, double most) {
  if (integral) return least + (double)smith_random(g, (uint64_t)(most - least) + 1);
  return least + (most - least) * (double)smith_random(g, 1 << 20) * 0x1p-20;
}

/* values: NULL for random ones. */
static void fill(SmithGraph *g, TccHostTensor *tensor, bool integral, double least, double most, const double *values) {
  for (size_t i = 0; i < tensor->count; i++) {
    const double value = values ? values[i] : next_number(g, integral, least, most);
    if (tcc_elem_is_float(tensor->elem)) tcc_elem_store_f64(tensor->elem, tensor->data, i, value);
    else tcc_elem_store_i64(tensor->elem, tensor->data, i, (int64_t)value);
  }
}

/* dense<...>: nested lists in hexadecimal or decimal, so that numbers are what they were. */
static void put_elements(TccText *text, const TccHostTensor *tensor, int axis, size_t *at) {
  if (axis == tensor->rank) {
    const size_t i = (*at)++;
    if (tcc_elem_is_float(tensor->elem)) tcc_text_printf(text, "%.17e", tcc_elem_load_f64(tensor->elem, tensor->data, i));
    else if (tensor->elem == TCC_ELEM_BOOL)
      tcc_text_printf(text, "%s", tcc_elem_load_i64(tensor->elem, tensor->data, i) ? "true" : "false");
    else tcc_text_printf(text, "%lld", (long long)tcc_elem_load_i64(tensor->elem, tensor->data, i));
    return;
  }
  tcc_text_printf(text, "[");
  for (int64_t i = 0; i < tensor->dims[axis]; i++) {
    if (i) tcc_text_printf(text, ", ");
    put_elements(text, tensor, axis + 1, at);
  }
  tcc_text_printf(text, "]");
}

/* The bytes of many elements, as dense<"0x..."> has them. */
static void put_bytes(TccText *text, const TccHostTensor *tensor) {
  static const char digits[] = "0123456789ABCDEF";
  const unsigned char *bytes = tensor->data;
  tcc_text_printf(text, "\"0x");
  for (size_t i = 0; i < tensor->bytes; i++) {
    const char pair[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
    tcc_text_put(text, pair, sizeof pair);
  }
  tcc_text_printf(text, "\"");
}

static void put_constant(SmithGraph *g, const SmithValue *value, const TccHostTensor *tensor) {
  size_t at = 0;
  tcc_text_printf(&g->body, "  %%%zu = \"tcc.constant\"() {value = dense<", g->count);
  if (tensor->count > MOST_LISTED && tcc_elem_bits(value->elem) >= 8 && value->elem != TCC_ELEM_BOOL) put_bytes(&g->body, tensor);
  else if (tensor->count) put_elements(&g->body, tensor, 0, &at);
  tcc_text_printf(&g->body, "> : ");
  put_type(&g->body, value->type);
  tcc_text_printf(&g->body, "} : () -> ");
  put_type(&g->body, value->type);
  tcc_text_printf(&g->body, "\n");
}

static size_t add_leaf(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, double least, double most,
                       bool symbolic, bool stored, const double *values) {
  if (g->count == SMITH_MAX_VALUES) return SIZE_MAX;
  integral |= !tcc_elem_is_float(elem);
  if (elem == TCC_ELEM_BOOL) least = 0, most = 1;
  if (tcc_elem_is_unsigned(elem) && least < 0) least = 0;
  if (integral) least = fmax(least, -exact_limit(elem)), most = fmin(most, exact_limit(elem));
  TccHostTensor *tensor = NULL;
  TccStatus *status = tcc_host_tensor_create(elem, rank, dims, &tensor);
  if (status) {
    tcc_status_destroy(status);
    return SIZE_MAX;
  }
  fill(g, tensor, integral, least, most, values);
  const bool packed = tcc_elem_bits(elem) < 8; /* NumPy's files hold no such elements: a constant, or nothing */
  const bool chosen = tensor->count <= (g->large ? MOST_LARGE : MOST_LISTED) && (packed || smith_chance(g, g->large ? 25 : 40)),
             constant = chosen || stored;
  if (packed && !constant) {
    tcc_host_tensor_destroy(tensor);
    return SIZE_MAX;
  }
  unsigned mask = 0;
  for (int i = 0; i < rank && symbolic && !constant; i++)
    mask |= (unsigned)(dims[i] == g->symbol && smith_chance(g, g->large ? 90 : 60)) << i;
  SmithValue *value = &g->values[g->count];
  *value = (SmithValue){.integral = integral, .constant = constant, .bound = fmax(fabs(least), fabs(most))};
  if (!read_type(g, parse_type(g, elem, rank, dims, mask), value)) {
    tcc_host_tensor_destroy(tensor);
    return SIZE_MAX;
  }
  g->narrow |= is_narrow(elem);
  if (constant) {
    put_constant(g, value, tensor);
    tcc_host_tensor_destroy(tensor);
  } else {
    tcc_text_printf(&g->arguments, "%s%%%zu: ", g->ninputs ? ", " : "", g->count);
    put_type(&g->arguments, value->type);
    g->inputs[g->ninputs++] = tensor;
    g->symbol_bound |= mask != 0;
  }
  return g->count++;
}

size_t smith_leaf(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, double least, double most,
                  bool symbolic) {
  return add_leaf(g, elem, rank, dims, integral, least, most, symbolic, false, NULL);
}

size_t smith_stored(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, double least, double most) {
  return add_leaf(g, elem, rank, dims, integral, least, most, false, true, NULL);
}

size_t smith_leaf_of(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral, const double *values) {
  size_t count = 1;
  double most = 0;
  for (int i = 0; i < rank; i++) count *= (size_t)dims[i];
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  return add_leaf(g, elem, rank, dims, integral, -most, most, false, false, values);
}

int smith_count(SmithGraph *g, size_t argument) {
  enum { MOST = sizeof g->counted / sizeof *g->counted };
  const TccHostTensor *tensor = g->ninputs ? g->inputs[g->ninputs - 1] : NULL;
  if (argument + 1 != g->count || g->ncounted == MOST || !tensor || g->values[argument].constant) return -1;
  int64_t count = 0;
  for (size_t i = 0; i < tensor->count; i++)
    count += tcc_elem_is_float(tensor->elem) ? tcc_elem_load_f64(tensor->elem, tensor->data, i) != 0
                                             : tcc_elem_load_i64(tensor->elem, tensor->data, i) != 0;
  g->counted[g->ncounted] = count;
  return (int)g->ncounted++;
}

/* The value of tcc.none in this module; made where it is first wanted. */
static void put_none(SmithGraph *g) { tcc_text_printf(&g->body, "  %%none%zu = \"tcc.none\"() : () -> none\n", g->nops); }

static TccOpKind kind_of(const char *name) {
  for (int kind = TCC_OP_UNKNOWN + 1; kind < TCC_OP_COUNT; kind++)
    if (strcmp(tcc_op_name((TccOpKind)kind), name) == 0) return (TccOpKind)kind;
  return TCC_OP_UNKNOWN;
}

/* Floats below 16 bits are moved and converted and no more (tcc_elem_computes); on integers of 4 and 2 bits there is elementwise arithmetic,
 * too. */
static bool takes(TccOpKind kind, TccElem elem) {
  static const TccOpKind moves[] = {TCC_OP_CONVERT, TCC_OP_SELECT,          TCC_OP_CONCAT,       TCC_OP_PAD,
                                    TCC_OP_GATHER,  TCC_OP_GATHER_ELEMENTS, TCC_OP_DYNAMIC_SLICE};
  if (!is_narrow(elem) || tcc_op_has_trait(kind, 'V')) return true;
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
    if (moves[i] == kind) return true;
  return tcc_elem_is_integer(elem) && tcc_op_has_trait(kind, 'E');
}

/* The value of a result, with what is known of it; false: the module would not be known well enough. */
static bool make_value(SmithGraph *g, MlirType type, const SmithFact *fact, bool exact, SmithValue *out) {
  SmithValue value = {.integral = fact->integral, .hidden = fact->hidden, .bound = fact->bound, .error = fact->error};
  if (!read_type(g, type, &value)) return false;
  if (value.integral && (exact || fact->certain) && value.bound <= exact_limit(value.elem)) value.error = 0;
  else if (value.integral || !tcc_elem_is_float(value.elem)) {
    if (!tcc_elem_is_float(value.elem)) return false; /* it may wrap */
    value.integral = false;
  }
  const double most = value.integral ? 0x1p24 : value.elem == TCC_ELEM_F16 ? 1e4 : 1e6;
  if (value.error > 0.02 * fmax(value.bound, 1e-3) || value.bound > most) return false;
  g->narrow |= is_narrow(value.elem);
  *out = value;
  return true;
}

static void put_op(SmithGraph *g, const char *name, const size_t *operands, size_t noperands, const char *attributes,
                   const MlirType *types, const MlirType *results, size_t nresults) {
  if (nresults == 1) tcc_text_printf(&g->body, "  %%%zu = \"%s\"(", g->count, name);
  else { /* names of their own for each result */ tcc_text_printf(&g->body, "  ");
    for (size_t r = 0; r < nresults; r++) tcc_text_printf(&g->body, "%s%%%zu", r ? ", " : "", g->count + r);
    tcc_text_printf(&g->body, " = \"%s\"(", name);
  }
  for (size_t i = 0; i < noperands; i++)
    if (operands[i] == SIZE_MAX) tcc_text_printf(&g->body, "%s%%none%zu", i ? ", " : "", g->nops);
    else tcc_text_printf(&g->body, "%s%%%zu", i ? ", " : "", operands[i]), g->values[operands[i]].used = true;
  tcc_text_printf(&g->body, ") %s : (", attributes);
  for (size_t i = 0; i < noperands; i++) {
    if (i) tcc_text_printf(&g->body, ", ");
    put_type(&g->body, types[i]);
  }
  tcc_text_printf(&g->body, ") -> %s", nresults > 1 ? "(" : "");
  for (size_t r = 0; r < nresults; r++) {
    if (r) tcc_text_printf(&g->body, ", ");
    put_type(&g->body, results[r]);
  }
  tcc_text_printf(&g->body, "%s\n", nresults > 1 ? ")" : "");
}

size_t smith_op_with(SmithGraph *g, const char *name, const size_t *operands, size_t noperands, const char *attributes,
                     MlirType declared, const SmithFact *facts) {
  MlirType types[TCC_MAX_OPERANDS], results[TCC_MAX_RESULTS];
  TccBounds bounds = {0};
  TccOpKind kind = kind_of(name);
  const TccOpRow *row = kind == TCC_OP_UNKNOWN ? NULL : tcc_op_row(kind);
  MlirAttribute given = mlirAttributeParseGet(g->ir->context, mlirStringRefCreateFromCString(*attributes ? attributes : "{}"));
  bool absent = false, exact = true;
  if (!row || mlirAttributeIsNull(given) || g->count + row->nresults > SMITH_MAX_VALUES) return SIZE_MAX;
  for (size_t i = 0; i < noperands; i++) {
    if (operands[i] == SIZE_MAX) absent = true;
    else exact &= g->values[operands[i]].error == 0;
    if (operands[i] != SIZE_MAX && !takes(kind, g->values[operands[i]].elem)) return SIZE_MAX;
    types[i] = operands[i] == SIZE_MAX ? mlirNoneTypeGet(g->ir->context) : g->values[operands[i]].type;
  }
  TccRuleInput input = {
      .ir = g->ir, .kind = kind, .noperands = noperands, .operand = types, .attributes = given, .bounds = &bounds};
  if (!mlirTypeIsNull(declared)) input.declared = &declared;
  if (!tcc_op_infer(&input, results) || bounds.count) return SIZE_MAX;
  for (size_t r = 0; r < row->nresults; r++)
    if (!make_value(g, results[r], &facts[r], exact, &g->values[g->count + r])) return SIZE_MAX;
  if (absent) put_none(g);
  put_op(g, name, operands, noperands, attributes, types, results, row->nresults);
  g->nops++;
  g->count += row->nresults;
  return g->count - row->nresults;
}

size_t smith_op(SmithGraph *g, const char *name, const size_t *operands, size_t noperands, const char *attributes,
                MlirType declared, bool integral, double bound, double error) {
  SmithFact facts[TCC_MAX_RESULTS];
  for (int i = 0; i < TCC_MAX_RESULTS; i++) facts[i] = (SmithFact){.integral = integral, .bound = bound, .error = error};
  return smith_op_with(g, name, operands, noperands, attributes, declared, facts);
}

size_t smith_loop(SmithGraph *g, size_t x, size_t a, size_t b, const char *trips, double bound, double error) {
  SmithValue value = g->values[x];
  if (g->count == SMITH_MAX_VALUES || is_narrow(value.elem) || !mlirTypeEqual(g->values[a].type, value.type) ||
      error > 0.02 * fmax(bound, 1e-3))
    return SIZE_MAX;
  TccText type = {0}, scalar = {0};
  put_type(&type, value.type);
  put_type(&scalar, g->values[b].type);
  const char *t = type.data, *u = scalar.data;
  tcc_text_printf(&g->functions,
                  "func.func private @loop%zu(%%x: %s, %%a: %s, %%b: %s) -> %s {\n  %%0 = \"tcc.mul\"(%%x, %%a) : (%s, %s) -> %s\n"
                  "  %%1 = \"tcc.add\"(%%0, %%b) : (%s, %s) -> %s\n  %%2 = \"tcc.tanh\"(%%1) : (%s) -> %s\n  return %%2 : %s\n}\n",
                  g->count, t, t, u, t, t, t, t, t, u, t, t, t, t);
  tcc_text_printf(&g->body, "  %%%zu = func.call @loop%zu(%%%zu, %%%zu, %%%zu) {tcc.trips = [%s]} : (%s, %s, %s) -> %s\n", g->count,
                  g->count, x, a, b, trips, t, t, u, t);
  tcc_text_destroy(&type);
  tcc_text_destroy(&scalar);
  value.bound = bound, value.error = error, value.integral = false, value.used = false;
  g->values[x].used = g->values[a].used = g->values[b].used = true;
  g->values[g->count] = value;
  g->nops++;
  return g->count++;
}

/* ---- the module ---- */
/* Elements of less than a byte leave as wider ones: NumPy's files, in which a seed that fails is kept, hold no others. */
static size_t as_output(SmithGraph *g, size_t i) {
  const SmithValue v = g->values[i];
  if (tcc_elem_bits(v.elem) >= 8) return i;
  const TccElem wide = tcc_elem_is_float(v.elem) ? TCC_ELEM_F32 : TCC_ELEM_I32;
  return smith_op(g, "tcc.convert", &i, 1, "", smith_type(g, wide, v.rank, v.dims), v.integral, v.bound, v.error);
}

static void choose_outputs(SmithGraph *g) {
  const size_t count = g->count;
  for (size_t i = 0; i < count; i++) {
    if (g->values[i].hidden || (g->values[i].used && !smith_chance(g, 8))) continue;
    const size_t output = as_output(g, i);
    if (output != SIZE_MAX) g->outputs[g->noutputs++] = output;
  }
}

static void write_module(SmithGraph *g) {
  tcc_text_printf(&g->module, "%sfunc.func @main(%s) -> (", g->functions.length ? g->functions.data : "",
                  g->arguments.length ? g->arguments.data : "");
  for (size_t i = 0; i < g->noutputs; i++) {
    if (i) tcc_text_printf(&g->module, ", ");
    put_type(&g->module, g->values[g->outputs[i]].type);
  }
  tcc_text_printf(&g->module, ") {\n%s  return ", g->body.length ? g->body.data : "");
  for (size_t i = 0; i < g->noutputs; i++) tcc_text_printf(&g->module, "%s%%%zu", i ? ", " : "", g->outputs[i]);
  tcc_text_printf(&g->module, " : ");
  for (size_t i = 0; i < g->noutputs; i++) {
    if (i) tcc_text_printf(&g->module, ", ");
    put_type(&g->module, g->values[g->outputs[i]].type);
  }
  tcc_text_printf(&g->module, "\n}\n");
}

TccStatus *smith_make(TccIr *ir, uint64_t seed, size_t ops, bool large, SmithGraph *out) {
  *out = (SmithGraph){.ir = ir, .state = seed * 0x2545f4914f6cdd1d + 1, .large = large};
  out->symbol = 2 + (int64_t)smith_random(out, large && smith_chance(out, 50) ? 200 : 9);
  for (int tries = 0; large && out->nops == 0 && tries < 40; tries++) smith_grow_large(out);
  if (large && smith_chance(out, 30)) smith_grow_large(out);
  for (size_t tries = 0; out->nops < ops && tries < 40 * ops; tries++) smith_grow(out);
  choose_outputs(out);
  write_module(out);
  return out->module.failed ? TCC_ERROR(TCC_NO_MEMORY, "out of memory") : NULL;
}

void smith_destroy(SmithGraph *graph) {
  for (size_t i = 0; i < graph->ninputs; i++) tcc_host_tensor_destroy(graph->inputs[i]);
  tcc_text_destroy(&graph->functions);
  tcc_text_destroy(&graph->arguments);
  tcc_text_destroy(&graph->body);
  tcc_text_destroy(&graph->module);
}
