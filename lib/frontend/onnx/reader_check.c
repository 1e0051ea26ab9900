/* reader_check.c - what must hold for each message of an ONNX file, and what follows from it (onnx.h). */
#include "lib/frontend/onnx/reader.h"
#include <inttypes.h>

static bool has(TccOnnxHead head, unsigned number) { return head.fields >> number & 1; }

TccStatus *tcc_onnx_check_model(TccOnnxModel *model) {
  if (!model->graph) return TCC_ERROR(TCC_INVALID, "no ONNX model: there is no graph");
  if (!has(model->head, 1)) return TCC_ERROR(TCC_INVALID, "the model has no ir_version");
  return NULL;
}

TccStatus *tcc_onnx_check_opset(TccOnnxOpset *opset) {
  if (opset->version < 1) return TCC_ERROR(TCC_INVALID, "version is %" PRId64, opset->version);
  return NULL;
}

TccStatus *tcc_onnx_check_function(TccOnnxFunction *function) {
  return function->name.length ? NULL : TCC_ERROR(TCC_INVALID, "the function has no name");
}

TccStatus *tcc_onnx_check_graph(TccOnnxGraph *graph) {
  for (size_t i = 0; i < graph->initializer.count; i++)
    if (!graph->initializer.data[i].name.length) return TCC_ERROR(TCC_INVALID, "initializer[%zu] has no name", i);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++)
    if (!graph->sparse_initializer.data[i].values->name.length)
      return TCC_ERROR(TCC_INVALID, "sparse_initializer[%zu] has no name", i);
  return NULL;
}

TccStatus *tcc_onnx_check_node(TccOnnxNode *node) {
  enum { MOST_ATTRIBUTES = 256 }; /* no operator has 30 */
  const TccOnnxAttributes *attributes = &node->attribute;
  if (!node->op_type.length) return TCC_ERROR(TCC_INVALID, "the node has no op_type");
  if (attributes->count > MOST_ATTRIBUTES) return TCC_ERROR(TCC_UNSUPPORTED, "the node has %zu attributes", attributes->count);
  for (size_t i = 1; i < attributes->count; i++)
    for (size_t k = 0; k < i; k++)
      if (tcc_str_equal(attributes->data[i].name, attributes->data[k].name))
        return TCC_ERROR(TCC_INVALID, "attribute '%.*s' is given twice", TCC_STR_ARG(attributes->data[i].name));
  return NULL;
}

TccStatus *tcc_onnx_check_attribute(TccOnnxAttribute *a) {
  static const struct {
    unsigned char field;
    const char *name;
  } values[] = {{0, ""},
                {2, "FLOAT"},
                {3, "INT"},
                {4, "STRING"},
                {5, "TENSOR"},
                {6, "GRAPH"},
                {7, "FLOATS"},
                {8, "INTS"},
                {9, "STRINGS"},
                {10, "TENSORS"},
                {11, "GRAPHS"},
                {22, "SPARSE_TENSOR"},
                {23, "SPARSE_TENSORS"},
                {14, "TYPE_PROTO"},
                {15, "TYPE_PROTOS"}};
  enum { COUNT = sizeof values / sizeof *values };
  if (!a->name.length) return TCC_ERROR(TCC_INVALID, "the attribute has no name");
  if (a->type < 0 || a->type >= COUNT)
    return TCC_ERROR(TCC_INVALID, "attribute '%.*s' has the unknown type %" PRId64, TCC_STR_ARG(a->name), a->type);
  int found = 0;
  for (int type = 1; type < COUNT; type++) {
    if (!has(a->head, values[type].field)) continue;
    if (found)
      return TCC_ERROR(TCC_INVALID, "attribute '%.*s' holds two values: a %s and a %s", TCC_STR_ARG(a->name), values[found].name,
                       values[type].name);
    found = type;
  }
  if (a->ref_attr_name.length) {
    if (found)
      return TCC_ERROR(TCC_INVALID, "attribute '%.*s' refers to '%.*s' and holds a value too", TCC_STR_ARG(a->name),
                       TCC_STR_ARG(a->ref_attr_name));
    return NULL;
  }
  if (!a->type) a->type = found; /* IR version 1 did not write it */
  if (!a->type) return TCC_ERROR(TCC_INVALID, "attribute '%.*s' has neither type nor value", TCC_STR_ARG(a->name));
  if (found && found != a->type)
    return TCC_ERROR(TCC_INVALID, "attribute '%.*s' is of type %s and holds a %s", TCC_STR_ARG(a->name), values[a->type].name,
                     values[found].name);
  /* proto3 leaves away zeros and empty lists, but not messages */
  if (!found && (a->type == TCC_ONNX_TENSOR || a->type == TCC_ONNX_GRAPH || a->type == TCC_ONNX_SPARSE || a->type == TCC_ONNX_TYPE))
    return TCC_ERROR(TCC_INVALID, "attribute '%.*s' of type %s holds none", TCC_STR_ARG(a->name), values[a->type].name);
  return NULL;
}

