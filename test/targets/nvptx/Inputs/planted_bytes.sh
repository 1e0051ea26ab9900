#!/usr/bin/env bash
# planted_bytes.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of products of bytes: by mma.sync whose right operand is turned, by warpgroups and tensor
# maps, of few rows whose right operand is turned.
set -euo pipefail
python=$1 place=$2 check=$3 planted=$4 inputs=$(dirname "$0")
mkdir -p "$place"

# ptx CHIP: of PLACE/model.mlir, as PLACE/body.ptx; prints the kernel's name.
ptx() {
  tcc-opt --pipeline=default --target=nvptx,"$1" "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,"$1" - | sed '/^\/\/ launch/d' >"$place/body.ptx"
  sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx"
}

"$python" "$inputs/bytes.py" "$place" dot 64 256 64 ui8 i8
kernel=$(ptx sm_80)
cat - "$place/body.ptx" >"$place/turned.ptx" <<END
// launch $kernel grid 1 block 128 : u8*16384 s8*16384 zero*16384
// print 2 4096
// bug rows-not-turned | s/ldmatrix\(.*\)\.trans/ldmatrix\1/ | other result
// bug odd-for-even | s/, 0x6420U;/, 0x7531U;/ | other result
// bug signs-mixed-up | s/s32.u8.s8.s32/s32.s8.u8.s32/ | other result
// bug left-as-signed | s/s32.u8.s8.s32/s32.s8.s8.s32/ | other result
// bug no-barrier | /bar.sync/d | race@OR@nobody wrote
// bug no-wait-for-copies | /cp.async.wait_group/d | race
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
END

"$python" "$inputs/bytes.py" "$place" dot 64 256 64 ui8 i8 t
kernel=$(bash "$inputs/scheduled_ptx.sh" "$place" "groups = 1, columns = 64, stages = 2, cluster = 1, band = 1, parts = 1")
cat - "$place/body.ptx" >"$place/maps.ptx" <<END
// launch $kernel grid 1 block 256 shared $((2 * (8192 + 8192 + 16) + 4 * 2560)) : u8*16384 s8*16384 zero*16384 tile=0,u8,256x64,128x64,3 tile=1,u8,256x64,128x64,3
// print 2 4096
// bug signs-mixed-up | s/s32.u8.s8/s32.s8.u8/ | other result
// bug steps-of-16-bytes | s/add.s64 %tma_a, %tma_a, 2;/add.s64 %tma_a, %tma_a, 1;/ | other result
// bug boxes-of-half-the-depth | s/shl.b32\([ \t]*%r[0-9]*, %r[0-9]*\), 7;/shl.b32\1, 6;/ | other result
// bug no-wait-for-copies | s/tma_full: mbarrier.try_wait[^;]*; @!%tma_p bra tma_full;/tma_full:/ | race: reads shared memory@OR@nobody wrote
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
END

"$python" "$inputs/bytes.py" "$place" dot 2 256 64 ui8 i8
kernel=$(ptx sm_80)
cat - "$place/body.ptx" >"$place/few.ptx" <<END
// launch $kernel grid 2 block 256 : u8*512 s8*16384 zero*512
// print 2 128
// bug columns-not-turned | s/, 0x5140U;/, 0x7362U;/ | other result
// bug signs-mixed-up | s/dp4a.u32.s32/dp4a.s32.u32/ | other result
// bug sums-not-seen | /bar.sync/d | race
END
bash "$planted" "$check" "$place/turned.ptx" "$place/maps.ptx" "$place/few.ptx"
