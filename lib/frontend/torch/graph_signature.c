/* graph_signature.c - what inputs and outputs of a graph are: input_specs and output_specs. */
#include "lib/frontend/torch/graph_internal.h"

/* A kind of input or output, and the field of it that names what it stands for. */
typedef struct {
  TccStr key;
  int kind;
  TccStr target;
  bool whole; /* arg is an Argument; else a name */
} Row;

static const Row input_rows[] = {
    {TCC_TORCH_FIELD("parameter"), TCC_TORCH_INPUT_PARAMETER, TCC_TORCH_FIELD("parameter_name"), false},
    {TCC_TORCH_FIELD("buffer"), TCC_TORCH_INPUT_BUFFER, TCC_TORCH_FIELD("buffer_name"), false},
    {TCC_TORCH_FIELD("tensor_constant"), TCC_TORCH_INPUT_CONSTANT_TENSOR, TCC_TORCH_FIELD("tensor_constant_name"), false},
    {TCC_TORCH_FIELD("user_input"), TCC_TORCH_INPUT_USER, TCC_TORCH_FIELD(""), true},
    {TCC_TORCH_FIELD("custom_obj"), TCC_TORCH_INPUT_CUSTOM_OBJ, TCC_TORCH_FIELD("custom_obj_name"), false},
    {TCC_TORCH_FIELD("token"), TCC_TORCH_INPUT_TOKEN, TCC_TORCH_FIELD(""), false},
    {TCC_TORCH_FIELD("constant_input"), TCC_TORCH_INPUT_CONSTANT, TCC_TORCH_FIELD("name"), true},
};
static const Row output_rows[] = {
    {TCC_TORCH_FIELD("user_output"), TCC_TORCH_OUTPUT_USER, TCC_TORCH_FIELD(""), true},
    {TCC_TORCH_FIELD("loss_output"), TCC_TORCH_OUTPUT_LOSS, TCC_TORCH_FIELD(""), false},
    {TCC_TORCH_FIELD("buffer_mutation"), TCC_TORCH_OUTPUT_BUFFER_MUTATION, TCC_TORCH_FIELD("buffer_name"), false},
    {TCC_TORCH_FIELD("parameter_mutation"), TCC_TORCH_OUTPUT_PARAMETER_MUTATION, TCC_TORCH_FIELD("parameter_name"), false},
    {TCC_TORCH_FIELD("user_input_mutation"), TCC_TORCH_OUTPUT_USER_INPUT_MUTATION, TCC_TORCH_FIELD("user_input_name"), false},
    {TCC_TORCH_FIELD("gradient_to_parameter"), TCC_TORCH_OUTPUT_GRADIENT_OF_PARAMETER, TCC_TORCH_FIELD("parameter_name"), false},
    {TCC_TORCH_FIELD("gradient_to_user_input"), TCC_TORCH_OUTPUT_GRADIENT_OF_USER_INPUT, TCC_TORCH_FIELD("user_input_name"), false},
    {TCC_TORCH_FIELD("token"), TCC_TORCH_OUTPUT_TOKEN, TCC_TORCH_FIELD(""), false},
};

/* {"name": ...}, of a TensorArgument, a TokenArgument or a CustomObjArgument */
static void read_named(TccTorchReader *reader, TccTorchKind kind, TccTorchArg *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("name")};
  unsigned seen = 0;
  *out = (TccTorchArg){.kind = kind};
  tcc_json_object(&reader->json);
  while (tcc_torch_field(reader, names, 1, &seen) >= 0) tcc_json_string(&reader->json, &out->text);
  tcc_torch_require(reader, names, seen, 1);
}

/* The only member of a specification. row NULL: unknown, and arg has its name. */
static const Row *read_spec(TccTorchReader *reader, const Row *rows, size_t nrows, TccTorchArg *arg, TccStr *target,
                            bool *persistent) {
  enum { ARG, TARGET, PERSISTENT };
  TccJson *json = &reader->json;
  const Row *row = NULL;
  TccStr key = {0}, more;
  *arg = (TccTorchArg){0};
  if (!tcc_json_object(json)) return NULL;
  if (!tcc_json_key(json, &key)) return tcc_json_fail(json, TCC_INVALID, "a union is empty"), NULL;
  for (size_t i = 0; i < nrows; i++)
    if (tcc_str_equal(key, rows[i].key)) row = &rows[i];
  if (!row) {
    arg->text = key;
    tcc_json_skip(json);
  } else {
    bool constant = tcc_str_is(row->key, "constant_input");
    TccStr arg_name = constant ? tcc_str("value") : tcc_str("arg");
    TccStr names[] = {arg_name, row->target, tcc_str("persistent")};
    TccTorchKind kind = tcc_str_is(key, "token") || tcc_str_is(key, "custom_obj") ? TCC_TORCH_CUSTOM_OBJ : TCC_TORCH_TENSOR;
    unsigned seen = 0;
    tcc_json_object(json);
    for (int field; (field = tcc_torch_field(reader, names, 3, &seen)) >= 0;) {
      if (field == ARG && row->whole) tcc_torch_read_arg(reader, arg);
      else if (field == ARG) read_named(reader, kind, arg);
      else if (field == TARGET) tcc_json_string(json, target);
      else tcc_json_bool(json, persistent);
    }
    tcc_torch_require(reader, names, seen, row->target.length ? 1 << ARG | 1 << TARGET : 1 << ARG);
  }
  if (tcc_json_key(json, &more)) tcc_json_fail(json, TCC_INVALID, "a union has a second member '%.*s'", TCC_STR_ARG(more));
  return row;
}

static void read_inputs(TccTorchReader *reader, TccTorchProgram *program) {
  size_t mark = tcc_torch_mark(reader);
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    TccTorchInput input = {0};
    const Row *row =
        read_spec(reader, input_rows, sizeof input_rows / sizeof *input_rows, &input.arg, &input.target, &input.persistent);
    if (row) input.kind = (TccTorchInputKind)row->kind;
    tcc_torch_push(reader, &input, sizeof input);
  }
  program->inputs = tcc_torch_pop(reader, mark, sizeof(TccTorchInput), &program->ninputs);
}

static void read_outputs(TccTorchReader *reader, TccTorchProgram *program) {
  size_t mark = tcc_torch_mark(reader);
  bool persistent;
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    TccTorchOutput output = {0};
    const Row *row =
        read_spec(reader, output_rows, sizeof output_rows / sizeof *output_rows, &output.arg, &output.target, &persistent);
    if (row) output.kind = (TccTorchOutputKind)row->kind;
    tcc_torch_push(reader, &output, sizeof output);
  }
  program->outputs = tcc_torch_pop(reader, mark, sizeof(TccTorchOutput), &program->noutputs);
}

void tcc_torch_read_signature(TccTorchReader *reader, TccTorchProgram *program) {
  static const TccStr names[] = {TCC_TORCH_FIELD("input_specs"), TCC_TORCH_FIELD("output_specs")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;) {
    if (field == 0) read_inputs(reader, program);
    else read_outputs(reader, program);
  }
  tcc_torch_require(reader, names, seen, 3);
}
