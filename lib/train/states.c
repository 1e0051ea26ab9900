/* states.c - memory of parameters and of what optimisers keep.
 *
 * A step reads and writes them in place where it runs: on a device they stay there from step to step, and the host's tensors are brought up
 * to date when somebody asks. What the host looks at after each step, two whole numbers, stays with the host.
 * Here all of it is one mapping, whose pages are 0 as they come. All threads get these pages a piece at a time, and fill what comes from a file: a
 * state that a step reads before it writes would have two faults for each page. Huge pages were tried: a virtual machine whose host takes
 * free ones back waits for each, and twice as long in all. */
#include "lib/train/trainer.h"
#include "tcc/plan.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; before it pages come as they are touched */
#endif

enum { STATE_ALIGNMENT = 64 };

size_t train_tensor_bytes(const TccTensor *tensor) {
  size_t count = 1;
  for (int32_t i = 0; i < tensor->rank; i++) count *= (size_t)tensor->shape[i];
  return (count * tensor->dtype.bits + 7) / 8;
}

static const TrainWeight *weight_named(const TccTrainer *t, const char *name) {
  const TccMapEntry *entry = tcc_map_find(t->by_name, tcc_str(name));
  return entry ? &t->weights.data[entry->integer] : NULL;
}

/* ---- what they begin with ---- */
void train_drop_files(const TccTrainer *t) {
  for (size_t i = 0; i < tcc_sources_count(t->sources); i++) {
    const TccFileMap *map = tcc_sources_file(t->sources, i);
    tcc_file_drop_pages(map->data, map->length);
  }
}

/* A piece ends where a page of page tables does: two threads in one wait for each other's lock (1.5 GB of zeros, two threads: 0.24 s by pieces of
 * 1 MB, 0.19 by these). */
enum { PIECE_BYTES = 2 << 20, FEW_BYTES = 64 << 10 /* are not worth a call */ };

/* Bytes of one state. */
typedef struct {
  char *to;
  const char *from; /* in the file of a weight; NULL: they stay 0 */
  size_t bytes;
} Piece;
typedef struct {
  TCC_VEC(Piece) pieces;
  atomic_size_t next;
} Beginning;

static TccStatus *find_weight(const TccTrainer *t, const TrainState *s, const char **out_data) {
  const TrainWeight *w = s->weight;
  const TccFileMap *map = tcc_sources_file(t->sources, (size_t)w->source);
  if (w->length != s->bytes || w->offset > map->length || w->length > map->length - w->offset)
    return TCC_ERROR(TCC_INVALID, "%s: the file has not the %zu bytes of '%s'", t->path, s->bytes, s->name);
  *out_data = (const char *)map->data + w->offset;
  return NULL;
}

/* States begin as 0, but for averages, which begin as their parameters. */
static TccStatus *list_pieces(TccTrainer *t, TrainState *s, Beginning *all) {
  static const char average[] = ":ema";
  size_t length = strlen(s->name), suffix = sizeof average - 1;
  const char *from = NULL;
  if (!s->weight && length > suffix && strcmp(s->name + length - suffix, average) == 0)
    s->weight = weight_named(t, tcc_arena_copy(t->arena, s->name, length - suffix));
  if (s->weight) TCC_TRY(find_weight(t, s, &from));
  else if (s->bytes < FEW_BYTES || tcc_model_info(t->step)->on_device) return NULL;
  for (size_t at = 0, bytes; at < s->bytes; at += bytes) {
    char *to = (char *)s->tensor.data + at;
    bytes = PIECE_BYTES - (uintptr_t)to % PIECE_BYTES;
    if (bytes > s->bytes - at) bytes = s->bytes - at;
    Piece piece = {to, from ? from + at : NULL, bytes};
    TCC_VEC_PUSH(t->arena, &all->pieces, piece);
  }
  return NULL;
}

static void *begin_pieces(void *user) {
  Beginning *all = user;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < all->pieces.count;) {
    const Piece *piece = &all->pieces.data[i];
    uintptr_t first = (uintptr_t)piece->to / page * page, end = (uintptr_t)piece->to + piece->bytes;
    if (piece->bytes >= FEW_BYTES) madvise((void *)first, end - first, MADV_POPULATE_WRITE); /* advice: no error matters */
    if (!piece->from) continue;
    memcpy(piece->to, piece->from, piece->bytes);
    tcc_file_drop_pages(piece->from, piece->bytes); /* else each weight is in memory twice */
  }
  return NULL;
}

