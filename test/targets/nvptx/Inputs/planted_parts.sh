#!/usr/bin/env bash
# planted_parts.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of products whose depth four blocks share, two launches with the same
# counter, which lies before the sums of the parts: 64 x 1040 by 1040 x 64 of f32 for sm_80, 64 x 640 by 640 x 64 of f16 by tensor maps.
set -euo pipefail
python=$1 place=$2 inputs=$(dirname "$0")

# plant NAME LAUNCH BUFFERS MORE FIRST SECOND: MORE stands behind the scratch, which all launches share; what takes the barriers away that are before
# and behind the counter's addition.
plant() {
  cat - "$place/body.ptx" >"$place/$1.ptx" <<END
// launch $2 : $3 zero*65664+128 $4
// print 2 4
// launch $2 : same=0 same=1 ${3##* } same=3 $4
// print 2 4
// bug no-acquire-release | s/atom.acq_rel.gpu/atom.relaxed.gpu/ | race: reads global memory
// bug release-alone | s/atom.acq_rel.gpu/atom.release.gpu/ | race: reads global memory
// bug acquire-alone | s/atom.acq_rel.gpu/atom.acquire.gpu/ | race: reads global memory
// bug scope-of-a-block | s/atom.acq_rel.gpu/atom.acq_rel.cta/ | race: reads global memory
// bug counted-before-all-have-written | $5 | race: reads global memory
// bug number-read-before-it-is-written | $6 | race: reads shared memory@OR@nobody wrote
// bug last-is-one-early | s/\(setp.ne.b32[ \t]*%p[0-9]*, %r[0-9]*\), 3;/\1, 2;/ | race: @OR@nobody wrote
// bug counter-left-set | s/st.global.b32[ \t]*\[%rd[0-9]*\], 0;// | other result
END
}

"$python" "$inputs/product.py" "$place" f32 64 1040 64
tcc-opt --pipeline=default --target=nvptx,sm_80 "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,sm_80 - >"$place/ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/ptx")
grid=$(sed -n 's/^\/\/ launch.*grid \[\([0-9]*\),.*/\1/p' "$place/ptx")
sed '/^\/\/ launch/d' "$place/ptx" >"$place/body.ptx"
plant parts "$kernel grid $grid block 128" "f32*66560 f32*66560 zero*16384" "" \
  '/bar.sync/{N;/\n\t@%p[0-9]* bra/s/bar.sync[^\n]*//}' '/bar.sync/{N;/\n\tld.shared.b32[^\n]*ring/s/bar.sync[^\n]*//}'
bash "$4" "$3" "$place/parts.ptx"

"$python" "$inputs/product.py" "$place" f16 64 640 64
kernel=$(bash "$inputs/scheduled_ptx.sh" "$place" "groups = 1, columns = 64, stages = 2, cluster = 1, band = 1, parts = 4")
shared=$((2 * (8192 + 8192 + 16) + 4 * 2560 + 16))
plant maps "$kernel grid 4 block 256 shared $shared" "f16*40960 f16*40960 zero*8192" \
  "tile=0,f16,640x64,64x64,3 tile=1,f16,64x640,64x64,3" \
  '1,/atom.acq_rel/s/barrier.cta.sync.aligned[^;]*;//' '/atom.acq_rel/,$ s/barrier.cta.sync.aligned[^;]*;//'
bash "$4" "$3" "$place/maps.ptx"
