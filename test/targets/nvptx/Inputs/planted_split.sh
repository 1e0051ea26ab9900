#!/usr/bin/env bash
# planted_split.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of a product of f32 as three parts of bf16, 128 x 160 by 160 x 256, two stages.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/product.py" "$place" f32 128 160 256
kernel=$(bash "$(dirname "$0")/scheduled_ptx.sh" "$place" "groups = 2, columns = 128, stages = 2, band = 1")
shared=$((2 * (256 * 192 + 16 + 4) + 8 * 2560))
cat - "$place/body.ptx" >"$place/split.ptx" <<END
// launch $kernel grid 2 block 512 shared $shared : f32*20480 f32*40960 zero*131072
// print 2 8
// bug no-proxy-fence | /fence.proxy.async/d | with no fence.proxy.async
// bug no-wait-at-all | s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;/wait_phase:/ | race@OR@nobody wrote
// bug parity-always-of-the-first-round | s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 1/ | race@OR@it waits for 0@OR@nobody wrote
// bug parity-that-never-ends | s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 0/ | deadlock@OR@race@OR@mbarrier
// bug full-before-others-have-written | s/barrier.cta.red.or.aligned.pred \(%split_p\), 1, 256, %split_p;// | race
// bug a-barrier-of-half | s/barrier.cta.red.or.aligned.pred %split_p, 1, 256,/barrier.cta.red.or.aligned.pred %split_p, 1, 128,/ | race
// bug accumulator-read-too-early | s/wgmma.wait_group.sync.aligned 0;/wgmma.wait_group.sync.aligned 1;/ | race
// bug no-fence-of-registers | s/wgmma.fence.sync.aligned;// | no wgmma.fence
// bug no-commit | s/wgmma.commit_group.sync.aligned;// | race
// bug sums-of-the-stage-before | s/%split_b, %split_n, 1, 1/%split_b, %split_y, 1, 1/ | other result
// bug small-products-left-out | s/shl.b32 %split_u, \(%r[0-9]*\), 16;/shl.b32 %split_u, \1, 8;/ | other result
// bug contiguous-the-other-way | s/, 1, 1, 0, 1;/, 1, 1, 0, 0;/g | race: reads shared memory
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
END
bash "$4" "$3" "$place/split.ptx"