static TccStatus *begin(TccTrainer *t) {
  enum { MOST_THREADS = 64 };
  pthread_t others[MOST_THREADS];
  size_t wanted = t->options.compile.threads ? t->options.compile.threads : tcc_cpu_count(), started = 0;
  Beginning all = {0};
  for (size_t i = 0; i < t->nstates; i++) TCC_TRY(list_pieces(t, &t->states[i], &all));
  if (wanted > all.pieces.count) wanted = all.pieces.count;
  if (wanted > MOST_THREADS) wanted = MOST_THREADS;
  /* this thread works too: fewer threads than wanted is only slower */
  while (started + 1 < wanted && pthread_create(&others[started], NULL, begin_pieces, &all) == 0) started++;
  begin_pieces(&all);
  while (started) pthread_join(others[--started], NULL);
  train_drop_files(t); /* a fault has mapped the pages around its own, another thread's piece among them */
  return NULL;
}

static TccStatus *describe(const TccPortInfo *port, TrainState *s) {
  if (port->rank > 16) return TCC_ERROR(TCC_UNSUPPORTED, "'%s' has %d axes", port->name, port->rank);
  s->name = port->name;
  for (int32_t axis = 0; axis < port->rank; axis++) {
    if (port->dims[axis] < 0) return TCC_ERROR(TCC_UNSUPPORTED, "the size of '%s' is not known", port->name);
    s->shape[axis] = port->dims[axis];
  }
  s->tensor = (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = s->shape};
  s->bytes = train_tensor_bytes(&s->tensor);
  return NULL;
}

/* A line of the cache behind the last byte is the state's, too. */
static size_t room(const TrainState *s) { return (s->bytes + 2 * STATE_ALIGNMENT - 1) / STATE_ALIGNMENT * STATE_ALIGNMENT; }

/* The places of all states, each from a line of the cache on; all bytes are 0. */
static TccStatus *map_states(TccTrainer *t) {
  size_t bytes = STATE_ALIGNMENT; /* a mapping is not empty */
  for (size_t i = 0; i < t->nstates; i++) bytes += room(&t->states[i]);
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return TCC_ERROR(TCC_NO_MEMORY, "no memory for the %zu bytes of parameters and states", bytes);
  t->memory = memory, t->memory_bytes = bytes;
  char *at = memory;
  for (size_t i = 0; i < t->nstates; at += room(&t->states[i++])) {
    t->states[i].tensor.data = at;
    t->states[i].placed = t->states[i].tensor;
  }
  return NULL;
}

/* ---- on a device ---- */
static bool is_placed(const TrainState *s) { return s->placed.data != s->tensor.data; }

static bool belongs_to_host(const TccTrainer *t, size_t state) { return state == t->counter || state == t->exponent; }

TccStatus *train_read_state(const TccTrainer *t, const TrainState *s) {
  return is_placed(s) ? tcc_model_tensor_copy(t->step, &s->placed, &s->tensor) : NULL;
}

TccStatus *tcc_trainer_read_states(const TccTrainer *t) {
  for (size_t i = 0; i < t->nstates; i++) TCC_TRY(train_read_state(t, &t->states[i]));
  return NULL;
}

TccStatus *tcc_trainer_write_states(TccTrainer *t) {
  for (size_t i = 0; i < t->nstates; i++)
    if (is_placed(&t->states[i])) TCC_TRY(tcc_model_tensor_copy(t->step, &t->states[i].tensor, &t->states[i].placed));
  return NULL;
}

static TccStatus *place(TccTrainer *t) {
  if (!tcc_model_info(t->step)->on_device) return NULL;
  for (size_t i = 0; i < t->nstates; i++)
    if (!belongs_to_host(t, i))
      TCC_TRY(tcc_status_context(tcc_model_tensor_create(t->step, &t->states[i].placed), "'%s'", t->states[i].name));
  return tcc_trainer_write_states(t);
}

TccStatus *train_make_states(TccTrainer *t) {
  size_t all = tcc_model_input_count(t->step);
  size_t exponent = SIZE_MAX;
  t->states = TCC_NEW_ARRAY(t->arena, TrainState, all + 1);
  for (size_t i = t->narguments; i < all; i++) {
    const TccPortInfo *port = tcc_model_input(t->step, i);
    TrainState *s = &t->states[t->nstates++];
    s->weight = weight_named(t, port->name), s->parameter = s->weight != NULL;
    if (!s->parameter && !strcmp(port->name, "step")) t->counter = t->nstates - 1;
    if (!s->parameter && !strcmp(port->name, "scale:exponent")) exponent = t->nstates - 1;
    TCC_TRY(describe(port, s));
  }
  t->exponent = exponent < t->nstates ? exponent : t->nstates;
  TCC_TRY(map_states(t));
  TCC_TRY(begin(t));
  return place(t);
}

void train_free_states(TccTrainer *t) {
  for (size_t i = 0; i < t->nstates; i++)
    if (is_placed(&t->states[i])) tcc_model_tensor_destroy(t->step, &t->states[i].placed);
  if (t->memory) munmap(t->memory, t->memory_bytes);
}
