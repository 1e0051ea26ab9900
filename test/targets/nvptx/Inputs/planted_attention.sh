#!/usr/bin/env bash
# planted_attention.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of an attention of warpgroups, 128 queries, 512 keys, heads of 64.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/attention.py" "$place" f16 1 1 1 128 512 64 64
sed "s/scale = 0.125/scale = 0.000001/" "$place/model.mlir" | tcc-opt --pipeline=default --target=nvptx,sm_90a | tcc-translate --to-ptx --target=nvptx,sm_90a - |
  sed '/^\/\/ launch/d' >"$place/body.ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx")
shared=$((5 * 16384 + 8 * 2560 + 10 * 8))
cat - "$place/body.ptx" >"$place/attention.ptx" <<END
// launch $kernel grid 1 block 384 shared $shared : f16*8192 f16*32768 f16*32768 zero*16384 tile=0,f16,64x128,64x128,3 tile=1,f16,64x512,64x128,3 tile=2,f16,64x512,64x128,3
// print 3 4
// bug no-wait-for-queries | /bar.arrive 1, 256;/,/wait_phase/ s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;// | race: reads shared memory@OR@nobody wrote
// bug no-wait-for-keys | s/att_keys: mbarrier.try_wait[^;]*; @!%att_p bra att_keys;// | race: reads shared memory@OR@nobody wrote
// bug no-wait-for-values | s/att_values: mbarrier.try_wait[^;]*; @!%att_p bra att_values;// | race: reads shared memory@OR@nobody wrote
// bug no-wait-for-the-first-values | /m64n128k16/,/wait_phase/ s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;// | race: reads shared memory@OR@nobody wrote
// bug stages-filled-without-a-wait | 0,/bra.uni/ s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;// | race: writes shared memory@OR@it waits for 0
// bug parity-always-of-the-first-round | 0,/bra.uni/ s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 1/ | race: writes shared memory@OR@it waits for 0
// bug parity-that-never-ends | 0,/bra.uni/ s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 0/ | deadlock
// bug keys-given-up-too-early | s/wgmma.wait_group.sync.aligned 1;/wgmma.wait_group.sync.aligned 2;/ | other result
// bug values-given-up-too-early | s/wgmma.wait_group.sync.aligned 0; @/wgmma.wait_group.sync.aligned 1; @/ | race: writes shared memory@OR@was written
// bug weights-overwritten-before-the-wait | s/bra att_values; wgmma.wait_group.sync.aligned 0;/bra att_values;/ | was written
// bug no-last-wait | s/wgmma.wait_group.sync.aligned 0; att_none:/att_none:/ | other result
// bug no-fence-of-registers | s/wgmma.fence.sync.aligned;// | no wgmma.fence
// bug no-fence-in-the-loop | /att_keys/ { /tnsp/! s/bar.sync \(%r[0-9]*\), 256; wgmma.fence.sync.aligned; \(.*commit.*commit\)/bar.sync \1, 256; \2/ } | was written since the last wgmma.fence
// bug no-fence-at-the-end | s/att_none; wgmma.fence.sync.aligned;/att_none;/ | was written since the last wgmma.fence
// bug no-commit | s/wgmma.commit_group.sync.aligned;// | race
// bug scores-not-begun-anew | s/%att_b, 0, 1, 1, 0, 0;/%att_b, 1, 1, 1, 0, 0;/ | other result
// bug no-turn-for-the-other | s/bar.arrive %r[0-9]*, 256;// | deadlock
// bug nobody-begins | s/@%p[0-9]* bar.arrive 1, 256;// | deadlock
// bug barriers-not-shown | /fence.mbarrier_init/d | no fence is behind
// bug no-barrier-at-the-begin | s/bar.sync[ \t]*0;/mov.pred %p1, %p1;/ | race: uses an mbarrier@OR@no mbarrier
// bug half-of-the-warps-tell | s/mov.b32[ \t]*\(%r[0-9]*\), 8;/mov.b32 \1, 4;/ | race: writes shared memory@OR@mbarrier
// bug half-of-the-bytes | s/mov.b32[ \t]*\(%r[0-9]*\), 16384;/mov.b32 \1, 8192;/ | race: reads shared memory@OR@nobody wrote@OR@deadlock
// bug values-contiguous-the-other-way | s/%att_b, 1, 1, 1, 1;/%att_b, 1, 1, 1, 0;/ | other result
// bug step-of-half-the-depth | s/add.s64 %att_b, \(%rd[0-9]*\), 2;/add.s64 %att_b, \1, 1;/ | other result
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
END
bash "$4" "$3" "$place/attention.ptx"
