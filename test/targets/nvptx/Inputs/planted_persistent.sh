#!/usr/bin/env bash
# planted_persistent.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in what a persistent attention of warpgroups has beside another one: five tiles of
# 128 queries and three blocks of keys, heads of 64; two blocks, of which one has three tiles. Sizes of this kernel: rounds of all blocks, tiles that are
# left, blocks, batches.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/attention.py" "$place" f16 5 1 1 128 384 64 64 batches
sed "s/scale = 0.125/scale = 0.000001/" "$place/model.mlir" | tcc-opt --pipeline=default --target=nvptx,sm_90a | tcc-translate --to-ptx --target=nvptx,sm_90a - |
  sed '/^\/\/ launch/d' >"$place/body.ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx")
shared=$((5 * 16384 + 8 * 2560 + 10 * 8))
cat - "$place/body.ptx" >"$place/persistent.ptx" <<END2
// launch $kernel grid 2 block 384 shared $shared : f16*40960 f16*122880 f16*122880 zero*81920 tile=0,f16,64x128x5,64x128,3 tile=1,f16,64x384x5,64x128,3 tile=2,f16,64x384x5,64x128,3 i64=2 i64=1 i64=2 i64=5
// print 3 4
// bug queries-copied-without-a-wait | 0,/wait_phase/ s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;// | race: writes shared memory@OR@it waits for 0
// bug queries-parity-always-of-the-first-tile | /bar.arrive 1, 256;/,/wait_phase/ s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 0/ | race: reads shared memory
// bug queries-parity-that-never-ends | 0,/wait_phase/ s/\(wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, \[%r[0-9]*\]\), %r[0-9]*/\1, 0/ | deadlock
// bug nobody-gives-up-queries | s/@%p[0-9]* mbarrier.arrive.shared::cta.b64 _, \[%r[0-9]*\];// | deadlock
// bug all-lanes-give-up-queries | s/@%p[0-9]* \(mbarrier.arrive.shared::cta.b64 _, \[%r[0-9]*\];\)/\1/ | mbarrier@OR@race
// bug parity-of-first-keys-always-of-the-first-round | /bar.arrive 1, 256;/,/att_keys/ s/bfe.u32[ \t]*\(%r[0-9]*\), %r[0-9]*, 1, 1;/mov.b32 \1, 0;/ | race@OR@deadlock@OR@mbarrier
// bug stages-not-counted-on-by-the-copies | 0,/bar.arrive 1, 256;/ s/add.s64[ \t]*\(%rd[0-9]*\), \1, 3;/add.s64 \1, \1, 4;/ | race@OR@deadlock@OR@it waits for 0
// bug half-of-the-warps-tell | 0,/mov.b32[ \t]*%r[0-9]*, 8;/ s/mov.b32[ \t]*\(%r[0-9]*\), 8;/mov.b32 \1, 4;/ | race: writes shared memory@OR@mbarrier
// bug last-values-not-given-up | s/wait_group.sync.aligned 0; @[^;]*; att_none:/wait_group.sync.aligned 0; att_none:/ | deadlock
// bug turns-begun-in-each-tile | s/att_none:/att_none: @%p3 bar.arrive 1, 256;/ | bar@OR@deadlock@OR@race
END2
bash "$4" "$3" "$place/persistent.ptx"
