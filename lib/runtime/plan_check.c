/* plan_check.c - every offset and index of a plan, checked once, so that the rest of the run-time trusts them. */
#include "internal.h"

typedef struct {
  const TccPlanHeader *plan;
  const char *bad;
} Check;

static bool table_fits(Check *check, TccPlanTable table, size_t record, const char *name) {
  size_t bytes;
  bool ok = tcc_mul_size(table.count, record, &bytes) && table.offset <= check->plan->bytes &&
            bytes <= check->plan->bytes - table.offset && table.offset % 8 == 0 && table.count < UINT32_MAX;
  if (!ok && !check->bad) check->bad = name;
  return ok;
}

static void require(Check *check, bool ok, const char *name) {
  if (!ok && !check->bad) check->bad = name;
}

static bool text_ok(const Check *check, TccPlanText text) { return text < check->plan->texts.count; }
static bool range_ok(TccPlanRange range, size_t count) { return range.first <= count && range.count <= count - range.first; }

/* A range of indices, each below limit. */
static bool list_ok(const Check *check, TccPlanRange range, uint64_t limit) {
  if (!range_ok(range, check->plan->indices.count)) return false;
  const uint32_t *indices = (const uint32_t *)tcc_plan_at(check->plan, check->plan->indices) + range.first;
  for (uint32_t i = 0; i < range.count; i++)
    if (indices[i] >= limit) return false;
  return true;
}

static bool tables_fit(Check *check) {
  const TccPlanHeader *p = check->plan;
  bool ok = table_fits(check, p->texts, 1, "texts") & table_fits(check, p->code, 1, "code") & table_fits(check, p->data, 1, "data");
#define FITS(name, type) ok &= table_fits(check, p->name, sizeof(type), #name);
  TCC_PLAN_TABLES(FITS)
#undef FITS
  if (!ok) return false;
  const char *texts = tcc_plan_at(p, p->texts);
  require(check, p->texts.count > 0 && texts[0] == 0 && texts[p->texts.count - 1] == 0, "texts");
  require(check, p->functions.count > 0, "functions");
  return check->bad == NULL;
}

static bool product_ok(const uint32_t *sizes, uint32_t most) {
  uint32_t product = 1;
  for (int i = 0; i < 3; i++) {
    if (sizes[i] < 1 || sizes[i] > most) return false;
    product *= sizes[i];
  }
  return product <= most;
}

static bool launch_ok(const Check *check, const TccPlanLaunch *launch) {
  for (int i = 0; i < 3; i++)
    if (launch->grid[i] >= check->plan->exprs.count) return false;
  return launch->dynamic_shared < check->plan->exprs.count && product_ok(launch->block, TCC_LAUNCH_THREADS) &&
         product_ok(launch->cluster, TCC_LAUNCH_CLUSTER) && launch->static_shared <= TCC_LAUNCH_SHARED &&
         range_ok(launch->maps, check->plan->tensor_maps.count);
}

static bool tensor_map_ok(const Check *check, const TccPlanTensorMap *map) {
  uint64_t exprs = check->plan->exprs.count;
  if (map->rank < 1 || map->rank > TCC_TENSOR_MAP_RANK || map->elem >= TCC_ELEM_COUNT || map->offset >= exprs) return false;
  for (uint32_t i = 0; i < map->rank; i++)
    if (map->size[i] >= exprs || map->stride[i] >= exprs) return false;
  if (map->im2col > 1 || (map->im2col && map->rank < 3)) return false;
  int reach = tcc_im2col_reach(map->rank);
  for (uint32_t i = 0; map->im2col && i < map->rank - 2; i++)
    if (map->lower[i] < -reach || map->lower[i] >= reach || map->upper[i] < -reach || map->upper[i] >= reach || map->step[i] < 1 ||
        map->step[i] > TCC_IM2COL_STEP)
      return false;
  return map->swizzle == 0 || map->swizzle == 32 || map->swizzle == 64 || map->swizzle == 128;
}