/* ---- tensors ---- */

static TccStatus *count_elements(const TccOnnxInts *dims, size_t *out) {
  size_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < dims->count; i++) {
    int64_t dim = dims->data[i];
    if (dim < 0) return TCC_ERROR(TCC_INVALID, "dims[%zu] is %" PRId64, i, dim);
    if (dim == 0) empty = true;
    else if (!tcc_mul_size(count, (size_t)dim, &count) || count > SIZE_MAX >> 8)
      return TCC_ERROR(TCC_INVALID, "the product of dims is too large");
  }
  *out = empty ? 0 : count;
  return NULL;
}

static bool read_decimal(TccStr text, uint64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.length; i++) {
    unsigned digit = (unsigned char)text.data[i] - '0';
    if (digit > 9 || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) return false;
  }
  *out = value;
  return text.length > 0;
}

/* Keys as ONNX lists them; others are refused, since a reader once took them for attributes of its objects
 * (CVE-2026-34445). The checksum is SHA-1 and guards nothing that matters here. */
static TccStatus *check_external(TccOnnxTensor *tensor) {
  enum { LOCATION = 1, OFFSET = 2, LENGTH = 4, CHECKSUM = 8 };
  unsigned seen = 0;
  for (size_t i = 0; i < tensor->external_data.count; i++) {
    TccStr key = tensor->external_data.data[i].key, value = tensor->external_data.data[i].value;
    unsigned bit = tcc_str_is(key, "location")   ? LOCATION
                   : tcc_str_is(key, "offset")   ? OFFSET
                   : tcc_str_is(key, "length")   ? LENGTH
                   : tcc_str_is(key, "checksum") ? CHECKSUM
                                                 : 0;
    if (!bit) return TCC_ERROR(TCC_UNSUPPORTED, "unknown key '%.*s' of external data", TCC_STR_ARG(key));
    if (seen & bit) return TCC_ERROR(TCC_INVALID, "key '%.*s' of external data is given twice", TCC_STR_ARG(key));
    seen |= bit;
    if (bit == LOCATION) tensor->external.location = value;
    uint64_t *number = bit == OFFSET ? &tensor->external.offset : &tensor->external.length;
    if ((bit == OFFSET || bit == LENGTH) && !read_decimal(value, number))
      return TCC_ERROR(TCC_INVALID, "%.*s '%.*s' of external data is not a number >= 0", TCC_STR_ARG(key), TCC_STR_ARG(value));
  }
  if (!(seen & LOCATION)) return TCC_ERROR(TCC_INVALID, "external data without location");
  tensor->external.has_length = seen & LENGTH;
  if (tensor->external.has_length && tensor->elem && tensor->external.length != tensor->bytes)
    return TCC_ERROR(TCC_INVALID, "external data has %" PRIu64 " bytes, dims ask for %zu", tensor->external.length, tensor->bytes);
  return NULL;
}

/* The number field that holds elements of a type (TensorProto's comments). */
static const TccOnnxNumbers *numbers_of(const TccOnnxTensor *tensor) {
  switch (tensor->elem) {
  case TCC_ELEM_F32: return &tensor->float_data;
  case TCC_ELEM_F64: return &tensor->double_data;
  case TCC_ELEM_I64: return &tensor->int64_data;
  case TCC_ELEM_U32:
  case TCC_ELEM_U64: return &tensor->uint64_data;
  case TCC_ELEM_NONE:
    switch (tensor->data_type) {
    case TCC_ONNX_COMPLEX64: return &tensor->float_data;
    case TCC_ONNX_COMPLEX128: return &tensor->double_data;
    default: return &tensor->int32_data;
    }
  default: return &tensor->int32_data;
  }
}

static TccStatus *check_inline(TccOnnxTensor *tensor, const TccOnnxNumbers *typed) {
  bool strings = tensor->data_type == TCC_ONNX_STRING;
  switch (tensor->data) {
  case TCC_ONNX_DATA_RAW:
    if (strings) return TCC_ERROR(TCC_INVALID, "raw_data in a tensor of strings");
    if (tensor->elem && tensor->raw_data.length != tensor->bytes)
      return TCC_ERROR(TCC_INVALID, "raw_data has %zu bytes, dims ask for %zu", tensor->raw_data.length, tensor->bytes);
    return NULL;
  case TCC_ONNX_DATA_TYPED:
    if (strings || typed != numbers_of(tensor))
      return TCC_ERROR(TCC_INVALID, "the data is not in the field for data_type %" PRId64, tensor->data_type);
    return NULL;
  case TCC_ONNX_DATA_STRINGS:
    if (!strings) return TCC_ERROR(TCC_INVALID, "string_data in a tensor of numbers");
    if (tensor->string_data.count != tensor->count)
      return TCC_ERROR(TCC_INVALID, "string_data holds %zu strings, dims ask for %zu", tensor->string_data.count, tensor->count);
    return NULL;
  default: return tensor->count ? TCC_ERROR(TCC_INVALID, "the tensor of %zu elements holds no data", tensor->count) : NULL;
  }
}

