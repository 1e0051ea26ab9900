/* plan_print.c - a plan as text: one line per symbol, kernel, value and command. For people and for tests. */
#include "internal.h"

typedef struct {
  const TccPlanHeader *plan;
  TccText *out;
  const uint32_t *indices;
  const TccPlanExpr *exprs;
} Printer;

static const char *text(const Printer *p, TccPlanText t) { return tcc_plan_text(p->plan, t); }

static const char *symbol_name(int32_t index, void *plan) {
  const TccPlanHeader *header = plan;
  const TccPlanSymbol *symbols = tcc_plan_at(header, header->symbols);
  return index >= 0 && (size_t)index < header->symbols.count ? tcc_plan_text(header, symbols[index].name) : "?";
}

static void put_expr(const Printer *p, uint32_t index) {
  const TccPlanExpr *expr = &p->exprs[index];
  const unsigned char *code = tcc_plan_at(p->plan, p->plan->code);
  if (expr->stage < 0) tcc_text_printf(p->out, "%lld", (long long)expr->constant);
  else if (!tcc_expr_code_text(code + expr->code, expr->length, symbol_name, (void *)p->plan, p->out)) tcc_text_printf(p->out, "?");
}

static void put_exprs(const Printer *p, TccPlanRange range, const char *separator) {
  for (uint32_t i = 0; i < range.count; i++) {
    if (i) tcc_text_printf(p->out, "%s", separator);
    put_expr(p, p->indices[range.first + i]);
  }
}

void tcc_plan_print_value_type(const TccPlanHeader *plan, const TccPlanValue *value, TccText *out) {
  Printer p = {plan, out, tcc_plan_at(plan, plan->indices), tcc_plan_at(plan, plan->exprs)};
  tcc_text_printf(out, "%s[", tcc_elem_name((TccElem)value->elem));
  put_exprs(&p, value->dims, " x ");
  tcc_text_printf(out, "]");
}

void tcc_plan_print_type(const TccPlanHeader *plan, bool output, uint32_t index, TccText *out) {
  const TccPlanPort *port = (const TccPlanPort *)tcc_plan_at(plan, output ? plan->outputs : plan->inputs) + index;
  const TccPlanFunction *entry = tcc_plan_at(plan, plan->functions); /* the first one */
  const TccPlanValue *value = (const TccPlanValue *)tcc_plan_at(plan, plan->values) + entry->values.first + port->value;
  tcc_plan_print_value_type(plan, value, out);
  const TccPlanSpecialised *specialised = tcc_plan_at(plan, plan->specialised);
  for (uint32_t i = 0; !output && i < plan->specialised.count; i++)
    if (specialised[i].input == index) tcc_text_printf(out, ", its value compiled in");
}

void tcc_plan_count_calls(const TccPlanHeader *plan, uint32_t *out) {
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  const TccPlanCommand *commands = tcc_plan_at(plan, plan->commands);
  for (uint32_t f = 0; f < plan->functions.count; f++) out[f] = f == 0;
  for (uint32_t f = 0; f < plan->functions.count; f++) /* callees stand behind their callers */
    for (uint32_t i = functions[f].commands.first; i < functions[f].commands.first + functions[f].commands.count; i++) {
      if (commands[i].kind != TCC_PLAN_REGION && commands[i].kind != TCC_PLAN_LOOP) continue;
      uint32_t *calls = &out[commands[i].index];
      *calls = UINT32_MAX - *calls < out[f] ? UINT32_MAX : *calls + out[f];
    }
}

static void put_values(const Printer *p, TccPlanRange range) {
  for (uint32_t i = 0; i < range.count; i++) tcc_text_printf(p->out, "%s%%%u", i ? ", " : "", p->indices[range.first + i]);
}

