/* onnx.h - an ONNX file as plain structs; the bytes stay where they are. No MLIR.
 *
 * The structs mirror onnx.proto3 (IR version 14): fields have their names there, a repeated field is a vector, an absent
 * submessage is NULL. Strings and data point into the file's bytes, which must outlive them; all else is in the arena.
 * What is not listed (doc strings, metadata, quantisation annotations, training info, device configurations) is skipped.
 *
 * The reader guarantees: every length lies within its parent; nesting is at most 100 messages; names contain no NUL;
 * op types, attribute names and names of values that are declared are not empty; dims are not negative and their product
 * fits; a tensor holds its data in exactly one way, and raw or external data has the length that the dims ask for; an
 * attribute holds the one field that its type names, refers to another only in a function, and is given once. It does not look at the graph: uses before definition, names defined
 * twice and recursive functions are the importer's to find. */
#ifndef TCC_ONNX_H
#define TCC_ONNX_H
#include "tcc/digest.h"
#include "tcc/elem.h"
#include "tcc/sources.h"

/* First member of each message. */
typedef struct {
  uint64_t fields; /* bit n: field number n occurred */
  size_t at;       /* byte offset of the message's first byte in the file, for errors */
} TccOnnxHead;

typedef struct TccOnnxGraph TccOnnxGraph;
typedef struct TccOnnxType TccOnnxType;
typedef TCC_VEC(TccStr) TccOnnxStrings;
typedef TCC_VEC(int64_t) TccOnnxInts;
typedef TCC_VEC(float) TccOnnxFloats;

/* ---- tensors ---- */

/* TensorProto.DataType where no TccElem stands for it. */
enum {
  TCC_ONNX_UNDEFINED = 0,
  TCC_ONNX_STRING = 8,
  TCC_ONNX_COMPLEX64 = 14,
  TCC_ONNX_COMPLEX128 = 15,
  TCC_ONNX_F4E2M1 = 23,
  TCC_ONNX_U2 = 25,
  TCC_ONNX_I2 = 26
};

typedef struct {
  TccOnnxHead head;
  TccStr key, value;
} TccOnnxEntry;
typedef TCC_VEC(TccOnnxEntry) TccOnnxEntries;

/* A repeated number field of a tensor, left in wire format until it is asked for. */
typedef struct {
  TccStr first; /* payload of the first occurrence */
  size_t occurrences;
  bool unpacked; /* some occurrence is a single value */
} TccOnnxNumbers;

typedef enum {
  TCC_ONNX_DATA_NONE,     /* only where there are no elements */
  TCC_ONNX_DATA_RAW,      /* raw_data */
  TCC_ONNX_DATA_TYPED,    /* one of the number fields */
  TCC_ONNX_DATA_STRINGS,  /* string_data */
  TCC_ONNX_DATA_EXTERNAL, /* in another file: external */
} TccOnnxDataKind;

typedef struct {
  TccOnnxHead head;
  TccStr name;
  TccOnnxInts dims;
  int64_t data_type; /* TensorProto.DataType */
  TccStr raw_data;
  TccOnnxStrings string_data; /* any bytes */
  TccOnnxNumbers float_data, int32_data, int64_data, double_data, uint64_data;
  TccOnnxEntries external_data;
  int64_t data_location; /* 0 here, 1 external */
  bool segment;          /* never true after reading */
  TccOnnxStrings bodies; /* the message's own bytes (more than one if it was merged), for typed data */
  /* worked out by the reader: */
  TccElem elem; /* TCC_ELEM_NONE for strings, complex numbers and types that tcc has not */
  size_t count; /* elements */
  size_t bytes; /* tcc_elem_bytes(elem, count); 0 without elem */
  TccOnnxDataKind data;
  struct {
    TccStr location;
    uint64_t offset;
    bool has_length;
    uint64_t length;
  } external;
} TccOnnxTensor;
typedef TCC_VEC(TccOnnxTensor) TccOnnxTensors;

/* COO: values has shape [nnz], indices [nnz] (linearised) or [nnz, rank]. */
typedef struct {
  TccOnnxHead head;
  TccOnnxTensor *values, *indices; /* never NULL; the name is values->name */
  TccOnnxInts dims;
} TccOnnxSparse;
typedef TCC_VEC(TccOnnxSparse) TccOnnxSparses;

/* ---- types ---- */
typedef enum { TCC_ONNX_DIM_UNKNOWN, TCC_ONNX_DIM_VALUE, TCC_ONNX_DIM_PARAM } TccOnnxDimKind;
typedef struct {
  TccOnnxHead head;
  int64_t dim_value;
  TccStr dim_param;
  TccOnnxDimKind kind;
} TccOnnxDim;
typedef struct {
  TccOnnxHead head;
  TCC_VEC(TccOnnxDim) dim;
} TccOnnxShape;
typedef struct {
  TccOnnxHead head;
  int64_t elem_type;
  TccOnnxShape *shape; /* NULL: unknown rank */
  TccElem elem;        /* TCC_ELEM_NONE: see elem_type */
} TccOnnxTensorType;
typedef struct {
  TccOnnxHead head;
  TccOnnxType *elem_type;
} TccOnnxWrappedType;
typedef struct {
  TccOnnxHead head;
  int64_t key_type; /* TensorProto.DataType: an integer type or strings */
  TccOnnxType *value_type;
} TccOnnxMapType;
/* Exactly one is set, or none where a file leaves a type open; of an opaque type only its presence is kept. */
struct TccOnnxType {
  TccOnnxHead head;
  TccOnnxTensorType *tensor_type, *sparse_tensor_type;
  TccOnnxWrappedType *sequence_type, *optional_type;
  TccOnnxMapType *map_type;
  bool opaque_type;
};
typedef struct {
  TccOnnxHead head;
  TccStr name;
  TccOnnxType *type; /* may be NULL */
} TccOnnxValueInfo;
typedef TCC_VEC(TccOnnxValueInfo) TccOnnxValueInfos;

