/* torch_graph.h - a graph of torch.export in memory: what model.json of a .pt2, or a graph.json of the torch.compile bridge, says. No MLIR.
 *
 * The structs mirror torch/_export/serde/schema.py, major version 8 (torch 2.9 and newer). What an importer does not ask for is skipped
 * (metadata but for stack traces, module_call_graph). Names and texts point into the JSON, which outlives the program; all else is in
 * the arena. A union whose member is not known is kept with its name (TCC_TORCH_UNKNOWN), so that an importer can report all of them
 * together; a size that is an expression is kept as text (lib/frontend/torch/expr.h reads it). Literals that torch wraps ("as_sym_int": {"as_int": 3}) are
 * plain literals here, and an optional tensor is a tensor or none.
 *
 * The reader guarantees: the grammar of JSON and the types of the fields above, no field twice, values of a graph declared once each,
 * sizes and strides of equal number, the signature's inputs and outputs as many as the graph's and of the same names. It does not look at
 * uses: a name that nothing defines, or that is defined twice, is the importer's to find. */
#ifndef TCC_TORCH_GRAPH_H
#define TCC_TORCH_GRAPH_H
#include "tcc/elem.h"

/* TCC_TORCH_TYPE(schema's ScalarType, torch's name, TccElem): not c10's numbers. */
#define TCC_TORCH_TYPES(TCC_TORCH_TYPE)                                                                                            \
  TCC_TORCH_TYPE(1, "uint8", U8)                                                                                                   \
  TCC_TORCH_TYPE(2, "int8", I8)                                                                                                    \
  TCC_TORCH_TYPE(3, "int16", I16)                                                                                                  \
  TCC_TORCH_TYPE(4, "int32", I32)                                                                                                  \
  TCC_TORCH_TYPE(5, "int64", I64)                                                                                                  \
  TCC_TORCH_TYPE(6, "float16", F16)                                                                                                \
  TCC_TORCH_TYPE(7, "float32", F32)                                                                                                \
  TCC_TORCH_TYPE(8, "float64", F64)                                                                                                \
  TCC_TORCH_TYPE(9, "complex32", NONE)                                                                                             \
  TCC_TORCH_TYPE(10, "complex64", NONE)                                                                                            \
  TCC_TORCH_TYPE(11, "complex128", NONE)                                                                                           \
  TCC_TORCH_TYPE(12, "bool", BOOL)                                                                                                 \
  TCC_TORCH_TYPE(13, "bfloat16", BF16)                                                                                             \
  TCC_TORCH_TYPE(28, "uint16", U16)                                                                                                \
  TCC_TORCH_TYPE(29, "float8_e4m3fn", F8E4M3FN)                                                                                    \
  TCC_TORCH_TYPE(30, "float8_e5m2", F8E5M2)                                                                                        \
  TCC_TORCH_TYPE(31, "float8_e4m3fnuz", F8E4M3FNUZ)                                                                                \
  TCC_TORCH_TYPE(32, "float8_e5m2fnuz", F8E5M2FNUZ)                                                                                \
  TCC_TORCH_TYPE(33, "float8_e8m0fnu", F8E8M0FNU)                                                                                  \
  TCC_TORCH_TYPE(34, "uint32", U32)                                                                                                \
  TCC_TORCH_TYPE(35, "uint64", U64)

TCC_EXPORT TccElem tcc_torch_elem(int64_t scalar_type); /* TCC_ELEM_NONE: tcc has none for it, or torch has not */
TCC_EXPORT size_t
tcc_torch_type_bytes(int64_t scalar_type); /* of an element, a complex one too; 0: not known, or less than a byte */
TCC_EXPORT const char *tcc_torch_type_name(int64_t scalar_type); /* "float32"; of each number something */
enum { TCC_TORCH_STRIDED = 7, TCC_TORCH_MAJOR = 8 };             /* Layout; the schema's major version */
enum {
  TCC_TORCH_PRESERVE = 4,
  TCC_TORCH_CONTIGUOUS = 1,
  TCC_TORCH_CHANNELS_LAST = 2,
  TCC_TORCH_CHANNELS_LAST_3D = 3
}; /* MemoryFormat */