static void put_value(const Printer *p, uint32_t index, const TccPlanValue *value) {
  const TccPlanHeader *plan = p->plan;
  tcc_text_printf(p->out, "  %%%u: %s[", index, value->kind == TCC_PLAN_NONE ? "none" : tcc_elem_name((TccElem)value->elem));
  put_exprs(p, value->dims, "x");
  tcc_text_printf(p->out, "]%s", value->space == TCC_SPACE_DEVICE ? " on the device" : "");
  switch ((TccPlanValueKind)value->kind) {
  case TCC_PLAN_ARGUMENT: tcc_text_printf(p->out, " argument"); break;
  case TCC_PLAN_RESULT: break;
  case TCC_PLAN_ALIAS: tcc_text_printf(p->out, " = %%%u", value->index); break;
  case TCC_PLAN_WEIGHT: {
    const TccPlanWeight *weight = (const TccPlanWeight *)tcc_plan_at(plan, plan->weights) + value->index;
    const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(plan, plan->sources) + weight->source;
    tcc_text_printf(p->out, " weight '%s' in '%s' at %llu", text(p, weight->name), text(p, source->name),
                    (unsigned long long)weight->offset);
    break;
  }
  case TCC_PLAN_CONSTANT: tcc_text_printf(p->out, " constant %u", value->index); break;
  case TCC_PLAN_SIZES:
    tcc_text_printf(p->out, " sizes ");
    put_exprs(p, value->sizes, ", ");
    break;
  case TCC_PLAN_NONE: tcc_text_printf(p->out, " absent"); break;
  }
  tcc_text_printf(p->out, "\n");
}

static void put_command(const Printer *p, const TccPlanCommand *command) {
  const TccPlanHeader *plan = p->plan;
  tcc_text_printf(p->out, "  ");
  if (command->results.count) {
    put_values(p, command->results);
    tcc_text_printf(p->out, " = ");
  }
  if (command->kind == TCC_PLAN_REGION || command->kind == TCC_PLAN_LOOP) {
    const TccPlanFunction *callee = (const TccPlanFunction *)tcc_plan_at(plan, plan->functions) + command->index;
    if (command->kind == TCC_PLAN_LOOP) {
      tcc_text_printf(p->out, "loop ");
      put_expr(p, command->trips);
      tcc_text_printf(p->out, command->conditional ? " while " : " ");
    }
    tcc_text_printf(p->out, "region %s", text(p, callee->name));
    if (command->kind == TCC_PLAN_REGION) tcc_text_printf(p->out, " copy %u", command->copy);
  } else if (command->kind == TCC_PLAN_COUNT) {
    tcc_text_printf(p->out, "count %s", text(p, ((const TccPlanSymbol *)tcc_plan_at(plan, plan->symbols))[command->index].name));
  } else {
    tcc_text_printf(p->out, "call %s", text(p, ((const TccPlanCall *)tcc_plan_at(plan, plan->calls))[command->index].name));
  }
  tcc_text_printf(p->out, "(");
  put_values(p, command->operands);
  tcc_text_printf(p->out, ")");
  for (uint32_t i = 0; i < command->nodes.count; i++)
    tcc_text_printf(p->out, "%s%s", i ? ", " : " for ", text(p, p->indices[command->nodes.first + i]));
  for (uint32_t i = 0; i + 1 < command->inplace.count; i += 2)
    tcc_text_printf(p->out, " result %u in place of operand %u", p->indices[command->inplace.first + i + 1],
                    p->indices[command->inplace.first + i]);
  tcc_text_printf(p->out, "\n");
}

static void put_function(const Printer *p, const TccPlanFunction *function) {
  const TccPlanValue *values = (const TccPlanValue *)tcc_plan_at(p->plan, p->plan->values) + function->values.first;
  const TccPlanCommand *commands = (const TccPlanCommand *)tcc_plan_at(p->plan, p->plan->commands) + function->commands.first;
  tcc_text_printf(p->out, "function %s (%u ops)\n", text(p, function->name), function->ops);
  for (uint32_t i = 0; i < function->values.count; i++) put_value(p, i, &values[i]);
  for (uint32_t i = 0; i < function->commands.count; i++) put_command(p, &commands[i]);
  tcc_text_printf(p->out, "  return ");
  put_values(p, function->results);
  tcc_text_printf(p->out, "\n");
}

