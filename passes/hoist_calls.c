/* hoist_calls.c - move calls up to where they free more memory than they take.
 *
 *   %g1 = call @gradient1(...)               %g1 = call @gradient1(...)
 *   %g2 = call @gradient2(...)         =>    %v = call @update(%w, %g1)     %g1's buffer is free from here on
 *   %v = call @update(%w, %g1)               %g2 = call @gradient2(...)
 *
 * An optimiser's updates stand behind the whole backward, so that each gradient lives until then. A call moves to just behind the last
 * of what makes its operands, and of the other readers of those that it reads last, if these have more bytes than its results; a result
 * that is written in place of an argument (tcc.tied) that nobody reads any more has none, nor have small ones. So at no point more is alive
 * than before. No call moves above one that counts what is not zero: sizes are known behind it that are not before. The idea is that of XLA's list scheduler for memory. Symbolic sizes count as tcc_ir_likely has them.
 *
 * requires: fuse, concat-in-place. ensures: nothing. keeps: everything but the order of calls, and of sources and aliases that they read. */
#include "lib/ir/buffers.h"
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "lib/ir/ports.h"
#include "tcc/pass.h"

enum { SMALL = 64 }; /* bytes */

/* Behind the op that was the at-th, from 1 on, and behind `turn` - 1 ops that moved there before. 0: the beginning of the block. */
typedef struct {
  size_t at, turn;
} Place;

typedef struct {
  Place last;     /* the last reader so far */
  size_t readers; /* that are still to come */
  size_t round;   /* in which it was met last */
} Buffer;

typedef struct {
  MlirOperation op;
  intptr_t next; /* operand to look at */
} Visit;

typedef struct {
  TccPassRun *run;
  TccBuffers buffers;
  MlirBlock block;
  TccPointerMap places;  /* op -> Place */
  TccPointerMap read;    /* buffer (root value) -> Buffer */
  TccPointerMap tied;    /* value that is returned -> the argument it is written in place of */
  TccPointerMap over;    /* such arguments, to themselves */
  MlirOperation *behind; /* [ops + 1] the last op that moved behind the n-th, or that itself */
  size_t round;          /* of looking at operands, see is_new */
  size_t *turns;         /* [ops + 1] how many have moved there */
  Place counted;         /* of the last call that counts a size; 0: there is none */
} Hoist;

static bool is_before(Place a, Place b) { return a.at < b.at || (a.at == b.at && a.turn < b.turn); }

static Place later(Place a, Place b) { return is_before(a, b) ? b : a; }

static bool is_source(const Hoist *h, MlirOperation op) {
  return tcc_op_kind(h->run->ir, op) != TCC_OP_UNKNOWN && mlirOperationGetNumOperands(op) == 0;
}

/* Where the value can be read at the earliest: sources and aliases move with their readers. */
static Place ready(const Hoist *h, MlirValue value) {
  value = tcc_buffer_of(&h->buffers, value);
  if (!mlirValueIsAOpResult(value) || is_source(h, mlirOpResultGetOwner(value))) return (Place){0};
  return *(Place *)tcc_pointer_map_get(&h->places, mlirOpResultGetOwner(value).ptr);
}

static Buffer *buffer_read(const Hoist *h, MlirValue value) {
  return tcc_pointer_map_get(&h->read, tcc_buffer_of(&h->buffers, value).ptr);
}

/* Whether the buffer is met for the first time in this round: an op may read it through several operands. */
static bool is_new(const Hoist *h, Buffer *b) {
  bool is_new = b->round != h->round;
  b->round = h->round;
  return is_new;
}

static bool reads(const Hoist *h, MlirOperation op, MlirValue buffer) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (mlirValueEqual(tcc_buffer_of(&h->buffers, mlirOperationGetOperand(op, i)), buffer)) return true;
  return false;
}

static double bytes_of(const Hoist *h, MlirValue value) {
  MlirType type = tcc_value_type(value);
  const TccExpr *count = tcc_type_count(h->run->ir, type);
  return count ? (double)tcc_ir_likely(h->run->ir, count) * tcc_elem_bits(tcc_type_elem(type)) / 8 : 1e300;
}