typedef struct TccTorchGraph TccTorchGraph;

/* ---- sizes and tensors ---- */
typedef struct {
  TccStr text;   /* an expression; no length: a literal */
  int64_t value; /* the literal, or what the expression was when exported; INT64_MIN: not known */
} TccTorchSize;

typedef struct {
  TccStr type;   /* "cpu" */
  int64_t index; /* -1: none */
} TccTorchDevice;

typedef struct {
  int64_t type; /* ScalarType */
  TccElem elem; /* TCC_ELEM_NONE: tcc has no such type */
  size_t rank;
  const TccTorchSize *sizes, *strides; /* strides in elements */
  TccTorchSize offset;                 /* of the first element in its storage, in elements */
  TccTorchDevice device;
  int64_t layout; /* TCC_TORCH_STRIDED, or something sparse */
  bool requires_grad;
} TccTorchMeta;

/* ---- arguments ---- */
typedef enum {
  TCC_TORCH_UNKNOWN = 0, /* text: the union's member, "as_int_lists" */
  TCC_TORCH_NONE,
  TCC_TORCH_TENSOR,           /* text: its name */
  TCC_TORCH_TENSORS,          /* texts */
  TCC_TORCH_OPTIONAL_TENSORS, /* texts; data NULL: none */
  TCC_TORCH_INT,              /* integer */
  TCC_TORCH_INTS,             /* integers */
  TCC_TORCH_FLOAT,            /* number; may be infinite or NaN */
  TCC_TORCH_FLOATS,           /* numbers */
  TCC_TORCH_BOOL,             /* flag */
  TCC_TORCH_BOOLS,            /* flags */
  TCC_TORCH_STRING,           /* text */
  TCC_TORCH_STRINGS,          /* texts */
  TCC_TORCH_SYM_INT,          /* text: the name of a value */
  TCC_TORCH_SYM_INTS,         /* syms */
  TCC_TORCH_SYM_FLOAT,        /* text */
  TCC_TORCH_SYM_FLOATS,       /* syms */
  TCC_TORCH_SYM_BOOL,         /* text */
  TCC_TORCH_SYM_BOOLS,        /* syms */
  TCC_TORCH_SCALAR_TYPE,      /* integer: ScalarType */
  TCC_TORCH_MEMORY_FORMAT,    /* integer */
  TCC_TORCH_LAYOUT,           /* integer */
  TCC_TORCH_DEVICE,           /* device */
  TCC_TORCH_GRAPH,            /* graph */
  TCC_TORCH_OPERATOR,         /* text */
  TCC_TORCH_COMPLEX,          /* complex */
  TCC_TORCH_CUSTOM_OBJ,       /* text: its name */
  TCC_TORCH_KINDS
} TccTorchKind;

/* An element of a list of sizes, numbers or flags that values of the graph may stand in. */
typedef struct {
  TccStr name; /* no length: the literal */
  union {
    int64_t integer;
    double number;
    bool flag;
  };
} TccTorchSym;

typedef struct {
  TccTorchKind kind;
  union {
    TccStr text;
    int64_t integer;
    double number;
    bool flag;
    TccTorchDevice device;
    struct {
      double real, imaginary;
    } complex;
    struct {
      TccStr name;
      TccTorchGraph *graph;
    } graph;
    struct {
      size_t count;
      union {
        const TccStr *texts;
        const int64_t *integers;
        const double *numbers;
        const bool *flags;
        const TccTorchSym *syms;
      };
    } list;
  };
} TccTorchArg;

typedef struct {
  TccStr name; /* the parameter's */
  TccTorchArg arg;
  bool by_name; /* a keyword argument: kind 2 */
} TccTorchNamedArg;

typedef struct {
  TccStr target; /* "torch.ops.aten.add.Tensor", "_operator.mul", "torch.ops.higher_order.cond" */
  TccStr name;   /* may have no length */
  size_t ninputs, noutputs;
  const TccTorchNamedArg *inputs; /* those that differ from the schema's defaults */
  const TccTorchArg *outputs;
  TccStr stack_trace, module_stack; /* undecoded JSON strings; may have no length */
  size_t at;                        /* byte of the node in the text, for errors */
  bool single_tensor;               /* a higher-order op that returns a tensor, not a tuple of one */
} TccTorchNode;

