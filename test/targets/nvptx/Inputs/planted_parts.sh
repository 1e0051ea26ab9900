#!/usr/bin/env bash
# planted_parts.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of a product whose depth four blocks share, 64 x 1040 by 1040 x 64, two launches
# with the same counter, which lies before the sums of the parts.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/product.py" "$place" f32 64 1040 64
tcc-opt --pipeline=default --target=nvptx,sm_80 "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,sm_80 - >"$place/ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/ptx")
grid=$(sed -n 's/^\/\/ launch.*grid \[\([0-9]*\),.*/\1/p' "$place/ptx")
sed '/^\/\/ launch/d' "$place/ptx" >"$place/body.ptx"
cat - "$place/body.ptx" >"$place/parts.ptx" <<END
// launch $kernel grid $grid block 128 : f32*66560 f32*66560 zero*16384 zero*65664+128
// print 2 4
// launch $kernel grid $grid block 128 : same=0 same=1 zero*16384 same=3
// print 2 4
// bug no-acquire-release | s/atom.acq_rel.gpu/atom.relaxed.gpu/ | race: reads global memory
// bug release-alone | s/atom.acq_rel.gpu/atom.release.gpu/ | race: reads global memory
// bug acquire-alone | s/atom.acq_rel.gpu/atom.acquire.gpu/ | race: reads global memory
// bug scope-of-a-block | s/atom.acq_rel.gpu/atom.acq_rel.cta/ | race: reads global memory
// bug counted-before-all-have-written | /bar.sync/{N;/\n\t@%p[0-9]* bra/s/bar.sync[^\n]*//} | race: reads global memory
// bug number-read-before-it-is-written | /bar.sync/{N;/\n\tld.shared.b32[^\n]*ring\]/s/bar.sync[^\n]*//} | race: reads shared memory@OR@nobody wrote
// bug last-is-one-early | s/\(setp.ne.b32[ \t]*%p[0-9]*, %r[0-9]*\), 3;/\1, 2;/ | race: @OR@nobody wrote
// bug counter-left-set | s/st.global.b32[ \t]*\[%rd[0-9]*\], 0;// | other result
END
bash "$4" "$3" "$place/parts.ptx"