/* Of a result's buffer: none if it lies where an argument does that nobody reads behind this call. */
static double taken_by(const Hoist *h, MlirOperation call, MlirValue result) {
  void *argument = tcc_pointer_map_get(&h->tied, result.ptr);
  double bytes = bytes_of(h, result);
  if (bytes <= SMALL) return 0;
  if (!argument) return bytes;
  const Buffer *buffer = tcc_pointer_map_get(&h->read, argument);
  size_t still = buffer ? buffer->readers : 0;
  return still == (size_t)reads(h, call, (MlirValue){argument}) ? 0 : bytes;
}

/* Whether the buffer of an operand is free, or may be written over, once the call has run, if all others that read it have: nobody behind
 * it does. */
static bool reads_last(const Hoist *h, MlirOperation call, intptr_t operand) {
  MlirValue buffer = tcc_buffer_of(&h->buffers, mlirOperationGetOperand(call, operand));
  if (buffer_read(h, buffer)->readers != 1) return false;
  if (!mlirValueIsAOpResult(buffer)) return tcc_pointer_map_get(&h->over, buffer.ptr) != NULL; /* others are the caller's */
  return !is_source(h, mlirOpResultGetOwner(buffer)) && bytes_of(h, buffer) > SMALL;
}

static bool pays(Hoist *h, MlirOperation call) {
  double taken = 0, freed = 0;
  h->round++;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); i++) taken += taken_by(h, call, mlirOperationGetResult(call, i));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue buffer = tcc_buffer_of(&h->buffers, mlirOperationGetOperand(call, i));
    if (mlirValueIsAOpResult(buffer) && reads_last(h, call, i) && is_new(h, buffer_read(h, buffer))) freed += bytes_of(h, buffer);
  }
  return freed > taken || taken == 0;
}

static void set_place(Hoist *h, MlirOperation op, Place place) {
  Place *own = TCC_NEW(h->run->scratch, Place);
  *own = place;
  tcc_pointer_map_set(&h->places, op.ptr, own);
}

static Place move(Hoist *h, MlirOperation op, size_t at) {
  if (h->behind[at].ptr) mlirOperationMoveAfter(op, h->behind[at]);
  else mlirOperationMoveBefore(op, mlirBlockGetFirstOperation(h->block));
  h->behind[at] = op;
  Place place = {at, ++h->turns[at]};
  set_place(h, op, place);
  return place;
}

/* Moves sources and aliases that the op reads in front of where it goes, each behind those that it reads; chains of aliases may be long. */
static void move_operands(Hoist *h, MlirOperation op, size_t at) {
  TCC_VEC(Visit) stack = {0};
  Visit first = {op, 0};
  TCC_VEC_PUSH(h->run->scratch, &stack, first);
  while (stack.count) {
    Visit *top = &stack.data[stack.count - 1];
    if (top->next == mlirOperationGetNumOperands(top->op)) {
      if (--stack.count) move(h, stack.data[stack.count].op, at);
      continue;
    }
    MlirValue value = mlirOperationGetOperand(top->op, top->next++);
    Visit below = {mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL}, 0};
    if (mlirOperationIsNull(below.op) || (!is_source(h, below.op) && !tcc_buffers_is_alias(&h->buffers, below.op))) continue;
    if (((const Place *)tcc_pointer_map_get(&h->places, below.op.ptr))->at > at) TCC_VEC_PUSH(h->run->scratch, &stack, below);
  }
}

/* The n-th op, a call. */
static Place place_call(Hoist *h, MlirOperation call, size_t n) {
  Place place = h->counted;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    place = later(place, ready(h, operand));
    if (reads_last(h, call, i)) place = later(place, buffer_read(h, operand)->last);
  }
  if (place.at + 1 >= n || !pays(h, call)) return (Place){n, 0};
  move_operands(h, call, place.at);
  return move(h, call, place.at);
}

