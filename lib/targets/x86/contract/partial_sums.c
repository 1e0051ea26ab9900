/* partial_sums.c - see partial_sums.h. */
#include "lib/targets/x86/contract/partial_sums.h"
#include "tcc/abi.h"
#include <stddef.h>

static TccVal head_field(TccEmit *e, TccVal scratch, size_t offset) {
  return tcc_emit_at(e, "i8", scratch, (int64_t)offset - (int64_t)sizeof(TccScratchHead));
}

static TccVal slot_at(TccEmit *e, const TccPartialCall *call, TccVal tile) {
  return tcc_emit_gep(e, "f32", call->slots, tcc_emit_mul(e, tile, tcc_emit_i64(e, call->sums->slot)));
}
static TccVal sums_of(TccEmit *e, TccVal slot) { return tcc_emit_at(e, "f32", slot, TCC_PARTIAL_HEAD); }

void tcc_partial_begin(TccKernelEmit *k, const TccPartialSums *sums, const TccKernelEntry *entry, TccVal own, int64_t slots,
                       TccPartialCall *call) {
  TccEmit *e = k->e;
  *call = (TccPartialCall){.sums = sums, .begin = entry->begin, .end = entry->end, .all = tcc_emit_i64(e, sums->tiles)};
  TccVal common = tcc_emit_load(e, TCC_PTR, head_field(e, entry->scratch, offsetof(TccScratchHead, common)));
  call->counter = tcc_emit_load(e, TCC_PTR, head_field(e, entry->scratch, offsetof(TccScratchHead, count)));
  call->first = tcc_emit_load(e, "i64", head_field(e, entry->scratch, offsetof(TccScratchHead, first)));
  call->own_first = head_field(e, entry->scratch, offsetof(TccScratchHead, own_first));
  call->own_end = head_field(e, entry->scratch, offsetof(TccScratchHead, own_end));
  call->slots = tcc_emit_at(e, "f32", common, slots), call->count = tcc_emit_sub(e, entry->end, entry->begin);
  TccVal same = tcc_emit_icmp(e, "eq", "i64", tcc_emit_load(e, "i64", call->own_first), call->first),
         next = tcc_emit_icmp(e, "eq", "i64", tcc_emit_load(e, "i64", call->own_end), entry->begin),
         behind = tcc_emit_icmp(e, "sgt", "i64", entry->begin, call->first);
  call->follows = tcc_emit_bin(e, "and", "i1", tcc_emit_bin(e, "and", "i1", same, next), behind);
  call->slot = slot_at(e, call, tcc_emit_select1(e, "i64", call->follows, call->first, entry->begin));
  call->total = sums_of(e, call->slot);
  call->part = tcc_emit_select1(e, TCC_PTR, call->follows, own, call->total);
}

/* Adds the slots of each share to its first one, then those of all shares to the first of all. A slot begins with the number of tiles in
 * it, and the next one that was used is as many slots behind it. */
static void emit_gather(TccKernelEmit *k, const TccPartialCall *call) {
  TccEmit *e = k->e;
  static const char *const number[] = {"i64"};
  TccVal zero = tcc_emit_i64(e, 0), next = zero;
  TccLoop round, slot;
  TccIf used, joins;
  tcc_emit_for(e, &round, zero, tcc_emit_i64(e, 2), 1, 0, NULL, NULL);
  tcc_emit_for(e, &slot, zero, tcc_emit_i64(e, call->sums->tiles), 1, 1, &next, number);
  tcc_emit_if(e, &used, tcc_emit_icmp(e, "eq", "i64", slot.iv, slot.in[0]), 1, number);
  TccVal from = slot_at(e, call, slot.iv), first = tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", from, 1));
  TccVal is_first = tcc_emit_icmp(e, "eq", "i64", first, slot.iv), again = tcc_emit_icmp(e, "ne", "i64", round.iv, zero);
  TccVal to = tcc_emit_select1(e, "i64", again, zero, first);
  TccVal wanted = tcc_emit_icmp(e, "eq", "i1", is_first, again), other = tcc_emit_icmp(e, "ne", "i64", to, slot.iv);
  tcc_emit_if(e, &joins, tcc_emit_bin(e, "and", "i1", wanted, other), 0, NULL);
  call->sums->merge(k, sums_of(e, from), sums_of(e, slot_at(e, call, to)), call->sums->user);
  tcc_emit_end_if(e, &joins, NULL);
  next = tcc_emit_add(e, slot.in[0], tcc_emit_load(e, "i64", from));
  tcc_emit_else(e, &used, &next);
  tcc_emit_end_if(e, &used, &slot.in[0]);
  tcc_emit_end_for(e, &slot, &used.out[0]);
  tcc_emit_end_for(e, &round, NULL);
}

void tcc_partial_end(TccKernelEmit *k, TccPartialCall *call, TccIf *ends, TccVal *out_all) {
  TccEmit *e = k->e;
  TccIf more, begins, parted;
  tcc_emit_if(e, &more, call->follows, 0, NULL);
  call->sums->merge(k, call->part, call->total, call->sums->user);
  tcc_emit_store(e, "i64", tcc_emit_sub(e, call->end, call->first), call->slot);
  tcc_emit_store(e, "i64", call->end, call->own_end);
  tcc_emit_else(e, &more, NULL);
  tcc_emit_store(e, "i64", call->count, call->slot);
  tcc_emit_store(e, "i64", call->first, tcc_emit_at(e, "i64", call->slot, 1));
  tcc_emit_if(e, &begins, tcc_emit_icmp(e, "eq", "i64", call->begin, call->first), 0, NULL);
  tcc_emit_store(e, "i64", call->first, call->own_first);
  tcc_emit_store(e, "i64", call->end, call->own_end);
  tcc_emit_end_if(e, &begins, NULL);
  tcc_emit_end_if(e, &more, NULL);

  TccVal before = tcc_emit_atomic_add(e, "i64", call->counter, call->count);
  tcc_emit_if(e, ends, tcc_emit_icmp(e, "eq", "i64", tcc_emit_add(e, before, call->count), call->all), 0, NULL);
  tcc_emit_store(e, "i64", tcc_emit_i64(e, 0), call->counter);
  tcc_emit_if(e, &parted, tcc_emit_icmp(e, "ne", "i64", call->count, call->all), 0, NULL);
  emit_gather(k, call);
  tcc_emit_end_if(e, &parted, NULL);
  *out_all = sums_of(e, call->slots);
}
