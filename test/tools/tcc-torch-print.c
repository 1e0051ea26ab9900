/* tcc-torch-print.c - test tool: what the reader of PyTorch's graphs made of a file, line by line, with digests in the place of data.
 *
 *   tcc-torch-print [--crc] [--quiet] FILE...       --crc: weights' CRC-32, too; --quiet: nothing but errors
 *
 * The output is compared with what Python's own zipfile and json make of the same files. A file that is refused prints one error to
 * stderr; the exit status is then 1. */
#include "tcc/digest.h"
#include "tcc/file.h"
#include "tcc/torch.h"
#include <inttypes.h>
#include <stdio.h>

static TccArena *arena;

static void print_text(TccStr text) { printf(" %.*s", TCC_STR_ARG(text)); }

static void print_number(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (number != number) printf(" nan");
  else printf(" %016" PRIx64, bits);
}

static void print_size(const TccTorchSize *size) {
  if (size->text.length) printf(" {%.*s}", TCC_STR_ARG(size->text));
  if (size->value != INT64_MIN) printf(" %" PRId64, size->value);
}

static void print_meta(const TccTorchMeta *meta) {
  printf(" %s layout=%" PRId64 " grad=%d device=%.*s:%" PRId64 " sizes", tcc_torch_type_name(meta->type), meta->layout,
         meta->requires_grad, TCC_STR_ARG(meta->device.type), meta->device.index);
  for (size_t i = 0; i < meta->rank; i++) print_size(&meta->sizes[i]);
  printf(" strides");
  for (size_t i = 0; i < meta->rank; i++) print_size(&meta->strides[i]);
  printf(" offset");
  print_size(&meta->offset);
}

static void print_graph(const TccTorchGraph *graph);

static const char *const kinds[TCC_TORCH_KINDS] = {
    "unknown",  "none",      "tensor",     "tensors",  "optional_tensors", "int",         "ints",
    "float",    "floats",    "bool",       "bools",    "string",           "strings",     "sym_int",
    "sym_ints", "sym_float", "sym_floats", "sym_bool", "sym_bools",        "scalar_type", "memory_format",
    "layout",   "device",    "graph",      "operator", "complex",          "custom_obj"};

static void print_sym(TccTorchKind kind, const TccTorchSym *sym) {
  if (sym->name.length) print_text(sym->name);
  else if (kind == TCC_TORCH_SYM_INTS) printf(" %" PRId64, sym->integer);
  else if (kind == TCC_TORCH_SYM_FLOATS) print_number(sym->number);
  else printf(" %d", sym->flag);
}

static void print_arg(const TccTorchArg *arg) {
  printf(" %s", kinds[arg->kind]);
  switch (arg->kind) {
  case TCC_TORCH_NONE:
  case TCC_TORCH_KINDS: break;
  case TCC_TORCH_INT:
  case TCC_TORCH_SCALAR_TYPE:
  case TCC_TORCH_MEMORY_FORMAT:
  case TCC_TORCH_LAYOUT: printf(" %" PRId64, arg->integer); break;
  case TCC_TORCH_FLOAT: print_number(arg->number); break;
  case TCC_TORCH_BOOL: printf(" %d", arg->flag); break;
  case TCC_TORCH_DEVICE: printf(" %.*s:%" PRId64, TCC_STR_ARG(arg->device.type), arg->device.index); break;
  case TCC_TORCH_COMPLEX: print_number(arg->complex.real), print_number(arg->complex.imaginary); break;
  case TCC_TORCH_GRAPH:
    print_text(arg->graph.name);
    printf(" {\n");
    print_graph(arg->graph.graph);
    printf("}");
    break;
  case TCC_TORCH_TENSORS:
  case TCC_TORCH_OPTIONAL_TENSORS:
  case TCC_TORCH_STRINGS:
    for (size_t i = 0; i < arg->list.count; i++) arg->list.texts[i].data ? print_text(arg->list.texts[i]) : (void)printf(" -");
    break;
  case TCC_TORCH_INTS:
    for (size_t i = 0; i < arg->list.count; i++) printf(" %" PRId64, arg->list.integers[i]);
    break;
  case TCC_TORCH_FLOATS:
    for (size_t i = 0; i < arg->list.count; i++) print_number(arg->list.numbers[i]);
    break;
  case TCC_TORCH_BOOLS:
    for (size_t i = 0; i < arg->list.count; i++) printf(" %d", arg->list.flags[i]);
    break;
  case TCC_TORCH_SYM_INTS:
  case TCC_TORCH_SYM_FLOATS:
  case TCC_TORCH_SYM_BOOLS:
    for (size_t i = 0; i < arg->list.count; i++) print_sym(arg->kind, &arg->list.syms[i]);
    break;
  default: print_text(arg->text);
  }
}

