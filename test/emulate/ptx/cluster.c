/* cluster.c - addresses of other blocks' shared memory. Sections 9.7.9.22 and 9.7.9.23 of the PTX ISA. */
#include "ops.h"

/* mapa: an address of the same place in another block's shared memory; getctarank: the block of an address. */
static Outcome exec_mapa(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    uint64_t a = lane_bits(w, &inst->src[0], l);
    bool narrow = inst->dst[0].bytes == 4 && inst->nsrc > 1;
    if (inst->nsrc == 1) {
      uint32_t offset;
      Block *owner = shared_block(w, SPACE_CLUSTER, a, &offset);
      if (!owner) return fail(w, inst, l, "an address outside of the cluster's shared memory");
      set_lane(w, &inst->dst[0], l, owner->rank);
      continue;
    }
    uint64_t rank = lane_bits(w, &inst->src[1], l);
    if (rank >= w->block->cluster->count)
      return fail(w, inst, l, "block %llu of a cluster of %u", (unsigned long long)rank, w->block->cluster->count);
    set_lane(w, &inst->dst[0], l, narrow ? (rank + 1) << 24 | (a & 0xffffff) : SHARED_WINDOW | rank << 32 | (uint32_t)a);
  }
  return NEXT;
}

const char *decode_mapa(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(s, "shared::cluster");
  if (wrong) return wrong;
  inst->exec = exec_mapa, inst->class = EMU_CLASS_INTEGER;
  int n = strcmp(s->opcode, "mapa") == 0 ? 2 : 1;
  if (s->noperands != n + 1) return "another number of operands expected";
  wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  op_sources(p, inst, n);
  if (!wrong) wrong = op_source(p, &s->operand[1], T_NONE, &inst->src[0]);
  return wrong || n == 1 ? wrong : op_source(p, &s->operand[2], T_U32, &inst->src[1]);
}