TccStatus *tcc_onnx_check_tensor(TccOnnxTensor *tensor) {
  if (tensor->segment)
    return TCC_ERROR(TCC_UNSUPPORTED, "a tensor in segments, or a SequenceProto or OptionalProto where a TensorProto is expected");
  if (tensor->data_type < INT32_MIN || tensor->data_type > INT32_MAX || tensor->data_type == TCC_ONNX_UNDEFINED)
    return TCC_ERROR(TCC_INVALID, "the tensor has no data_type");
  tensor->elem = tcc_elem_from_onnx((int)tensor->data_type);
  TCC_TRY(count_elements(&tensor->dims, &tensor->count));
  if (tensor->elem) tensor->bytes = tcc_elem_bytes(tensor->elem, tensor->count);
  /* Two sets of values in one tensor hide one of them from whoever looks at the other: an error, never a preference. */
  const TccOnnxNumbers *const numbers[] = {&tensor->float_data, &tensor->int32_data, &tensor->int64_data, &tensor->double_data,
                                           &tensor->uint64_data};
  const TccOnnxNumbers *typed = NULL;
  int found = 0;
  if (tensor->raw_data.length) tensor->data = TCC_ONNX_DATA_RAW, found++;
  if (tensor->string_data.count) tensor->data = TCC_ONNX_DATA_STRINGS, found++;
  if (tensor->external_data.count || tensor->data_location) tensor->data = TCC_ONNX_DATA_EXTERNAL, found++;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i]->occurrences) tensor->data = TCC_ONNX_DATA_TYPED, typed = numbers[i], found++;
  if (found > 1) return TCC_ERROR(TCC_INVALID, "the tensor holds its data in %d ways", found);
  if (tensor->data != TCC_ONNX_DATA_EXTERNAL) return check_inline(tensor, typed);
  if (tensor->data_location != 1)
    return TCC_ERROR(TCC_INVALID, "external_data, but data_location is %" PRId64, tensor->data_location);
  return check_external(tensor);
}

TccStatus *tcc_onnx_check_sparse(TccOnnxSparse *sparse) {
  if (!sparse->values || !sparse->indices) return TCC_ERROR(TCC_INVALID, "a sparse tensor without values or indices");
  size_t count;
  TCC_TRY(count_elements(&sparse->dims, &count));
  const TccOnnxTensor *values = sparse->values, *indices = sparse->indices;
  if (values->dims.count != 1)
    return TCC_ERROR(TCC_INVALID, "the values of a sparse tensor have %zu dims, not one", values->dims.count);
  if (indices->elem != TCC_ELEM_I64) return TCC_ERROR(TCC_INVALID, "the indices of a sparse tensor are not int64");
  bool linear = indices->dims.count == 1, pairs = indices->dims.count == 2 && (size_t)indices->dims.data[1] == sparse->dims.count;
  if ((!linear && !pairs) || indices->dims.data[0] != values->dims.data[0])
    return TCC_ERROR(TCC_INVALID, "the indices of a sparse tensor do not fit its values");
  if (values->count > count) return TCC_ERROR(TCC_INVALID, "a sparse tensor of %zu elements with %zu values", count, values->count);
  return NULL;
}

/* ---- types ---- */

TccStatus *tcc_onnx_check_value_info(TccOnnxValueInfo *info) {
  return info->name.length ? NULL : TCC_ERROR(TCC_INVALID, "the value has no name");
}

TccStatus *tcc_onnx_check_type(TccOnnxType *type) {
  int found = !!type->tensor_type + !!type->sparse_tensor_type + !!type->sequence_type + !!type->optional_type + !!type->map_type +
              type->opaque_type;
  return found > 1 ? TCC_ERROR(TCC_INVALID, "the type is %d types at once", found) : NULL;
}

TccStatus *tcc_onnx_check_tensor_type(TccOnnxTensorType *type) {
  if (type->elem_type >= 0 && type->elem_type <= INT32_MAX) type->elem = tcc_elem_from_onnx((int)type->elem_type);
  return NULL;
}

TccStatus *tcc_onnx_check_dim(TccOnnxDim *dim) {
  if (has(dim->head, 1) && has(dim->head, 2)) return TCC_ERROR(TCC_INVALID, "dim_value and dim_param are both given");
  bool valued = has(dim->head, 1) && dim->dim_value != -1; /* some exporters write -1 for a size that is not known */
  if (dim->dim_value < -1) return TCC_ERROR(TCC_INVALID, "dim_value is %" PRId64, dim->dim_value);
  bool named = dim->dim_param.length && !tcc_str_is(dim->dim_param, "?"); /* likewise, and two of them are two sizes */
  dim->kind = valued ? TCC_ONNX_DIM_VALUE : named ? TCC_ONNX_DIM_PARAM : TCC_ONNX_DIM_UNKNOWN;
  return NULL;
}
