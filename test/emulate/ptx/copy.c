/* copy.c - cp.async: copies to shared memory that come to their end when their group is waited for, or by chance before.
 *
 * A copy is an actor of its own (race.c): what it writes is ordered behind a wait for its group, whose clock the warp then has. Its bytes are
 * in memory at the wait at the latest, so that a kernel that waits too little reads old ones. Section 9.7.9.25 of the PTX ISA. */
#include "async.h"
#include "ops.h"

enum { COMMIT, WAIT_GROUP, WAIT_ALL };

void async_open(Block *b);
void async_close(Block *b);
bool async_advance(Cluster *c);

void async_open(Block *b) {
  b->async = calloc(1, sizeof *b->async);
  if (!b->async) abort();
}

void async_close(Block *b) {
  transfers_close(b);
  free(b->async->mbarriers);
  free(b->async->copies);
  free(b->async);
  b->async = NULL;
}

static void finish(Block *b, size_t i) {
  AsyncState *s = b->async;
  memcpy(b->shared + s->copies[i].offset, s->copies[i].data, s->copies[i].bytes);
  memmove(&s->copies[i], &s->copies[i + 1], (s->count - i - 1) * sizeof *s->copies);
  s->count--;
}

bool async_advance(Cluster *c) {
  unsigned first = (unsigned)(emu_random(c->blocks[0].device) % c->count);
  for (unsigned k = 0; k < c->count; k++)
    if (transfers_advance(&c->blocks[(first + k) % c->count])) return true;
  for (unsigned k = 0; k < c->count; k++)
    if (c->blocks[k].async->count) {
      finish(&c->blocks[k], (size_t)(emu_random(c->blocks[k].device) % c->blocks[k].async->count));
      return true;
    }
  return false;
}

void copies_finish(Warp *w, uint32_t until) {
  AsyncState *s = w->block->async;
  for (size_t i = 0; i < s->count;)
    if (s->copies[i].warp == w->index && s->copies[i].epoch <= until) finish(w->block, i);
    else i++;
}

/* type: bytes; src: to, from, and how many of them are read. */
static Outcome exec_cp_async(Warp *w, const Inst *inst, uint32_t mask) {
  Block *b = w->block;
  AsyncState *s = b->async;
  uint64_t from_of[LANES], to_of[LANES];
  w->copies++;
  EACH_LANE(l, mask) {
    uint64_t to = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate,
             from = lane_bits(w, &inst->src[1], l) + (uint64_t)inst->extra[0];
    uint32_t bytes = inst->count, read = inst->nsrc > 2 ? (uint32_t)lane_bits(w, &inst->src[2], l) : bytes;
    from_of[l] = from, to_of[l] = to;
    if (read > bytes) return fail(w, inst, l, "reads %u bytes for a copy of %u", read, bytes);
    if (to % bytes || (read && from % bytes)) return fail(w, inst, l, "a copy of %u bytes that is not aligned to them", bytes);
    uint32_t offset;
    Block *owner = shared_block(w, SPACE_SHARED, to, &offset);
    if (owner != b || offset >= b->shared_bytes || bytes > b->shared_bytes - offset)
      return fail(w, inst, l, "%u bytes at %u of shared memory, of which the block has %u", bytes, offset, b->shared_bytes);
    race_shared(w, inst, l, b, offset, bytes, WRITE, ACTOR_COPY + w->index, w->copies);
    Copy copy = {.epoch = w->copies, .warp = w->index, .offset = offset, .bytes = (uint8_t)bytes};
    for (uint32_t at = 0, some; at < read; at += some) { /* it may end within a word */
      some = read - at < 4 ? 1 : 4;
      const uint8_t *data = memory_at(w, inst, l, SPACE_GLOBAL, from + at, some, READ);
      if (!data) return FAILED;
      memcpy(copy.data + at, data, some);
    }
    if (s->count == s->room) {
      s->room = s->room ? 2 * s->room : 256;
      s->copies = realloc(s->copies, s->room * sizeof *s->copies);
      if (!s->copies) abort();
    }
    s->copies[s->count++] = copy;
  }
  count_access(w, inst, SPACE_GLOBAL, from_of, mask, inst->count);
  count_access(w, inst, SPACE_SHARED, to_of, mask, inst->count);
  return NEXT;
}

/* mode: COMMIT, WAIT_GROUP (immediate: of the last groups so many may be under way), WAIT_ALL. */
static Outcome exec_cp_group(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t room = sizeof w->committed_copies / sizeof *w->committed_copies, until = w->copies;
  if (inst->mode != WAIT_ALL && mask != w->alive) return CONVERGE; /* groups are kept for the warp */
  if (inst->mode == COMMIT) {
    if (w->ncommitted == room) {
      memmove(w->committed_copies, w->committed_copies + 1, (room - 1) * sizeof *w->committed_copies);
      w->ncommitted--;
    }
    w->committed_copies[w->ncommitted++] = w->copies;
    return NEXT;
  }
  if (inst->mode == WAIT_GROUP) {
    if (inst->immediate >= (int64_t)w->ncommitted) return NEXT;
    until = w->committed_copies[w->ncommitted - 1 - (uint32_t)inst->immediate];
  }
  copies_finish(w, until);
  if (until > w->clock.at[ACTOR_COPY + w->index]) w->clock.at[ACTOR_COPY + w->index] = until;
  return NEXT;
}

const char *decode_cp(Parser_ *p, const Statement *s, Inst *inst) {
  if (op_has(s, "bulk") || op_has(s, "reduce")) return decode_bulk(p, s, inst);
  if (op_has(s, "mbarrier")) return decode_copy_arrive(p, s, inst);
  const char *wrong =
      op_unknown_part(s, "async ca cg shared shared::cta global commit_group wait_group wait_all L2::64B L2::128B L2::256B");
  if (wrong) return "a copy that the emulator does not run";
  inst->class = EMU_CLASS_MEMORY;
  if (op_has(s, "commit_group") || op_has(s, "wait_group") || op_has(s, "wait_all")) {
    inst->exec = exec_cp_group, inst->mode = op_has(s, "commit_group") ? COMMIT : op_has(s, "wait_group") ? WAIT_GROUP : WAIT_ALL;
    if (inst->mode == WAIT_GROUP && (s->noperands != 1 || s->operand[0].kind != OPERAND_NUMBER))
      return "a number of groups expected";
    if (inst->mode == WAIT_GROUP) inst->immediate = (int64_t)s->operand[0].bits;
    return NULL;
  }
  if (s->noperands < 3 || s->noperands > 4 || s->operand[2].kind != OPERAND_NUMBER) return "a copy that the emulator does not run";
  inst->exec = exec_cp_async, inst->count = (uint8_t)s->operand[2].bits;
  if (inst->count != 4 && inst->count != 8 && inst->count != 16) return "copies are of 4, 8 or 16 bytes";
  if (op_has(s, "cg") && inst->count != 16) return "cp.async.cg copies 16 bytes";
  op_sources(p, inst, s->noperands - 1);
  wrong = op_address(p, &s->operand[0], &inst->src[0], &inst->immediate);
  if (!wrong) wrong = op_address(p, &s->operand[1], &inst->src[1], &inst->extra[0]);
  return wrong || s->noperands == 3 ? wrong : op_source(p, &s->operand[3], T_B32, &inst->src[2]);
}
