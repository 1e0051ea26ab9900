#!/usr/bin/env bash
# planted_conv.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of a convolution whose image comes by im2col: 3 images of 64 channels, 10 x 9, 136
# filters of 3 x 3 at each second place, padded by 1 before and 0 behind; 3 stages, two blocks of a cluster that share the pixels.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/conv.py" "$place" f16 3 64 9 136 3 2 1 1
kernel=$(bash "$(dirname "$0")/scheduled_ptx.sh" "$place" "groups = 1, columns = 128, stages = 3, cluster = 2, band = 1, parts = 1")
shared=$((3 * (8192 + 16384 + 16) + 4 * 2560))
cat - "$place/body.ptx" >"$place/conv.ptx" <<END
// launch $kernel grid 4 block 256 cluster 2 shared $shared : f16*17280 f16*78336 zero*16320 tile=1,f16,64x136@576x3@64x3@192,64x64,3 im2col=0,f16,64x9/2x10/2x3,64x64,-1x-1,-2x-2,3
// print 2 8
// bug window-mixed-up | s/{\(%rs[0-9]*\), \(%rs[0-9]*\)}\(, %rs[0-9]*;\)/{\2, \1}\3/ | other result
// bug one-place-of-the-window | s/{\(%rs[0-9]*\), \(%rs[0-9]*\)}\(, %rs[0-9]*;\)/{\1, \1}\3/ | other result
// bug tile-in-place-of-pixels | s/global.im2col\(.*\), {%rs[0-9]*, %rs[0-9]*}/global.tile\1/ | tile and im2col mixed up
// bug each-pixel | s#9/2x10/2x3#9x10x3# | other result
// bug other-corner | s/-1x-1,-2x-2/-1x-1,-1x-1/ | other result
// bug part-of-the-pixels | s/,64x64,-1x-1/,64x32,-1x-1/ | deadlock@OR@race
// bug no-wait-for-copies | s/tma_full: mbarrier.try_wait[^;]*; @!%tma_p bra tma_full;/tma_full:/ | race: reads shared memory@OR@nobody wrote
// bug stage-filled-without-a-wait | s/wait_phase: mbarrier.try_wait[^;]*; @!%wait_p bra wait_phase;/wait_phase:/ | race: writes shared memory@OR@it waits for 0
// bug copied-to-one-block | s/mov.b16[ \t]*\(%rs[0-9]*\), 3;/mov.b16 \1, 1;/ | deadlock
END
bash "$4" "$3" "$place/conv.ptx"
