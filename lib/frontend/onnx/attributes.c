/* attributes.c - attributes of a node, with the references of function bodies followed. */
#include "lib/frontend/onnx/import.h"

static const TccOnnxAttribute *find(const TccOnnxAttributes *attributes, TccStr name) {
  for (size_t i = 0; i < attributes->count; i++)
    if (tcc_str_equal(attributes->data[i].name, name)) return &attributes->data[i];
  return NULL;
}

/* A reference stands for the attribute of the call of the function around it, or for the function's default. */
static const TccOnnxAttribute *resolve(ImportScope *names, const TccOnnxAttribute *a) {
  while (a && a->ref_attr_name.length) {
    while (names && !onnx_scope(names)->function) names = names->parent;
    if (!names) return NULL;
    const OnnxScope *scope = onnx_scope(names);
    const TccOnnxAttribute *given = find(&scope->caller->node->attribute, a->ref_attr_name);
    if (!given) return find(&scope->function->attribute_proto, a->ref_attr_name);
    names = scope->caller->call.scope;
    a = given;
  }
  return a;
}

const TccOnnxAttribute *onnx_attribute(ImportCall *c, const char *name) {
  return resolve(c->scope, find(&onnx_call(c)->node->attribute, tcc_str(name)));
}

bool onnx_has_attribute(ImportCall *c, const char *name) { return onnx_attribute(c, name) != NULL; }

static const TccOnnxAttribute *typed(ImportCall *c, const char *name, TccOnnxAttributeType type) {
  const TccOnnxAttribute *a = onnx_attribute(c, name);
  if (!a || a->type == (int64_t)type) return a;
  import_invalid(c, "attribute '%s' has the wrong type", name);
  return NULL;
}

int64_t onnx_int(ImportCall *c, const char *name, int64_t otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INT);
  return a ? a->i : otherwise;
}

double onnx_float(ImportCall *c, const char *name, double otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_FLOAT);
  return a ? (double)a->f : otherwise;
}

TccStr onnx_string(ImportCall *c, const char *name, const char *otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_STR);
  return a ? a->s : tcc_str(otherwise);
}

bool onnx_ints(ImportCall *c, const char *name, const int64_t **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INTS);
  if (!a) return false;
  *out = a->ints.data ? a->ints.data : TCC_NEW(c->importer->arena, int64_t);
  *out_count = a->ints.count;
  return true;
}

bool onnx_int_list(ImportCall *c, const char *name, int count, int64_t otherwise, int64_t *out) {
  const int64_t *values;
  size_t n;
  for (int i = 0; i < count; i++) out[i] = otherwise;
  if (!onnx_ints(c, name, &values, &n)) return true;
  if (n != (size_t)count) return import_invalid(c, "%s has %zu entries, not %d", name, n, count);
  for (int i = 0; i < count; i++) {
    if (values[i] < -INT32_MAX || values[i] > INT32_MAX) return import_invalid(c, "%s is out of range", name);
    out[i] = values[i];
  }
  return true;
}

bool onnx_floats(ImportCall *c, const char *name, const float **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_FLOATS);
  if (!a) return false;
  *out = a->floats.data ? a->floats.data : TCC_NEW(c->importer->arena, float);
  *out_count = a->floats.count;
  return true;
}

bool onnx_strings(ImportCall *c, const char *name, const TccStr **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_STRINGS);
  if (!a) return false;
  *out = a->strings.data;
  *out_count = a->strings.count;
  return true;
}

TccElem onnx_elem(ImportCall *c, const char *name, TccElem otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INT);
  TccElem elem = a ? tcc_elem_from_onnx((int)a->i) : otherwise;
  if (a && !elem) import_unsupported(c, "%s: element type %lld (%s)", name, (long long)a->i, tcc_elem_onnx_name(a->i));
  else if (!elem) import_invalid(c, "attribute '%s' is missing", name);
  return elem;
}
