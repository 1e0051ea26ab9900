/* reader.c - ONNX files into the structs of include/tcc/onnx.h.
 *
 * One recursive function reads every message; reader_fields.def says for each field number where it goes and as what. The
 * bytes are walked once and stay where they are: names and data are spans, only repeated fields and submessages take
 * memory. A path of frames on the C stack (at most DEPTH of them) says in errors where the reader was.
 *
 * protobuf's rules that are kept: numbers may be packed or not, the last of repeated singular values wins, repeated
 * singular submessages merge, unknown fields are skipped. A known field of another wire type is an error here, where
 * protobuf would skip it.
 *
 * A message can be checked when nothing can be merged into it any more: an element of a repeated field at its end, all others
 * when the message around them is checked. */
#include "lib/frontend/onnx/reader.h"

enum { DEPTH = 100 }; /* submessages, as in protobuf's own parsers */

typedef enum {
  MESSAGE_NONE,
#define TCC_ONNX_MESSAGE(message, type, check) MESSAGE_##message,
#include "lib/frontend/onnx/reader_fields.def"
  MESSAGE_COUNT
} MessageKind;

typedef enum {
  KIND_SKIP,
  KIND_INT,
  KIND_FLOAT,
  KIND_NAME,
  KIND_BLOB,
  KIND_FLAG,
  KIND_INTS,
  KIND_FLOATS,
  KIND_NAMES,
  KIND_BLOBS,
  KIND_VARINTS,
  KIND_FIXED32S,
  KIND_FIXED64S,
  KIND_MESSAGE,
  KIND_MESSAGES,
} FieldKind;

typedef struct {
  FieldKind kind;
  MessageKind submessage;
  unsigned offset;
  const char *name;
} Row;
enum { ROWS = 32 }; /* field numbers above are unknown */

