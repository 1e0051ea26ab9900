/* graph_internal.h - the reader of graphs, shared by graph.c, graph_args.c and graph_signature.c. */
#ifndef TCC_FRONTEND_TORCH_GRAPH_INTERNAL_H
#define TCC_FRONTEND_TORCH_GRAPH_INTERNAL_H
#include "tcc/json.h"
#include "tcc/torch_graph.h"

/* Lists are collected on a stack until their length is known, so that the arena holds each once. */
typedef struct {
  TccJson json;
  TccArena *arena;
  TccText stack;
  TccMap *graphs; /* text of a graph in a graph -> what was read of it: equal ones are one */
} TccTorchReader;

#define TCC_TORCH_FIELD(text) {text, sizeof text - 1}

/* The number of the next field of the object that was entered, as names has it (count of them); others are skipped. -1: the object is left.
 * A field that occurs twice is an error. *seen, 0 at first, has a bit for each that occurred. */
int tcc_torch_field(TccTorchReader *reader, const TccStr *names, size_t count, unsigned *seen);
/* An error if one of the fields whose bits are in `needed` did not occur. */
bool tcc_torch_require(TccTorchReader *reader, const TccStr *names, unsigned seen, unsigned needed);

static inline size_t tcc_torch_mark(const TccTorchReader *reader) { return reader->stack.length; }
static inline void tcc_torch_push(TccTorchReader *reader, const void *item, size_t bytes) {
  tcc_text_put(&reader->stack, item, bytes);
}
/* What was pushed since the mark, moved into the arena; bytes: of an item. */
void *tcc_torch_pop(TccTorchReader *reader, size_t mark, size_t bytes, size_t *out_count);

void tcc_torch_read_arg(TccTorchReader *reader, TccTorchArg *out);
const TccTorchArg *tcc_torch_read_args(TccTorchReader *reader, size_t *out_count);
void tcc_torch_read_meta(TccTorchReader *reader, TccTorchMeta *out);
/* SymInt, SymFloat or SymBool */
void tcc_torch_read_size(TccTorchReader *reader, TccTorchSize *out);
TccTorchGraph *tcc_torch_read_graph(TccTorchReader *reader);
void tcc_torch_read_signature(TccTorchReader *reader, TccTorchProgram *program);
#endif
