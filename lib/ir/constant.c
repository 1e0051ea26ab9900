/* constant.c - the bytes of elements attributes, in tcc's layout: bool a byte, types below 8 bits packed, low bits
 * first.
 *
 * MLIR keeps dense booleans as bits or bytes, smaller types in a byte each, and a splat once. The C API has no way to
 * ask a dense_resource for its blob, nor whether there is one (its typed getters crash then), so the blob is taken from
 * the attribute's printed form, which holds it in hexadecimal after four bytes of alignment. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include <assert.h>

enum { MOST_EXPANDED = 1 << 24 /* elements of a splat */ };

static bool is_sub_byte(TccElem elem) { return tcc_elem_bits(elem) < 8; }

/* Packs one value a byte into as many as a byte has room for. */
static void *pack(TccArena *arena, TccElem elem, const unsigned char *bytes, size_t count) {
  unsigned bits = tcc_elem_bits(elem), each = 8 / bits, mask = (1u << bits) - 1;
  unsigned char *packed = tcc_arena_alloc(arena, tcc_elem_bytes(elem, count));
  for (size_t i = 0; i < count; i++) packed[i / each] |= (unsigned char)((bytes[i] & mask) << (i % each * bits));
  return packed;
}

static void *unpack(TccArena *arena, TccElem elem, const unsigned char *packed, size_t count) {
  unsigned bits = tcc_elem_bits(elem), each = 8 / bits, mask = (1u << bits) - 1;
  unsigned char *bytes = tcc_arena_alloc(arena, count + 1);
  for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(packed[i / each] >> (i % each * bits) & mask);
  return bytes;
}

static const void *dense_data(TccIr *ir, MlirAttribute attr, TccElem elem, size_t count) {
  bool splat = mlirDenseElementsAttrIsSplat(attr);
  if (elem == TCC_ELEM_BOOL) {
    unsigned char *bytes = tcc_arena_alloc(ir->arena, count ? count : 1);
    if (splat) memset(bytes, mlirDenseElementsAttrGetBoolSplatValue(attr) != 0, count);
    else
      for (size_t i = 0; i < count; i++) bytes[i] = mlirDenseElementsAttrGetBoolValue(attr, (intptr_t)i);
    return bytes;
  }
  const char *raw = mlirDenseElementsAttrGetRawData(attr);
  size_t width = is_sub_byte(elem) ? 1 : tcc_elem_bits(elem) / 8;
  if (count && splat) {
    char *bytes = tcc_arena_alloc(ir->arena, count * width);
    for (size_t i = 0; i < count; i++) memcpy(bytes + i * width, raw, width);
    raw = bytes;
  }
  if (is_sub_byte(elem)) return pack(ir->arena, elem, (const unsigned char *)raw, count);
  return count ? raw : "";
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/* Prints an op that holds attr alone; the blob is the only string that starts with 0x in its resource section. */
static const void *resource_data(TccIr *ir, MlirAttribute attr, size_t bytes) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("builtin.module"), ir->tables->unknown);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirNamedAttribute named =
      mlirNamedAttributeGet(mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString("tcc.value")), attr);
  mlirOperationStateAddAttributes(&state, 1, &named);
  MlirOperation holder = mlirOperationCreate(&state);
  TccText text = {0};
  mlirOperationPrint(holder, tcc_append, &text);
  mlirOperationDestroy(holder);
  unsigned char *data = NULL;
  const char *section = text.data ? strstr(text.data, "dialect_resources") : NULL;
  const char *hex = section ? strstr(section, "\"0x") : NULL;
  if (hex) {
    hex += 3 + 8; /* the alignment */
    data = tcc_arena_alloc(ir->arena, bytes ? bytes : 1);
    for (size_t i = 0; i < bytes && data; i++) {
      int high = hex_digit(hex[2 * i]), low = high < 0 ? -1 : hex_digit(hex[2 * i + 1]);
      if (low < 0) data = NULL; /* the blob is too short */
      else data[i] = (unsigned char)(high << 4 | low);
    }
  }
  tcc_text_destroy(&text);
  return data;
}

const void *tcc_elements_data(TccIr *ir, MlirAttribute attr, size_t *out_count) {
  *out_count = 0;
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAElements(attr)) return NULL;
  TccElem elem = tcc_type_elem(mlirAttributeGetType(attr));
  if (!elem) return NULL;
  size_t count = (size_t)mlirElementsAttrGetNumElements(attr);
  const void *data = NULL;
  if (mlirAttributeIsADenseElements(attr)) data = dense_data(ir, attr, elem, count);
  else if (mlirAttributeIsADenseResourceElements(attr)) {
    data = resource_data(ir, attr, is_sub_byte(elem) ? count : tcc_elem_bytes(elem, count));
    if (data && is_sub_byte(elem)) data = pack(ir->arena, elem, data, count);
  }
  if (data) *out_count = count;
  return data;
}

/* The elements attribute of a constant; null if value is none. */
static MlirAttribute value_of(TccIr *ir, MlirValue value) {
  if (tcc_value_kind(ir, value) != TCC_OP_CONSTANT) return mlirAttributeGetNull();
  return mlirOperationGetAttributeByName(tcc_value_op(value), mlirStringRefCreateFromCString("value"));
}

static bool is_splat(MlirAttribute attr) {
  return mlirAttributeIsADenseElements(attr) && mlirElementsAttrGetNumElements(attr) > 0 && mlirDenseElementsAttrIsSplat(attr);
}

const void *tcc_constant_splat(TccIr *ir, MlirValue value) {
  MlirAttribute attr = value_of(ir, value);
  if (mlirAttributeIsNull(attr) || !is_splat(attr)) return NULL;
  TccElem elem = tcc_type_elem(mlirAttributeGetType(attr));
  return elem ? dense_data(ir, attr, elem, 1) : NULL;
}

const void *tcc_constant_data(TccIr *ir, MlirValue value, size_t *out_count) {
  *out_count = 0;
  MlirAttribute attr = value_of(ir, value);
  if (mlirAttributeIsNull(attr)) return NULL;
  if (mlirAttributeIsAElements(attr) && mlirElementsAttrGetNumElements(attr) > MOST_EXPANDED && is_splat(attr)) return NULL;
  TccStr key = tcc_key_pointer(&attr.ptr);
  TccMapEntry *known = tcc_map_find(ir->tables->constants, key);
  if (!known) {
    size_t count;
    const void *data = tcc_elements_data(ir, attr, &count);
    known = tcc_map_put(ir->tables->constants, key, NULL);
    known->constant = data;
  }
  if (known->constant) *out_count = (size_t)mlirElementsAttrGetNumElements(attr);
  return known->constant;
}

MlirAttribute tcc_elements_attr(TccIr *ir, MlirType type, const void *data) {
  TccElem elem = tcc_type_elem(type);
  intptr_t count = 1;
  for (int i = 0; i < tcc_type_rank(type); i++) count *= mlirShapedTypeGetDimSize(type, i);
  if (elem == TCC_ELEM_BOOL) {
    int *values = TCC_NEW_ARRAY(ir->arena, int, count + 1);
    for (intptr_t i = 0; i < count; i++) values[i] = ((const unsigned char *)data)[i] != 0;
    return mlirDenseElementsAttrBoolGet(type, count, values);
  }
  if (!is_sub_byte(elem)) return mlirDenseElementsAttrRawBufferGet(type, tcc_elem_bytes(elem, (size_t)count), data);
  return mlirDenseElementsAttrRawBufferGet(type, count, unpack(ir->arena, elem, data, (size_t)count));
}
