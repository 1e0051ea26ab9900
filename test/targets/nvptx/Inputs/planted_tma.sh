#!/usr/bin/env bash
# planted_tma.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of a product whose operands tensor maps copy, 256 x 320 by 320 x 128, two stages,
# two blocks of a cluster that share the right operand.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/product.py" "$place" f16 256 320 128
kernel=$(bash "$(dirname "$0")/scheduled_ptx.sh" "$place" "groups = 2, columns = 128, stages = 2, cluster = 2, band = 1, parts = 1")
shared=$((2 * (16384 + 16384 + 16) + 8 * 2560))
cat - "$place/body.ptx" >"$place/tma.ptx" <<END
// launch $kernel grid 2 block 384 cluster 2 shared $shared : f16*81920 f16*40960 zero*65536 tile=0,f16,320x256,64x128,3 tile=1,f16,128x320,64x64,3
// print 2 8
// bug no-wait-for-copies | s/tma_full: mbarrier.try_wait[^;]*; @!%tma_p bra tma_full;/tma_full:/ | race: reads shared memory@OR@nobody wrote
// bug parity-of-the-phase-before | s/mov.b32 %tma_f, [^;]*;/mov.b32 %tma_f, 1;/ | race: reads shared memory@OR@nobody wrote
// bug stage-filled-without-a-wait | s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;/wait_phase:/ | race: writes shared memory@OR@it waits for 0
// bug parity-that-never-ends | s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 0/ | deadlock
// bug parity-always-of-the-first-round | s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 1/ | race: writes shared memory@OR@it waits for 0
// bug refilled-too-early | s/wgmma.wait_group.sync.aligned 1;/wgmma.wait_group.sync.aligned 2;/ | race: writes shared memory
// bug no-last-wait | s/wgmma.wait_group.sync.aligned 0;// | other result
// bug no-fence-of-registers | s/wgmma.fence.sync.aligned;// | no wgmma.fence
// bug no-commit | s/wgmma.commit_group.sync.aligned;// | race
// bug barriers-not-shown | /fence.mbarrier_init/d | no fence is behind
// bug no-barrier-at-the-begin | 0,/barrier.cluster.arrive.release; barrier.cluster.wait.acquire;/s//mov.pred %p1, %p1;/ | race: uses an mbarrier@OR@no mbarrier
// bug no-barrier-at-the-end | /wait_phase/,$ s/barrier.cluster.arrive.release; barrier.cluster.wait.acquire;/mov.pred %p1, %p1;/ | which has ended
// bug bytes-of-the-left-tile-alone | s/\(expect_tx.shared::cta.b64 _, \[%r[0-9]*\]\), %r[0-9]*/\1, 16384/ | race: reads shared memory@OR@deadlock
// bug told-to-the-first-block-alone | s/\(mapa.shared::cluster.u32 %r[0-9]*, %r[0-9]*\), %r[0-9]*/\1, 0/ | deadlock@OR@mbarrier
// bug half-of-the-warps-wait | s/mov.b32[ \t]*\(%r[0-9]*\), 16;/mov.b32 \1, 8;/ | race: writes shared memory@OR@mbarrier
// bug copied-to-one-block | s/mov.b16[ \t]*\(%rs[0-9]*\), 3;/mov.b16 \1, 1;/ | deadlock
// bug stage-after-the-one-that-is-done | s/shl.b32 %tma_e, %tma_s, 3; \(add.s32 %tma_e, %tma_e, %r[0-9]*;\) add.s32 %tma_s, %tma_s, 1;/add.s32 %tma_s, %tma_s, 1; shl.b32 %tma_e, %tma_s, 3; \1/ | race: writes shared memory@OR@mbarrier@OR@deadlock
// bug step-of-half-the-depth | s/add.s64 %tma_a, %tma_a, 2;/add.s64 %tma_a, %tma_a, 1;/ | other result
// bug contiguous-the-other-way | s/, 1, 1, 0, 1;/, 1, 1, 0, 0;/ | other result
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
END
bash "$4" "$3" "$place/tma.ptx"
