#!/usr/bin/env bash
# planted_wgmma.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of a product of warpgroups, 64 x 96 by 96 x 65, whose right operand no tensor map
# copies.
set -euo pipefail
python=$1 place=$2
"$python" "$(dirname "$0")/product.py" "$place" f16 64 96 65
tcc-opt --pipeline=default --target=nvptx,sm_90a "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,sm_90a - |
  sed '/^\/\/ launch/d' >"$place/body.ptx"
kernel=$(sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx")
cat - "$place/body.ptx" >"$place/wgmma.ptx" <<END
// launch $kernel grid 2 block 128 : f16*6144 f16*6240 zero*8320
// print 2 4
// bug no-proxy-fence | /fence.proxy.async/d | with no fence.proxy.async
// bug no-wait-for-copies | s/cp.async.wait_group[ \t]*1;/cp.async.wait_group 2;/ | race: reads shared memory
// bug no-barrier | s/bar\(rier\)*\(.cta\)*.sync.*;/mov.pred %p1, %p1;/ | race@OR@nobody wrote
// bug accumulator-read-too-early | s/wgmma.wait_group.sync.aligned 0;/wgmma.wait_group.sync.aligned 1;/ | race
// bug no-fence-of-registers | s/wgmma.fence.sync.aligned;// | no wgmma.fence
// bug contiguous-the-other-way | s/, 1, 1, 0, 1; wgmma.commit/, 1, 1, 0, 0; wgmma.commit/ | race: reads shared memory
END
bash "$4" "$3" "$place/wgmma.ptx"