static bool image_ok(const Check *check, const TccPlanImage *image) {
  const TccPlanHeader *p = check->plan;
  const char *data = tcc_plan_at(p, p->data);
  return text_ok(check, image->chip) && image->kind <= TCC_IMAGE_CUBIN && image->length > 0 && image->offset <= p->data.count &&
         image->length <= p->data.count - image->offset && image->offset % TCC_CACHE_LINE == 0 &&
         (image->kind != TCC_IMAGE_PTX || data[image->offset + image->length - 1] == 0) &&
         list_ok(check, image->kernels, p->kernels.count);
}

/* Whether all these values of the function lie in device memory; absent ones lie nowhere. */
static bool on_device(const Check *check, const TccPlanValue *values, TccPlanRange range) {
  const uint32_t *indices = (const uint32_t *)tcc_plan_at(check->plan, check->plan->indices) + range.first;
  for (uint32_t i = 0; i < range.count; i++)
    if (values[indices[i]].kind != TCC_PLAN_NONE && values[indices[i]].space != TCC_SPACE_DEVICE) return false;
  return true;
}

static bool expr_ok(const TccPlanHeader *p, const TccPlanExpr *expr) {
  return expr->code <= p->code.count && expr->length <= p->code.count - expr->code && expr->stage >= -1 && expr->symbol >= -1 &&
         expr->symbol < (int64_t)p->symbols.count;
}

static void check_leaves(Check *check) {
  const TccPlanHeader *p = check->plan;
  require(check, text_ok(check, p->target) && text_ok(check, p->machine) && text_ok(check, p->options), "header");
  const TccPlanSymbol *symbols = tcc_plan_at(p, p->symbols);
  for (size_t i = 0; i < p->symbols.count; i++) require(check, text_ok(check, symbols[i].name), "symbols");
  const TccPlanExpr *exprs = tcc_plan_at(p, p->exprs);
  for (size_t i = 0; i < p->exprs.count; i++) require(check, expr_ok(p, &exprs[i]), "exprs");
  const TccPlanWork *work = tcc_plan_at(p, p->work);
  require(check, p->work.count == p->calls.count, "work");
  for (size_t i = 0; i < p->work.count; i++) require(check, expr_ok(p, &work[i].flops) && expr_ok(p, &work[i].bytes), "work");
  const TccPlanSource *sources = tcc_plan_at(p, p->sources);
  for (size_t i = 0; i < p->sources.count; i++)
    require(check,
            text_ok(check, sources[i].name) && sources[i].kind <= TCC_SOURCE_ATTACHED && sources[i].identity <= TCC_IDENTITY_FULL,
            "sources");
  const TccPlanWeight *weights = tcc_plan_at(p, p->weights);
  for (size_t i = 0; i < p->weights.count; i++)
    require(check, text_ok(check, weights[i].name) && weights[i].source < p->sources.count, "weights");
  const TccPlanRead *reads = tcc_plan_at(p, p->reads);
  for (size_t i = 0; i < p->reads.count; i++)
    require(check, text_ok(check, reads[i].name) && reads[i].source < p->sources.count, "reads");
  const TccPlanConstant *constants = tcc_plan_at(p, p->constants);
  for (size_t i = 0; i < p->constants.count; i++)
    require(check,
            constants[i].offset <= p->data.count && constants[i].length <= p->data.count - constants[i].offset &&
                constants[i].offset % TCC_CACHE_LINE == 0,
            "constants");
  const TccPlanKernel *kernels = tcc_plan_at(p, p->kernels);
  for (size_t i = 0; i < p->kernels.count; i++)
    require(check, text_ok(check, kernels[i].symbol) && text_ok(check, kernels[i].emitter) && text_ok(check, kernels[i].schedule),
            "kernels");
  const TccPlanCall *calls = tcc_plan_at(p, p->calls);
  for (size_t i = 0; i < p->calls.count; i++)
    require(check,
            text_ok(check, calls[i].name) && text_ok(check, calls[i].kind) && calls[i].kernel < p->kernels.count &&
                list_ok(check, calls[i].sizes, p->exprs.count) && calls[i].tiles < p->exprs.count &&
                calls[i].scratch < p->exprs.count && calls[i].launch <= p->launches.count &&
                range_ok(calls[i].checks, p->checks.count),
            "calls");
  const TccPlanLaunch *launches = tcc_plan_at(p, p->launches);
  for (size_t i = 0; i < p->launches.count; i++) require(check, launch_ok(check, &launches[i]), "launches");
  const TccPlanTensorMap *maps = tcc_plan_at(p, p->tensor_maps);
  for (size_t i = 0; i < p->tensor_maps.count; i++) require(check, tensor_map_ok(check, &maps[i]), "tensor maps");
  const TccPlanImage *images = tcc_plan_at(p, p->images);
  for (size_t i = 0; i < p->images.count; i++) require(check, image_ok(check, &images[i]), "images");
  const TccPlanCheck *checks = tcc_plan_at(p, p->checks);
  for (size_t i = 0; i < p->checks.count; i++)
    require(check,
            text_ok(check, checks[i].where) && text_ok(check, checks[i].message) && checks[i].valid <= TCC_PLAN_INDEX_UNSIGNED &&
                checks[i].size < p->exprs.count && checks[i].count < p->exprs.count,
            "checks");
}

