/* map_members.c - one elementwise computation on several tensors of any sizes in one launch (tcc-group-maps).
 *
 * Blocks of the first member come first. A block finds its member by halving, in jumps that all of its threads take alike, and with it where the member's
 * elements begin, how many threads they take, and the addresses that stand for those of member 0. From there on all members share their code. */
#include "lib/targets/nvptx/map_members.h"
#include "lib/codegen/read/members.h"

typedef struct {
  NvptxKernel *n;
  const TccMembers *members;
  const NvptxMemberSize *size;
  int nchosen, buffer[TCC_IF_MAX]; /* of member 0, where others have others */
  const char *type[TCC_IF_MAX];    /* first block, threads, addresses */
} Search;

enum { FIRST_BLOCK, THREADS_OF, ADDRESSES };

/* What block number n->block has, if it is of member [low, high). */
static void search(Search *s, int low, int high, TccVal *out) {
  TccEmit *t = &s->n->e;
  TccIf before;
  if (high - low == 1) {
    out[FIRST_BLOCK] = tcc_emit_i64(t, s->size[low].first_block), out[THREADS_OF] = tcc_emit_i64(t, s->size[low].threads);
    for (int i = 0; i < s->nchosen; i++) out[ADDRESSES + i] = s->n->k.first_argument + s->members->peer[low][s->buffer[i]];
    return;
  }
  int middle = (low + high) / 2;
  TccVal found[TCC_IF_MAX];
  TccVal is_before = tcc_emit_icmp(t, "slt", "i64", s->n->block, tcc_emit_i64(t, s->size[middle].first_block));
  tcc_emit_if(t, &before, is_before, ADDRESSES + s->nchosen, s->type);
  search(s, low, middle, found);
  tcc_emit_else(t, &before, found);
  search(s, middle, high, found);
  tcc_emit_end_if(t, &before, found);
  memcpy(out, before.out, (size_t)(ADDRESSES + s->nchosen) * sizeof *out);
}

TccStatus *nvptx_map_choose_member(NvptxKernel *n, const TccMembers *members, const NvptxMemberSize *size, uint32_t block_threads,
                                   TccVal *out_thread, TccVal *out_threads) {
  TccEmit *t = &n->e;
  Search s = {.n = n, .members = members, .size = size, .type = {"i64", "i64"}};
  TccVal found[TCC_IF_MAX], *chosen = TCC_NEW_ARRAY(n->k.ir->arena, TccVal, members->buffers);
  for (int b = 0; b < members->buffers; b++) {
    if (members->peer[0][b] < 0 || tcc_members_share(members, 0, b)) continue;
    if (ADDRESSES + s.nchosen == TCC_IF_MAX)
      return TCC_ERROR(TCC_UNSUPPORTED, "members with more than %d buffers of their own", TCC_IF_MAX - ADDRESSES);
    s.type[ADDRESSES + s.nchosen] = TCC_PTR, s.buffer[s.nchosen++] = b;
  }
  search(&s, 0, members->count, found);
  for (int i = 0; i < s.nchosen; i++) chosen[s.buffer[i]] = found[ADDRESSES + i];
  n->k.chosen = chosen;
  TccVal own = tcc_emit_sub(t, n->block, found[FIRST_BLOCK]);
  *out_thread = tcc_emit_add(t, tcc_emit_mul(t, own, tcc_emit_i64(t, block_threads)), n->thread);
  *out_threads = found[THREADS_OF];
  return NULL;
}