/* By what files are known; nothing for one that was not there. */
static void put_sources(const Printer *p) {
  static const char *const kinds[] = {"file", "data", "attached"};
  const TccPlanSource *sources = tcc_plan_at(p->plan, p->plan->sources);
  char digest[2 * TCC_DIGEST_BYTES + 1];
  for (size_t i = 0; i < p->plan->sources.count; i++) {
    tcc_text_printf(p->out, "source %zu %s '%s'", i, kinds[sources[i].kind], text(p, sources[i].name));
    if (sources[i].identity) tcc_text_printf(p->out, " of %llu bytes", (unsigned long long)sources[i].bytes);
    tcc_digest_text(sources[i].model, digest);
    if (sources[i].is_model) tcc_text_printf(p->out, ", model %s", digest);
    if (sources[i].identity == TCC_IDENTITY_FULL) tcc_text_printf(p->out, ", weights by digest");
    tcc_text_printf(p->out, "\n");
  }
  const TccPlanRead *reads = tcc_plan_at(p->plan, p->plan->reads);
  for (size_t i = 0; i < p->plan->reads.count; i++) {
    tcc_digest_text(reads[i].digest, digest);
    tcc_text_printf(p->out, "compiled in '%s': source %u at %llu, %llu bytes, %s\n", text(p, reads[i].name), reads[i].source,
                    (unsigned long long)reads[i].offset, (unsigned long long)reads[i].length, digest);
  }
}

static void put_tensor_map(const Printer *p, const TccPlanTensorMap *map) {
  tcc_text_printf(p->out, " map %u of %s offset ", map->value, tcc_elem_name((TccElem)map->elem));
  put_expr(p, map->offset);
  for (uint32_t i = 0; i < map->rank; i++) {
    tcc_text_printf(p->out, i ? ", " : " size [");
    put_expr(p, map->size[i]);
    if (i) tcc_text_printf(p->out, " by ");
    if (i) put_expr(p, map->stride[i]);
  }
  tcc_text_printf(p->out, "] box [");
  for (uint32_t i = 0; i < map->rank; i++) tcc_text_printf(p->out, "%s%u", i ? ", " : "", map->box[i]);
  tcc_text_printf(p->out, "] swizzle %u", map->swizzle);
  for (uint32_t i = 0; map->im2col && i < map->rank - 2; i++)
    tcc_text_printf(p->out, "%s%d to %d by %u", i ? ", " : " im2col ", map->lower[i], map->upper[i], map->step[i]);
}

static void put_launch(const Printer *p, const TccPlanLaunch *l) {
  tcc_text_printf(p->out, " launch grid [");
  for (int i = 0; i < 3; i++) {
    if (i) tcc_text_printf(p->out, ", ");
    put_expr(p, l->grid[i]);
  }
  tcc_text_printf(p->out, "] block [%u, %u, %u] cluster [%u, %u, %u] shared %u + ", l->block[0], l->block[1], l->block[2],
                  l->cluster[0], l->cluster[1], l->cluster[2], l->static_shared);
  put_expr(p, l->dynamic_shared);
  const TccPlanTensorMap *maps = (const TccPlanTensorMap *)tcc_plan_at(p->plan, p->plan->tensor_maps) + l->maps.first;
  for (uint32_t i = 0; i < l->maps.count; i++) put_tensor_map(p, &maps[i]);
}

static void put_images(const Printer *p) {
  static const char *const kinds[] = {"PTX", "cubin"};
  const TccPlanImage *images = tcc_plan_at(p->plan, p->plan->images);
  for (size_t i = 0; i < p->plan->images.count; i++) {
    tcc_text_printf(p->out, "image %s for %s, %llu bytes, kernels", kinds[images[i].kind], text(p, images[i].chip),
                    (unsigned long long)images[i].length);
    for (uint32_t k = 0; k < images[i].kernels.count; k++) tcc_text_printf(p->out, " %u", p->indices[images[i].kernels.first + k]);
    tcc_text_printf(p->out, "\n");
  }
}

