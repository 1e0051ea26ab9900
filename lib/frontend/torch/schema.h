/* schema.h - parameters of ATen's overloads: names, order, types and defaults, which archives leave out. No MLIR.
 *
 * The texts are torch's own (aten_schemas.def); one is parsed when it is asked for. */
#ifndef TCC_TORCH_SCHEMA_H
#define TCC_TORCH_SCHEMA_H
#include "tcc/torch_graph.h"

typedef enum {
  TORCH_PARAMETER_OTHER, /* Generator, Dimname: nothing is read of it */
  TORCH_PARAMETER_TENSOR,
  TORCH_PARAMETER_INT, /* int and SymInt */
  TORCH_PARAMETER_FLOAT,
  TORCH_PARAMETER_BOOL,
  TORCH_PARAMETER_SCALAR, /* int, float or bool, as it comes */
  TORCH_PARAMETER_STRING,
  TORCH_PARAMETER_SCALAR_TYPE,
  TORCH_PARAMETER_LAYOUT,
  TORCH_PARAMETER_DEVICE,
  TORCH_PARAMETER_MEMORY_FORMAT
} TorchParameterType;

typedef struct {
  TccStr name;
  TorchParameterType type;
  bool is_list, has_optional_items; /* int[2], Tensor?[] */
  int64_t list_size;                /* N of int[N], where a single one stands for N equal ones; 0: not said */
  bool is_optional;                 /* may be none */
  bool is_mutated;                  /* Tensor(a!): the op writes it */
  bool by_name;                     /* stands behind the "*" */
  TccStr otherwise;                 /* the default's text; no length: there is none */
} TorchParameter;

enum { TORCH_MOST_PARAMETERS = 32 };
typedef struct {
  TccStr overload; /* "add.Tensor"; "relu" for relu.default */
  size_t nparameters, nresults;
  bool returns_list; /* its only result is Tensor[] */
  TorchParameter parameters[TORCH_MOST_PARAMETERS];
} TorchSchema;

/* The schema of an overload, with or without ".default"; false: the table has none. out's texts live as long as the program. */
TCC_EXPORT bool torch_schema_find(TccStr overload, TorchSchema *out);
/* The parameter of that name; NULL if there is none. */
TCC_EXPORT const TorchParameter *torch_schema_parameter(const TorchSchema *schema, TccStr name);
/* A parameter's default as the argument that the graph leaves out, lists in the arena: a number for a list of N is N numbers. False:
 * it has no default. */
TCC_EXPORT bool torch_schema_default(TccArena *arena, const TorchParameter *parameter, TccTorchArg *out);
/* Row `index` of the table, in order of its names; false: there are fewer. For tests. */
TCC_EXPORT bool torch_schema_at(size_t index, TorchSchema *out);
#endif
