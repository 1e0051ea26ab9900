/* map_members.h - elementwise kernels of several members (lib/codegen/read/members.h). */
#ifndef TCC_NVPTX_MAP_MEMBERS_H
#define TCC_NVPTX_MAP_MEMBERS_H
#include "lib/codegen/read/members.h"
#include "lib/targets/nvptx/nvptx.h"

typedef struct {
  int64_t first_block, threads; /* of the member: where its blocks begin, threads that have elements of it */
} NvptxMemberSize;

/* Which member a block of so many threads belongs to: from here on its buffers stand for those of member 0. out_thread: number of the thread among those
 * of the member; out_threads: how many have elements. TCC_UNSUPPORTED: members have too many buffers. */
TccStatus *nvptx_map_choose_member(NvptxKernel *n, const TccMembers *members, const NvptxMemberSize *size, uint32_t block_threads,
                                   TccVal *out_thread, TccVal *out_threads) TCC_CHECKED;
#endif