void tcc_plan_print(const void *block, TccText *out) {
  const TccPlanHeader *plan = block;
  Printer p = {plan, out, tcc_plan_at(plan, plan->indices), tcc_plan_at(plan, plan->exprs)};
  tcc_text_printf(out, "plan for %s, %s, isa ", text(&p, plan->target), text(&p, plan->machine));
  tcc_isa_text(plan->isa, out);
  tcc_text_printf(out, "\n");
  put_sources(&p);
  const TccPlanSymbol *symbols = tcc_plan_at(plan, plan->symbols);
  for (size_t i = 0; i < plan->symbols.count; i++)
    tcc_text_printf(out, "symbol %s stage %u\n", text(&p, symbols[i].name), symbols[i].stage);
  const TccPlanPort *inputs = tcc_plan_at(plan, plan->inputs), *outputs = tcc_plan_at(plan, plan->outputs);
  for (size_t i = 0; i < plan->inputs.count; i++)
    tcc_text_printf(out, "input %zu '%s' %%%u%s\n", i, text(&p, inputs[i].name), inputs[i].value,
                    inputs[i].kind == TCC_PORT_STATIC  ? " static"
                    : inputs[i].kind == TCC_PORT_STATE ? " state"
                                                       : "");
  for (size_t i = 0; i < plan->outputs.count; i++) {
    tcc_text_printf(out, "output %zu '%s' %%%u", i, text(&p, outputs[i].name), outputs[i].value);
    if (outputs[i].tied >= 0)
      tcc_text_printf(out, outputs[i].kind == TCC_PORT_INITIAL ? " initial of input %d" : " in place of input %d", outputs[i].tied);
    tcc_text_printf(out, "\n");
  }
  const TccPlanConstraint *constraints = tcc_plan_at(plan, plan->constraints);
  static const char *const relations[] = {"<=", "=", "multiple of"};
  for (size_t i = 0; i < plan->constraints.count; i++)
    tcc_text_printf(out, "constraint %s %s %s  %s\n", text(&p, constraints[i].left_text), relations[constraints[i].relation],
                    text(&p, constraints[i].right_text), text(&p, constraints[i].origin));
  const TccPlanSpecialised *specialised = tcc_plan_at(plan, plan->specialised);
  for (size_t i = 0; i < plan->specialised.count; i++)
    tcc_text_printf(out, "specialised input %u to constant %u\n", specialised[i].input, specialised[i].constant);
  const TccPlanKernel *kernels = tcc_plan_at(plan, plan->kernels);
  for (size_t i = 0; i < plan->kernels.count; i++)
    tcc_text_printf(out, "kernel %s%s by %s%s%s\n", text(&p, kernels[i].symbol), kernels[i].builtin ? " (builtin)" : "",
                    text(&p, kernels[i].emitter), *text(&p, kernels[i].schedule) ? " " : "", text(&p, kernels[i].schedule));
  put_images(&p);
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (size_t i = 0; i < plan->calls.count; i++) {
    tcc_text_printf(out, "call %s %s kernel %u sizes [", text(&p, calls[i].name), text(&p, calls[i].kind), calls[i].kernel);
    put_exprs(&p, calls[i].sizes, ", ");
    tcc_text_printf(out, "] tiles ");
    put_expr(&p, calls[i].tiles);
    tcc_text_printf(out, " scratch ");
    put_expr(&p, calls[i].scratch);
    if (calls[i].launch) put_launch(&p, (const TccPlanLaunch *)tcc_plan_at(plan, plan->launches) + calls[i].launch - 1);
    const TccPlanCheck *check = (const TccPlanCheck *)tcc_plan_at(plan, plan->checks) + calls[i].checks.first;
    for (uint32_t k = 0; k < calls[i].checks.count; k++) {
      static const char *const ranges[] = {"any index", "indices in [-", "indices in [0"};
      if (check[k].valid == TCC_PLAN_INDEX_ANY) continue;
      tcc_text_printf(out, " %s", ranges[check[k].valid]);
      if (check[k].valid == TCC_PLAN_INDEX_SIGNED) put_expr(&p, check[k].size);
      tcc_text_printf(out, ", ");
      put_expr(&p, check[k].size);
      tcc_text_printf(out, ") of %s", text(&p, check[k].where));
      if (check[k].message) tcc_text_printf(out, ", else '%s'", text(&p, check[k].message));
    }
    const TccPrefetch *prefetch = &calls[i].prefetch;
    if (prefetch->streams)
      tcc_text_printf(out, " prefetch operand %u at %lld + %lld tile, %u runs %lld apart", prefetch->operand,
                      (long long)prefetch->offset, (long long)prefetch->step, prefetch->streams, (long long)prefetch->pitch);
    tcc_text_printf(out, "\n");
  }
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  for (size_t i = 0; i < plan->functions.count; i++) put_function(&p, &functions[i]);
}