/* ---- graphs ---- */
typedef enum {
  TCC_ONNX_FLOAT = 1,
  TCC_ONNX_INT,
  TCC_ONNX_STR,
  TCC_ONNX_TENSOR,
  TCC_ONNX_GRAPH,
  TCC_ONNX_FLOATS,
  TCC_ONNX_INTS,
  TCC_ONNX_STRINGS,
  TCC_ONNX_TENSORS,
  TCC_ONNX_GRAPHS,
  TCC_ONNX_SPARSE,
  TCC_ONNX_SPARSES,
  TCC_ONNX_TYPE,
  TCC_ONNX_TYPES,
} TccOnnxAttributeType;

typedef struct {
  TccOnnxHead head;
  TccStr name;
  TccStr ref_attr_name; /* in a function: take the value of this attribute of the call; then there is no value here */
  int64_t type;         /* TccOnnxAttributeType; worked out from the fields where an old file leaves it away */
  float f;
  int64_t i;
  TccStr s;         /* any bytes */
  TccOnnxTensor *t; /* not NULL for TCC_ONNX_TENSOR; so for g and sparse_tensor */
  TccOnnxGraph *g;
  TccOnnxSparse *sparse_tensor;
  TccOnnxFloats floats;
  TccOnnxInts ints;
  TccOnnxStrings strings;
  TccOnnxTensors tensors;
  TCC_VEC(TccOnnxGraph) graphs;
  TccOnnxSparses sparse_tensors;
  TccOnnxType *tp;
  TCC_VEC(TccOnnxType) type_protos;
} TccOnnxAttribute;
typedef TCC_VEC(TccOnnxAttribute) TccOnnxAttributes;

typedef struct {
  TccOnnxHead head;
  TccStr name, op_type, domain, overload; /* domain "" and "ai.onnx" are the same; left as written */
  TccOnnxStrings input, output;           /* "" is an absent optional one */
  TccOnnxAttributes attribute;
} TccOnnxNode;
typedef TCC_VEC(TccOnnxNode) TccOnnxNodes;

struct TccOnnxGraph {
  TccOnnxHead head;
  TccStr name;
  TccOnnxNodes node;
  TccOnnxTensors initializer;
  TccOnnxSparses sparse_initializer;
  TccOnnxValueInfos input, output, value_info;
};

typedef struct {
  TccOnnxHead head;
  TccStr domain;
  int64_t version;
} TccOnnxOpset;
typedef TCC_VEC(TccOnnxOpset) TccOnnxOpsets;

typedef struct {
  TccOnnxHead head;
  TccStr name, domain, overload;
  TccOnnxStrings input, output;
  TccOnnxStrings attribute;          /* required attributes */
  TccOnnxAttributes attribute_proto; /* attributes with their defaults */
  TccOnnxNodes node;
  TccOnnxOpsets opset_import;
  TccOnnxValueInfos value_info;
} TccOnnxFunction;

typedef struct {
  TccOnnxHead head;
  int64_t ir_version, model_version;
  TccStr producer_name, producer_version, domain;
  TccOnnxOpsets opset_import;
  TccOnnxGraph *graph; /* never NULL */
  TCC_VEC(TccOnnxFunction) functions;
} TccOnnxModel;

/* Reads a ModelProto. Errors: TCC_INVALID "graph.node[3].attribute[0].t at byte 1234: ...", TCC_UNSUPPORTED for tensors in
 * segments. `bytes` must outlive the arena's use of *out. */
TCC_EXPORT TccStatus *tcc_onnx_read(TccArena *arena, const void *bytes, size_t length, TccOnnxModel **out) TCC_CHECKED;

/* Version of a domain in a list of imports, 0 if it is not imported. "" and "ai.onnx" are the same. */
TCC_EXPORT int64_t tcc_onnx_opset(const TccOnnxOpsets *imports, TccStr domain);

/* The tensor's elements in the form of tensor.h: dense, row-major, little endian, bool 0 or 1, types below 8 bits packed. Points
 * into the file where it holds them so (then unaligned perhaps), else into the arena. Not for external data, strings
 * and types without elem (TCC_UNSUPPORTED). Values that do not fit the type are TCC_INVALID. */
TCC_EXPORT TccStatus *tcc_onnx_tensor_data(TccArena *arena, const TccOnnxTensor *tensor, const void **out_data) TCC_CHECKED;

/* Where a tensor's data lies: in the model, source 0, in a file beneath its directory, or decoded in the arena. Looks at no number that a
 * file holds in the form of tensor.h. Errors as for tcc_onnx_tensor_data, tcc_sources_beside and tcc_sources_place. */
TCC_EXPORT TccStatus *tcc_onnx_locate(TccSources *sources, TccArena *arena, const TccOnnxTensor *tensor,
                                      TccSourcePlace *out) TCC_CHECKED;
#endif