static void print_args(const char *what, const TccTorchArg *args, size_t count) {
  for (size_t i = 0; i < count; i++) {
    printf("%s", what);
    print_arg(&args[i]);
    putchar('\n');
  }
}

static void print_node(const TccTorchNode *node) {
  TccStr file;
  int64_t line;
  printf("node %.*s name=%.*s single=%d", TCC_STR_ARG(node->target), TCC_STR_ARG(node->name), node->single_tensor);
  if (tcc_torch_node_place(arena, node, &file, &line)) printf(" at %.*s:%" PRId64, TCC_STR_ARG(file), line);
  putchar('\n');
  for (size_t i = 0; i < node->ninputs; i++) {
    printf("  %.*s%s", TCC_STR_ARG(node->inputs[i].name), node->inputs[i].by_name ? "=" : "");
    print_arg(&node->inputs[i].arg);
    putchar('\n');
  }
  print_args("  ->", node->outputs, node->noutputs);
}

static void print_graph(const TccTorchGraph *graph) {
  print_args("input", graph->inputs, graph->ninputs);
  for (size_t i = 0; i < graph->nnodes; i++) print_node(&graph->nodes[i]);
  print_args("output", graph->outputs, graph->noutputs);
  printf("single=%d\n", graph->single_tensor);
  for (size_t i = 0; i < tcc_map_count(graph->values); i++) {
    const TccMapEntry *entry = tcc_map_at(graph->values, i);
    const TccTorchValue *value = entry->constant;
    printf("value %.*s", TCC_STR_ARG(entry->key));
    if (value->kind == TCC_TORCH_VALUE_TENSOR) print_meta(&value->meta);
    else printf(" %d", value->kind), print_size(&value->size);
    putchar('\n');
  }
}

static void print_program(const TccTorchProgram *program) {
  printf("schema %" PRId64 ".%" PRId64 " aten %" PRId64 " torch %.*s\n", program->major, program->minor, program->aten,
         TCC_STR_ARG(program->torch_version));
  for (size_t i = 0; i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    printf("spec in %d target=%.*s persistent=%d", input->kind, TCC_STR_ARG(input->target), input->persistent);
    print_arg(&input->arg);
    putchar('\n');
  }
  for (size_t i = 0; i < program->noutputs; i++) {
    const TccTorchOutput *output = &program->outputs[i];
    printf("spec out %d target=%.*s", output->kind, TCC_STR_ARG(output->target));
    print_arg(&output->arg);
    putchar('\n');
  }
  for (size_t i = 0; i < program->nranges; i++)
    printf("range %.*s %" PRId64 " %" PRId64 "\n", TCC_STR_ARG(program->ranges[i].symbol), program->ranges[i].least,
           program->ranges[i].most);
  for (size_t i = 0; i < program->nguards; i++) printf("guard %.*s\n", TCC_STR_ARG(program->guards[i]));
  print_graph(program->graph);
}

/* A weight, and the bytes of its storage from its first element on. */
static TccStatus *print_weight(const TccTorchArchive *archive, const TccTorchWeight *weight, bool crc) {
  const void *data;
  char hex[2 * TCC_DIGEST_BYTES + 1];
  TCC_TRY(tcc_torch_weight_data(archive, weight, crc, arena, &data));
  size_t before = (size_t)((const char *)data - weight->storage->bytes.data);
  tcc_digest_hex(data, weight->storage->size - before, hex);
  printf("weight %.*s in %.*s parameter=%d constant=%d dense=%d count=%zu data=%.16s", TCC_STR_ARG(weight->name),
         TCC_STR_ARG(weight->storage->name), weight->parameter, weight->constant, weight->row_major, weight->count, hex);
  print_meta(&weight->meta);
  putchar('\n');
  return NULL;
}

static TccStatus *print_file(const char *path, bool crc, bool quiet) {
  TccFileMap map;
  TccTorchArchive *archive;
  TCC_TRY(tcc_file_map(path, &map));
  TCC_TRY(tcc_torch_archive_read(arena, (TccStr){map.data, map.length}, path, &archive));
  if (quiet) return NULL;
  print_program(archive->program);
  for (size_t i = 0; i < archive->nweights; i++) TCC_TRY(print_weight(archive, &archive->weights[i], crc));
  return NULL;
}

int main(int argc, char **argv) {
  bool crc = false, quiet = false, failed = false;
  arena = tcc_arena_create();
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--crc") == 0) crc = true;
    else if (strcmp(argv[i], "--quiet") == 0) quiet = true;
    else {
      TccStatus *status = print_file(argv[i], crc, quiet);
      if (status) fprintf(stderr, "%s\n", tcc_status_message(status)), failed = true;
      tcc_status_destroy(status);
    }
  }
  tcc_arena_destroy(arena);
  return failed;
}