static void check_function(Check *check, uint32_t index) {
  const TccPlanHeader *p = check->plan;
  const TccPlanFunction *functions = tcc_plan_at(p, p->functions), *function = &functions[index];
  bool ok = text_ok(check, function->name) && range_ok(function->values, p->values.count) &&
            range_ok(function->commands, p->commands.count) && function->arguments <= function->values.count &&
            list_ok(check, function->results, function->values.count);
  require(check, ok, "functions");
  if (!ok) return;
  const TccPlanValue *values = (const TccPlanValue *)tcc_plan_at(p, p->values) + function->values.first;
  for (uint32_t i = 0; i < function->values.count; i++) {
    const TccPlanValue *v = &values[i];
    require(check,
            v->rank <= TCC_PLAN_MAX_RANK && v->dims.count == v->rank && v->elem < TCC_ELEM_COUNT && v->space <= TCC_SPACE_DEVICE,
            "values");
    require(check, list_ok(check, v->dims, p->exprs.count) && list_ok(check, v->sizes, p->exprs.count), "values");
    uint64_t limit = v->kind == TCC_PLAN_WEIGHT     ? p->weights.count
                     : v->kind == TCC_PLAN_CONSTANT ? p->constants.count
                     : v->kind == TCC_PLAN_ALIAS    ? i
                                                    : UINT64_MAX;
    require(check, v->kind <= TCC_PLAN_NONE && v->index < limit && (v->kind == TCC_PLAN_ARGUMENT) == (i < function->arguments),
            "values");
  }
  const TccPlanCommand *commands = (const TccPlanCommand *)tcc_plan_at(p, p->commands) + function->commands.first;
  const uint32_t *indices = tcc_plan_at(p, p->indices);
  for (uint32_t c = 0; c < function->commands.count; c++) {
    const TccPlanCommand *command = &commands[c];
    bool good = list_ok(check, command->operands, function->values.count) &&
                list_ok(check, command->results, function->values.count) && list_ok(check, command->inplace, UINT32_MAX) &&
                list_ok(check, command->nodes, p->texts.count);
    if (good && command->kind == TCC_PLAN_KERNEL) {
      good = command->index < p->calls.count;
      if (good && ((const TccPlanCall *)tcc_plan_at(p, p->calls))[command->index].launch)
        good = on_device(check, values, command->operands) && on_device(check, values, command->results);
    } else if (good && command->kind == TCC_PLAN_COUNT)
      good = command->index < p->symbols.count && command->operands.count == 1 && command->results.count == 0;
    else if (good && (command->kind == TCC_PLAN_REGION || command->kind == TCC_PLAN_LOOP))
      good = command->index > index && command->index < p->functions.count &&
             functions[command->index].arguments == command->operands.count &&
             functions[command->index].results.count == command->results.count;
    else good = false;
    if (good && command->kind == TCC_PLAN_LOOP)
      good = command->trips < p->exprs.count && command->results.count <= command->operands.count &&
             command->conditional <= (command->results.count > 0);
    for (uint32_t r = 0; good && r < command->results.count; r++)
      good = values[indices[command->results.first + r]].kind == TCC_PLAN_RESULT;
    require(check, good, "commands");
  }
}

