#!/usr/bin/env bash
# planted_mask.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in how warps of an attention of warpgroups copy their rows of a mask: 128 queries, 192 keys in
# three blocks, a head of 64, a mask of 16-bit floats.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/attention.py" "$place" f16 1 1 1 128 192 64 64 mask=full
tcc-opt --pipeline=default --target=nvptx,sm_90a "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,sm_90a - | sed '/^\/\/ launch/d' >"$place/body.ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx")
shared=$((16384 + 4 * 8192 + 8 * 2560 + 8 * 2 * 16 * 144 + 10 * 8))
cat - "$place/body.ptx" >"$place/mask.ptx" <<END2
// launch $kernel grid 1 block 384 shared $shared : f16*8192 f16*12288 f16*12288 f16*24576 zero*16384 tile=0,f16,64x128,64x128,3 tile=1,f16,64x192,64x64,3 tile=2,f16,64x192,64x64,3
// print 4 4
// bug no-wait-for-the-mask | s/cp.async.wait_group[ \t]*1;// | race@OR@nobody wrote
// bug the-next-mask-is-waited-for-too-late | s/cp.async.wait_group[ \t]*1;/cp.async.wait_group 2;/ | race@OR@nobody wrote
// bug masks-are-no-groups | s/cp.async.commit_group;// | race@OR@nobody wrote
// bug the-warp-does-not-see-the-mask | /cp.async.wait_group[ \t]*1;/,/ex2/ s/bar.warp.sync[ \t]*-1;// | race
// bug panels-of-all-warps-in-one-place | s/mul.lo.s64[ \t]*\(%rd[0-9]*\), %rd[0-9]*, 2304;/mov.b64 \1, 0;/ | race
// bug filled-while-it-is-read | /bar.warp.sync/ { N; /bfe.u64/ s/bar.warp.sync[ \t]*-1;// } | race: writes shared memory
END2
bash "$4" "$3" "$place/mask.ptx"