static const Row rows[MESSAGE_COUNT][ROWS] = {
#define TCC_ONNX_FIELD(message, type, number, member, kind, submessage)                                                            \
  [MESSAGE_##message][number] = {KIND_##kind, MESSAGE_##submessage, offsetof(type, member), #member},
#include "lib/frontend/onnx/reader_fields.def"
};

static const struct {
  size_t bytes;
} messages[MESSAGE_COUNT] = {
#define TCC_ONNX_MESSAGE(message, type, check) [MESSAGE_##message] = {sizeof(type)},
#include "lib/frontend/onnx/reader_fields.def"
};

typedef struct {
  TccArena *arena;
  const char *base;
  bool in_function;
} Reader;

/* Where the reader is: a field of the message around, or the root. */
typedef struct Frame {
  const struct Frame *parent;
  const Row *row; /* NULL: the root */
  long index;     /* -1: not repeated */
  unsigned depth;
} Frame;

static void print_path(const Frame *frame, TccText *text) {
  if (!frame->row) return;
  print_path(frame->parent, text);
  tcc_text_printf(text, frame->parent->row ? ".%s" : "%s", frame->row->name);
  if (frame->index >= 0) tcc_text_printf(text, "[%ld]", frame->index);
}

static TccStatus *add_place(TccStatus *status, const Frame *frame, size_t at) {
  TccText path = {0};
  print_path(frame, &path);
  status = tcc_status_context(status, "%s%sat byte %zu", path.length ? path.data : "", path.length ? " " : "", at);
  tcc_text_destroy(&path);
  return status;
}

static TccStatus *wrong(const Reader *reader, const Frame *frame, const void *at, const char *why) {
  return add_place(TCC_ERROR(TCC_INVALID, "%s", why), frame, (size_t)((const char *)at - reader->base));
}

/* ---- members through their offsets ---- */

/* The layout of every TCC_VEC, copied in and out since the element type is not known here. */
typedef struct {
  void *data;
  size_t count, capacity;
} Vector;

/* Room for `more` elements; returns the first, zeroed. */
static void *extend(Reader *reader, void *member, size_t element, size_t more) {
  Vector v;
  memcpy(&v, member, sizeof v);
  if (more > v.capacity - v.count) {
    size_t capacity = v.capacity * 2 > v.count + more ? v.capacity * 2 : v.count + more;
    if (more == 1 && capacity < 4) capacity = 4;
    v.data = tcc_arena_grow(reader->arena, v.data, v.count * element, capacity * element);
    v.capacity = capacity;
  }
  void *first = v.data ? (char *)v.data + v.count * element : NULL;
  v.count += more;
  memcpy(member, &v, sizeof v);
  return first;
}

static size_t vector_count(const void *member) {
  Vector v;
  memcpy(&v, member, sizeof v);
  return v.count;
}

/* ---- checks, from the inside out ---- */

static TccStatus *check_one(MessageKind kind, void *value) {
  switch (kind) {
#define TCC_ONNX_MESSAGE(message, type, check)                                                                                     \
  case MESSAGE_##message: return check(value);
#include "lib/frontend/onnx/reader_fields.def"
  default: return NULL;
  }
}

/* Elements of repeated fields have been checked; singular submessages not. */
static TccStatus *check_message(const Frame *frame, MessageKind kind, void *message) {
  for (unsigned number = 1; number < ROWS; number++) {
    const Row *row = &rows[kind][number];
    if (row->kind != KIND_MESSAGE) continue;
    void *child;
    memcpy(&child, (char *)message + row->offset, sizeof child);
    Frame inner = {frame, row, -1, frame->depth + 1};
    if (child) TCC_TRY(check_message(&inner, row->submessage, child));
  }
  TccStatus *status = check_one(kind, message);
  return status ? add_place(status, frame, ((TccOnnxHead *)message)->at) : NULL;
}

/* ---- reading ---- */

static TccStatus *read_message(Reader *reader, const Frame *frame, MessageKind kind, TccStr body, void *message);

static TccStatus *read_submessage(Reader *reader, const Frame *frame, const TccWireField *field, void *member) {
  const Row *row = frame->row;
  size_t bytes = messages[row->submessage].bytes;
  if (frame->depth > DEPTH) return wrong(reader, frame, field->start, "messages are nested more than 100 deep");
  if (row->kind == KIND_MESSAGES) {
    void *element = extend(reader, member, bytes, 1);
    TCC_TRY(read_message(reader, frame, row->submessage, field->bytes, element));
    return check_message(frame, row->submessage, element);
  }
  void *child;
  memcpy(&child, member, sizeof child);
  if (!child) child = tcc_arena_alloc(reader->arena, bytes);
  memcpy(member, &child, sizeof child);
  return read_message(reader, frame, row->submessage, field->bytes, child);
}

static TccStatus *read_ints(Reader *reader, const Frame *frame, const TccWireField *field, void *member) {
  if (field->type == TCC_WIRE_VARINT) {
    *(int64_t *)extend(reader, member, sizeof(int64_t), 1) = (int64_t)field->value;
    return NULL;
  }
  size_t count = 0;
  for (size_t i = 0; i < field->bytes.length; i++) count += !(field->bytes.data[i] & 128);
  int64_t *values = extend(reader, member, sizeof *values, count);
  TccWire wire = tcc_wire(field->bytes);
  while (wire.at < wire.end) {
    const void *at = wire.at;
    uint64_t value;
    if (!tcc_wire_varint(&wire, &value)) return wrong(reader, frame, at, "a number is cut off or too long");
    *values++ = (int64_t)value;
  }
  return NULL;
}

static TccStatus *read_floats(Reader *reader, const Frame *frame, const TccWireField *field, void *member) {
  if (field->type == TCC_WIRE_FIXED32) {
    memcpy(extend(reader, member, sizeof(float), 1), &field->value, sizeof(float));
    return NULL;
  }
  if (field->bytes.length % sizeof(float))
    return wrong(reader, frame, field->bytes.data, "packed floats have a length that 4 does not divide");
  if (!field->bytes.length) return NULL;
  memcpy(extend(reader, member, sizeof(float), field->bytes.length / sizeof(float)), field->bytes.data, field->bytes.length);
  return NULL;
}

static TccStatus *read_numbers(Reader *reader, const Frame *frame, const TccWireField *field, size_t width,
                               TccOnnxNumbers *numbers) {
  if (field->type == TCC_WIRE_BYTES) {
    if (width && field->bytes.length % width)
      return wrong(reader, frame, field->bytes.data, "packed numbers have a length that their size does not divide");
    if (!field->bytes.length) return NULL;
    if (!numbers->occurrences) numbers->first = field->bytes;
  } else {
    numbers->unpacked = true;
  }
  numbers->occurrences++;
  return NULL;
}

/* The wire type a field of this kind has; numbers may come packed too. */
static bool wire_type_fits(FieldKind kind, unsigned type) {
  switch (kind) {
  case KIND_SKIP:
  case KIND_FLAG: return true;
  case KIND_INT: return type == TCC_WIRE_VARINT;
  case KIND_FLOAT: return type == TCC_WIRE_FIXED32;
  case KIND_INTS:
  case KIND_VARINTS: return type == TCC_WIRE_VARINT || type == TCC_WIRE_BYTES;
  case KIND_FLOATS:
  case KIND_FIXED32S: return type == TCC_WIRE_FIXED32 || type == TCC_WIRE_BYTES;
  case KIND_FIXED64S: return type == TCC_WIRE_FIXED64 || type == TCC_WIRE_BYTES;
  default: return type == TCC_WIRE_BYTES;
  }
}

static TccStatus *read_field(Reader *reader, const Frame *frame, const TccWireField *field, void *member) {
  FieldKind kind = frame->row->kind;
  if (!wire_type_fits(kind, field->type)) return wrong(reader, frame, field->start, "the field has the wrong wire type");
  if ((kind == KIND_NAME || kind == KIND_NAMES) && memchr(field->bytes.data, 0, field->bytes.length))
    return wrong(reader, frame, field->bytes.data, "a name contains a NUL");
  switch (kind) {
  case KIND_SKIP: return NULL;
  case KIND_INT: *(int64_t *)member = (int64_t)field->value; return NULL;
  case KIND_FLOAT: memcpy(member, &field->value, sizeof(float)); return NULL;
  case KIND_NAME:
  case KIND_BLOB: *(TccStr *)member = field->bytes; return NULL;
  case KIND_FLAG: *(bool *)member = true; return NULL;
  case KIND_NAMES:
  case KIND_BLOBS: *(TccStr *)extend(reader, member, sizeof(TccStr), 1) = field->bytes; return NULL;
  case KIND_INTS: return read_ints(reader, frame, field, member);
  case KIND_FLOATS: return read_floats(reader, frame, field, member);
  case KIND_VARINTS: return read_numbers(reader, frame, field, 0, member);
  case KIND_FIXED32S: return read_numbers(reader, frame, field, 4, member);
  case KIND_FIXED64S: return read_numbers(reader, frame, field, 8, member);
  case KIND_MESSAGE:
  case KIND_MESSAGES: return read_submessage(reader, frame, field, member);
  }
  return NULL;
}

/* Reads body into message, which is zeroed or, when merging, holds what came before. */
static TccStatus *read_message(Reader *reader, const Frame *frame, MessageKind kind, TccStr body, void *message) {
  TccOnnxHead *head = message;
  if (!head->at) head->at = (size_t)(body.data - reader->base);
  if (kind == MESSAGE_TENSOR) *(TccStr *)extend(reader, &((TccOnnxTensor *)message)->bodies, sizeof(TccStr), 1) = body;
  TccWire wire = tcc_wire(body);
  while (wire.at < wire.end) {
    TccWireField field;
    const char *why = tcc_wire_next(&wire, &field);
    if (why) return wrong(reader, frame, field.start, why);
    if (field.number >= ROWS || rows[kind][field.number].kind == KIND_SKIP) continue;
    const Row *row = &rows[kind][field.number];
    char *member = (char *)message + row->offset;
    head->fields |= (uint64_t)1 << field.number;
    if (kind == MESSAGE_FUNCTION) reader->in_function = true;
    Frame inner = {frame, row, row->kind == KIND_MESSAGES ? (long)vector_count(member) : -1, frame->depth + 1};
    TCC_TRY(read_field(reader, &inner, &field, member));
    if (kind == MESSAGE_ATTRIBUTE && !reader->in_function && ((TccOnnxAttribute *)message)->ref_attr_name.length)
      return wrong(reader, &inner, field.start, "a reference to an attribute outside of a function");
  }
  if (kind == MESSAGE_FUNCTION) reader->in_function = false; /* functions do not nest */
  return NULL;
}

TccStatus *tcc_onnx_read(TccArena *arena, const void *bytes, size_t length, TccOnnxModel **out) {
  *out = NULL;
  TccOnnxModel *model = TCC_NEW(arena, TccOnnxModel);
  Reader reader = {arena, length ? bytes : "", false};
  Frame root = {NULL, NULL, -1, 0};
  TCC_TRY(read_message(&reader, &root, MESSAGE_MODEL, (TccStr){reader.base, length}, model));
  TCC_TRY(check_message(&root, MESSAGE_MODEL, model));
  *out = model;
  return NULL;
}

/* ---- queries ---- */

static TccStr canonical_domain(TccStr domain) { return tcc_str_is(domain, "ai.onnx") ? tcc_str("") : domain; }

int64_t tcc_onnx_opset(const TccOnnxOpsets *imports, TccStr domain) {
  for (size_t i = 0; i < imports->count; i++)
    if (tcc_str_equal(canonical_domain(imports->data[i].domain), canonical_domain(domain))) return imports->data[i].version;
  return 0;
}
