/* unusual.c - the first number of a kind in what a kernel has made: where a loss that is not a number comes from. */
#include "gpu.h"
#include <math.h>

static bool is_unusual(TccUnusual kind, double value) { return kind == TCC_UNUSUAL_NAN ? isnan(value) : isinf(value) != 0; }

/* Of a model on a device a copy of the value is looked at. */
static TccStatus *copy_of(const TccInstance *instance, const char *data, size_t bytes, char **out) {
  *out = malloc(bytes ? bytes : 1);
  return *out ? tcc_gpu_download(instance->model->gpu, *out, data, bytes) : TCC_ERROR_NO_MEMORY();
}

/* The place of the first such element of a value, -1: there is none. */
static TccStatus *search(const TccInstance *instance, const TccNode *node, TccUnusual kind, int64_t *out) {
  int64_t dims[TCC_PLAN_MAX_RANK];
  size_t count, bytes;
  TccElem elem = (TccElem)node->elem;
  const char *data = instance->pointers[node->root];
  char *copy = NULL;
  TccStatus *status = NULL;
  *out = -1;
  if (!tcc_elem_is_float(elem) || !data) return NULL;
  for (uint32_t axis = 0; axis < node->rank; axis++) dims[axis] = tcc_instance_dim(instance, node, axis);
  if (!tcc_elem_dense_bytes(elem, dims, node->rank, &count, &bytes)) return NULL;
  data += instance->shifts[node->within];
  if (instance->model->gpu) status = copy_of(instance, data, bytes, &copy), data = copy;
  for (size_t i = 0; !status && *out < 0 && i < count; i++)
    if (is_unusual(kind, tcc_elem_load_f64(elem, data, i))) *out = (int64_t)i;
  free(copy);
  return status;
}

static TccStatus *found(const TccInstance *instance, const TccStep *step, int64_t at, TccUnusual kind) {
  const TccPlanHeader *plan = instance->model->plan;
  const char *what = kind == TCC_UNUSUAL_NAN ? "not a number" : "infinite", *node = tcc_plan_text(plan, step->node);
  if (step->kind != TCC_PLAN_KERNEL)
    return TCC_ERROR(TCC_INVALID, "element %lld of what a loop carries is the first that is %s", (long long)at, what);
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
  return TCC_ERROR(TCC_INVALID, "element %lld of the result of kernel %s, node '%s', is the first that is %s", (long long)at,
                   tcc_plan_text(plan, call->name), node, what);
}

TccStatus *tcc_unusual_results(const TccInstance *instance, const TccStep *step, TccUnusual kind) {
  const TccGraph *graph = &instance->model->graph;
  for (uint32_t i = 0; i < step->results; i++) {
    int64_t at;
    TCC_TRY(search(instance, &graph->nodes[graph->slots[step->slots + step->operands + i]], kind, &at));
    if (at >= 0) return found(instance, step, at, kind);
  }
  return NULL;
}

TccStatus *tcc_unusual_inputs(const TccInstance *instance, TccUnusual kind) {
  const TccGraph *graph = &instance->model->graph;
  for (size_t i = 0; i < graph->input_count; i++) {
    int64_t at;
    TCC_TRY(search(instance, &graph->nodes[graph->input_nodes[i]], kind, &at));
    if (at >= 0)
      return TCC_ERROR(TCC_INVALID, "element %lld of input '%s' is %s", (long long)at, instance->model->inputs[i].name,
                       kind == TCC_UNUSUAL_NAN ? "not a number" : "infinite");
  }
  return NULL;
}
