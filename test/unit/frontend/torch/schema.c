/* schema.c - torch's texts of ATen's schemas as parameters, and their defaults as arguments of the graph. */
#include "lib/frontend/torch/schema.h"
#include <stdio.h>

static int failures;
#define CHECK(condition)                                                                                                           \
  do {                                                                                                                             \
    if (!(condition)) fprintf(stderr, "FAIL line %d: %s\n", __LINE__, #condition), failures++;                                     \
  } while (0)

static TorchSchema find(const char *overload) {
  TorchSchema schema;
  CHECK(torch_schema_find(tcc_str(overload), &schema));
  return schema;
}

static TccTorchArg default_of(TccArena *arena, const char *overload, const char *parameter) {
  TorchSchema schema = find(overload);
  const TorchParameter *p = torch_schema_parameter(&schema, tcc_str(parameter));
  TccTorchArg arg = {.kind = TCC_TORCH_UNKNOWN};
  CHECK(p && torch_schema_default(arena, p, &arg));
  return arg;
}

static void check_parameters(void) {
  TorchSchema add = find("add_.Tensor");
  CHECK(add.nparameters == 3 && add.nresults == 1 && !add.returns_list);
  CHECK(tcc_str_is(add.parameters[0].name, "self") && add.parameters[0].is_mutated &&
        add.parameters[0].type == TORCH_PARAMETER_TENSOR);
  CHECK(!add.parameters[1].by_name && !add.parameters[1].is_mutated && add.parameters[1].otherwise.length == 0);
  CHECK(tcc_str_is(add.parameters[2].name, "alpha") && add.parameters[2].by_name &&
        add.parameters[2].type == TORCH_PARAMETER_SCALAR);

  TorchSchema index = find("index.Tensor");
  CHECK(index.parameters[1].is_list && index.parameters[1].has_optional_items && !index.parameters[1].is_optional);
  TorchSchema conv = find("convolution_backward.default");
  CHECK(conv.nparameters == 11 && conv.nresults == 3);
  CHECK(conv.parameters[3].is_list && conv.parameters[3].is_optional && conv.parameters[3].type == TORCH_PARAMETER_INT);
  CHECK(conv.parameters[10].is_list && conv.parameters[10].list_size == 3 && conv.parameters[10].type == TORCH_PARAMETER_BOOL);
  CHECK(find("split.Tensor").returns_list && find("sort").nresults == 2);
  CHECK(find("to.dtype").parameters[1].type == TORCH_PARAMETER_SCALAR_TYPE);
  CHECK(find("bernoulli").parameters[1].type == TORCH_PARAMETER_OTHER);

  TorchSchema none;
  CHECK(!torch_schema_find(tcc_str("add"), &none) && !torch_schema_find(tcc_str("addition.Tensor"), &none));
  CHECK(!torch_schema_find(tcc_str(""), &none) && !torch_schema_find(tcc_str(".default"), &none));
  CHECK(!torch_schema_parameter(&add, tcc_str("beta")));
}

static void check_defaults(TccArena *arena) {
  TccTorchArg arg = default_of(arena, "add.Tensor", "alpha");
  CHECK(arg.kind == TCC_TORCH_INT && arg.integer == 1);
  arg = default_of(arena, "gelu", "approximate");
  CHECK(arg.kind == TCC_TORCH_STRING && tcc_str_is(arg.text, "none"));
  arg = default_of(arena, "avg_pool2d", "count_include_pad");
  CHECK(arg.kind == TCC_TORCH_BOOL && arg.flag);
  arg = default_of(arena, "avg_pool2d", "padding"); /* int[2] padding=0 */
  CHECK(arg.kind == TCC_TORCH_INTS && arg.list.count == 2 && arg.list.integers[1] == 0);
  arg = default_of(arena, "avg_pool2d", "stride"); /* int[2] stride=[] */
  CHECK(arg.kind == TCC_TORCH_INTS && arg.list.count == 0);
  arg = default_of(arena, "rot90", "dims"); /* int[] dims=[0, 1] */
  CHECK(arg.kind == TCC_TORCH_INTS && arg.list.count == 2 && arg.list.integers[0] == 0 && arg.list.integers[1] == 1);
  arg = default_of(arena, "rrelu", "upper");
  CHECK(arg.kind == TCC_TORCH_FLOAT && arg.number > 0.333 && arg.number < 0.334);
  arg = default_of(arena, "isclose", "atol");
  CHECK(arg.kind == TCC_TORCH_FLOAT && arg.number == 1e-8);
  arg = default_of(arena, "hardtanh", "min_val");
  CHECK(arg.kind == TCC_TORCH_INT && arg.integer == -1);
  arg = default_of(arena, "clamp", "max");
  CHECK(arg.kind == TCC_TORCH_NONE);
  arg = default_of(arena, "tril_indices", "dtype"); /* printed as c10's 4 */
  CHECK(arg.kind == TCC_TORCH_SCALAR_TYPE && tcc_torch_elem(arg.integer) == TCC_ELEM_I64);
  TorchSchema relu = find("relu");
  CHECK(!torch_schema_default(arena, &relu.parameters[0], &arg));
}

/* Each row is read: rising names, parameters with names and types, defaults that become arguments. */
static void check_rows(TccArena *arena) {
  TorchSchema schema, before = {0};
  size_t n = 0;
  for (; torch_schema_at(n, &schema); n++) {
    size_t shorter = before.overload.length < schema.overload.length ? before.overload.length : schema.overload.length;
    int order = n ? memcmp(before.overload.data, schema.overload.data, shorter) : -1;
    bool ok = (order < 0 || (order == 0 && before.overload.length < schema.overload.length)) && schema.nparameters > 0 &&
              schema.nparameters < TORCH_MOST_PARAMETERS;
    for (size_t i = 0; i < schema.nparameters; i++) {
      const TorchParameter *p = &schema.parameters[i];
      TccTorchArg arg;
      ok &= p->name.length > 0 && (p->type != TORCH_PARAMETER_OTHER || tcc_str_is(p->name, "generator"));
      ok &= !p->otherwise.length || torch_schema_default(arena, p, &arg);
    }
    if (!ok) fprintf(stderr, "FAIL: row %.*s\n", TCC_STR_ARG(schema.overload)), failures++;
    before = schema;
  }
  CHECK(n > 900);
}

int main(void) {
  TccArena *arena = tcc_arena_create();
  check_parameters();
  check_defaults(arena);
  check_rows(arena);
  tcc_arena_destroy(arena);
  return failures != 0;
}