static bool counts(const Hoist *h, const TccCallee *callee) {
  if (!callee || callee->kind != TCC_KERNEL_BUILTIN) return false;
  TCC_EACH_OP (op, tcc_func_body(callee->function))
    if (tcc_op_kind(h->run->ir, op) == TCC_OP_NONZERO) return true;
  return false;
}

static void count_readers(Hoist *h, MlirOperation op) {
  if (tcc_buffers_is_alias(&h->buffers, op)) return;
  h->round++;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue buffer = tcc_buffer_of(&h->buffers, mlirOperationGetOperand(op, i));
    Buffer *b = tcc_pointer_map_get(&h->read, buffer.ptr);
    if (!b) tcc_pointer_map_set(&h->read, buffer.ptr, b = TCC_NEW(h->run->scratch, Buffer));
    b->readers += is_new(h, b);
  }
}

static void note_read(Hoist *h, MlirOperation op, Place place) {
  h->round++;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    Buffer *b = buffer_read(h, mlirOperationGetOperand(op, i));
    b->readers -= is_new(h, b);
    b->last = later(b->last, place);
  }
}

static void read_ties(Hoist *h, MlirOperation func, MlirOperation end) {
  MlirAttribute all = tcc_attribute(func, "res_attrs");
  h->tied = h->over = (TccPointerMap){.arena = h->run->scratch};
  for (intptr_t i = 0; !mlirAttributeIsNull(all) && i < mlirArrayAttrGetNumElements(all); i++) {
    MlirAttribute to = tcc_ports_attribute(mlirArrayAttrGetElement(all, i), "tcc.tied");
    if (mlirAttributeIsNull(to)) continue;
    MlirValue result = tcc_buffer_of(&h->buffers, mlirOperationGetOperand(end, i));
    void *argument = (void *)(uintptr_t)mlirBlockGetArgument(h->block, (intptr_t)mlirIntegerAttrGetValueInt(to)).ptr;
    tcc_pointer_map_set(&h->tied, result.ptr, argument);
    tcc_pointer_map_set(&h->over, argument, argument);
  }
}

static void hoist(Hoist *h, MlirOperation func) {
  TCC_VEC(MlirOperation) ops = {0};
  h->block = tcc_func_body(func);
  h->counted = (Place){0};
  h->places = h->read = (TccPointerMap){.arena = h->run->scratch};
  TCC_EACH_OP (op, h->block) {
    TCC_VEC_PUSH(h->run->scratch, &ops, op);
    count_readers(h, op);
  }
  read_ties(h, func, ops.data[ops.count - 1]);
  h->behind = TCC_NEW_ARRAY(h->run->scratch, MlirOperation, ops.count + 1);
  h->turns = TCC_NEW_ARRAY(h->run->scratch, size_t, ops.count + 1);
  for (size_t n = 0; n < ops.count; n++) {
    set_place(h, ops.data[n], (Place){n + 1, 0});
    h->behind[n + 1] = ops.data[n];
  }
  for (size_t n = 0; n < ops.count; n++) {
    MlirOperation op = ops.data[n];
    const TccCallee *callee = tcc_buffers_callee(&h->buffers, op);
    if (tcc_buffers_is_alias(&h->buffers, op)) continue;
    bool stays = !callee || callee->kind == TCC_KERNEL_CONCAT; /* what is joined may be written where it will lie */
    Place place = stays ? *(Place *)tcc_pointer_map_get(&h->places, op.ptr) : place_call(h, op, n + 1);
    note_read(h, op, place);
    if (counts(h, callee)) h->counted = place;
  }
}

MlirLogicalResult tcc_pass_hoist_calls(TccPassRun *run, MlirOperation module) {
  Hoist h = {.run = run};
  tcc_buffers_read(run->ir, run->scratch, module, &h.buffers);
  TCC_EACH_FUNCTION (func, module)
    if (!tcc_kernel_kind(run->ir, func)) hoist(&h, func);
  return mlirLogicalResultSuccess();
}