bool tcc_plan_states(const TccPlanPort *inputs, size_t ninputs, const TccPlanPort *outputs, size_t noutputs, size_t *out_count) {
  size_t states = 0;
  bool ok = true;
  for (size_t i = 0; i < ninputs; i++) {
    states += inputs[i].kind == TCC_PORT_STATE;
    ok &= (states > 0) == (inputs[i].kind == TCC_PORT_STATE);
  }
  *out_count = states;
  ok &= noutputs >= 2 * states;
  const size_t first = ninputs - states, plain = noutputs - 2 * states;
  for (size_t i = 0; ok && i < plain; i++)
    ok = outputs[i].kind == TCC_PORT_PLAIN && (outputs[i].tied < 0 || (size_t)outputs[i].tied < first);
  for (size_t k = 0; ok && k < states; k++) {
    const TccPlanPort *next = &outputs[plain + k], *initial = &outputs[plain + states + k];
    ok = next->kind == TCC_PORT_STATE && initial->kind == TCC_PORT_INITIAL && next->tied == (int64_t)(first + k) &&
         initial->tied == (int64_t)(first + k);
  }
  return ok;
}

static void check_ports(Check *check) {
  const TccPlanHeader *p = check->plan;
  const TccPlanFunction *entry = tcc_plan_at(p, p->functions);
  require(check, p->inputs.count == entry->arguments && p->outputs.count == entry->results.count, "ports");
  const TccPlanPort *inputs = tcc_plan_at(p, p->inputs), *outputs = tcc_plan_at(p, p->outputs);
  for (size_t i = 0; i < p->inputs.count; i++)
    require(check, text_ok(check, inputs[i].name) && inputs[i].kind <= TCC_PORT_STATE, "inputs");
  for (size_t i = 0; i < p->outputs.count; i++) {
    bool ok = text_ok(check, outputs[i].name) && outputs[i].tied >= -1 && outputs[i].tied < (int64_t)p->inputs.count;
    ok = ok && (outputs[i].tied < 0 || inputs[outputs[i].tied].kind != TCC_PORT_STATIC);
    require(check, ok, "outputs");
  }
  size_t states;
  require(check, tcc_plan_states(inputs, p->inputs.count, outputs, p->outputs.count, &states), "states");
  const TccPlanConstraint *constraints = tcc_plan_at(p, p->constraints);
  for (size_t i = 0; i < p->constraints.count; i++)
    require(check,
            constraints[i].relation <= TCC_SIZES_MULTIPLE && constraints[i].left < p->exprs.count &&
                constraints[i].right < p->exprs.count && text_ok(check, constraints[i].left_text) &&
                text_ok(check, constraints[i].right_text) && text_ok(check, constraints[i].origin),
            "constraints");
  const TccPlanSpecialised *specialised = tcc_plan_at(p, p->specialised);
  for (size_t i = 0; i < p->specialised.count; i++)
    require(check, specialised[i].input < p->inputs.count && specialised[i].constant < p->constants.count, "specialised");
}

TccStatus *tcc_plan_check(const void *block, size_t bytes) {
  const TccPlanHeader *plan = block;
  if (bytes < sizeof *plan || memcmp(plan->magic, TCC_PLAN_MAGIC, sizeof plan->magic) != 0)
    return TCC_ERROR(TCC_INVALID, "plan: not a plan");
  if (plan->abi_version != TCC_ABI_VERSION || plan->header_bytes != sizeof *plan)
    return TCC_ERROR(TCC_INCOMPATIBLE, "plan: version %u, this run-time reads %d", plan->abi_version, TCC_ABI_VERSION);
  if (plan->bytes > bytes) return TCC_ERROR(TCC_INVALID, "plan: cut short");
  Check check = {.plan = plan};
  if (tables_fit(&check)) {
    check_leaves(&check);
    for (uint32_t i = 0; !check.bad && i < plan->functions.count; i++) check_function(&check, i);
    if (!check.bad) check_ports(&check);
  }
  if (check.bad) return TCC_ERROR(TCC_INVALID, "plan: the table '%s' is damaged", check.bad);
  return NULL;
}