typedef enum {
  TCC_TORCH_VALUE_TENSOR,
  TCC_TORCH_VALUE_INT,
  TCC_TORCH_VALUE_FLOAT,
  TCC_TORCH_VALUE_BOOL,
  TCC_TORCH_VALUE_OBJECT
} TccTorchValueKind;
typedef struct {
  TccTorchValueKind kind;
  TccTorchMeta meta; /* of a tensor */
  TccTorchSize size; /* of an int: what it is; of a bool or float: text alone, of a literal none */
} TccTorchValue;

struct TccTorchGraph {
  size_t ninputs, noutputs, nnodes;
  const TccTorchArg *inputs, *outputs;
  const TccTorchNode *nodes;
  TccMap *values;     /* name -> TccTorchValue; what a graph in a graph captures is an input of it */
  bool single_tensor; /* returns a tensor, not a tuple */
};
/* NULL: the graph declares none of this name. */
TCC_EXPORT const TccTorchValue *tcc_torch_value(const TccTorchGraph *graph, TccStr name);

/* ---- the program ---- */
typedef enum {
  TCC_TORCH_INPUT_UNKNOWN,
  TCC_TORCH_INPUT_USER,
  TCC_TORCH_INPUT_PARAMETER,
  TCC_TORCH_INPUT_BUFFER,
  TCC_TORCH_INPUT_CONSTANT_TENSOR,
  TCC_TORCH_INPUT_CUSTOM_OBJ,
  TCC_TORCH_INPUT_TOKEN,
  TCC_TORCH_INPUT_CONSTANT, /* arg is the value that was exported with */
} TccTorchInputKind;

typedef struct {
  TccTorchInputKind kind;
  TccTorchArg arg; /* UNKNOWN for an unknown kind, which its text names */
  TccStr target;   /* parameter_name, buffer_name, ...; the name of a constant */
  bool persistent; /* of a buffer */
} TccTorchInput;

typedef enum {
  TCC_TORCH_OUTPUT_UNKNOWN,
  TCC_TORCH_OUTPUT_USER,
  TCC_TORCH_OUTPUT_LOSS,
  TCC_TORCH_OUTPUT_BUFFER_MUTATION,
  TCC_TORCH_OUTPUT_PARAMETER_MUTATION,
  TCC_TORCH_OUTPUT_USER_INPUT_MUTATION,
  TCC_TORCH_OUTPUT_GRADIENT_OF_PARAMETER,
  TCC_TORCH_OUTPUT_GRADIENT_OF_USER_INPUT,
  TCC_TORCH_OUTPUT_TOKEN,
} TccTorchOutputKind;

typedef struct {
  TccTorchOutputKind kind;
  TccTorchArg arg;
  TccStr target; /* the buffer, parameter or user input */
} TccTorchOutput;

typedef struct {
  TccStr symbol;
  int64_t least, most; /* INT64_MIN, INT64_MAX: no bound */
} TccTorchRange;

typedef struct {
  TccTorchGraph *graph;
  size_t ninputs, noutputs, nranges, nguards;
  const TccTorchInput *inputs;   /* as the graph's inputs */
  const TccTorchOutput *outputs; /* as the graph's outputs */
  const TccTorchRange *ranges;
  const TccStr *guards; /* Python expressions */
  int64_t major, minor; /* of the schema */
  int64_t aten;         /* version of the opset; -1: not said */
  TccStr torch_version; /* "2.13.0+cu130"; may have no length */
} TccTorchProgram;

/* Reads the JSON of an ExportedProgram; name: of the text, in messages. TCC_INVALID with byte and path, TCC_UNSUPPORTED for another
 * major version of the schema. */
TCC_EXPORT TccStatus *tcc_torch_graph_read(TccArena *arena, TccStr json, const char *name, TccTorchProgram **out) TCC_CHECKED;

/* Where the user wrote what a node does: the last line of its stack trace that is not torch's own, the last of all if none is.
 * False: it says nothing. file is in the arena. */
TCC_EXPORT bool tcc_torch_node_place(TccArena *arena, const TccTorchNode *node, TccStr *out_file, int64_t *out_line);
#endif
