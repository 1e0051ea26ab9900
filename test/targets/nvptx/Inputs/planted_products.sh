#!/usr/bin/env bash
# planted_products.sh PYTHON PLACE PTX_CHECK PLANTED: bugs planted in the PTX of kernels that have several products or are written in place: products of two widths by tensor
# maps and of one row, two that meet in one epilogue, one whose matrices an index picks (of -2^60 and the like, which are cut to the first and the last), and rows whose
# sums are subtracted in place.
set -euo pipefail
python=$1 place=$2 check=$3 planted=$4 inputs=$(dirname "$0")
mkdir -p "$place"

# ptx CHIP: of PLACE/model.mlir, as PLACE/body.ptx; prints the kernel's name.
ptx() {
  tcc-opt --pipeline=default --target=nvptx,"$1" "$place/model.mlir" | tcc-translate --to-ptx --target=nvptx,"$1" - | sed '/^\/\/ launch/d' >"$place/body.ptx"
  sed -n 's/^\.visible \.entry \(k_[^(]*\)(.*/\1/p' "$place/body.ptx"
}
schedule="groups = 1, columns = 64, stages = 2, cluster = 1, band = 1, parts = 1" shared=$((2 * (8192 + 8192 + 16) + 4 * 2560))

"$python" "$inputs/product.py" "$place" f16 64 128 128+64 t
kernel=$(bash "$inputs/scheduled_ptx.sh" "$place" "$schedule")
cat - "$place/body.ptx" >"$place/widths.ptx" <<END
// launch $kernel grid 3 block 256 shared $shared : f16*8192 f16*16384 bf16*8192 zero*16384 zero*8192 tile=0,f16,128x64,64x64,3 tile=1,f16,128x128,64x64,3 tile=2,f16,128x64,64x64,3
// print 3 4096
// print 4 2048
// bug columns-counted-from-the-first-member | s/selp.b64\([ \t]*%rd[0-9]*\), 2, 0, %p[0-9]*;/mov.b64\1, 0;/ | of an allocation@OR@in no allocation@OR@race: writes global
// bug map-of-the-first-member | s/selp.b64\([ \t]*%rd[0-9]*\), %rd[0-9]*, \(%rd[0-9]*\), %p[0-9]*;/mov.b64\1, \2;/ | other result
// bug maps-exchanged | s/selp.b64\([ \t]*%rd[0-9]*\), \(%rd[0-9]*\), \(%rd[0-9]*\), /selp.b64\1, \3, \2, / | other result
// bug second-member-a-panel-early | s/setp.gt.s64\([ \t]*%p[0-9]*, %rd[0-9]*\), 1;/setp.gt.s64\1, 0;/ | other result
// bug all-write-as-the-first-kind | /selp.b64[ \t]*%rd[0-9]*, 1, 0,/s/, 1, 0,/, 0, 0,/ | race: writes global
// bug none-writes-as-the-second-kind | s/setp.lt.s64\([ \t]*%p[0-9]*, %rd[0-9]*\), 2;/setp.lt.s64\1, 3;/ | other result
// bug panels-of-half-the-width | s/shl.b64\([ \t]*%rd[0-9]*, %rd[0-9]*\), 6;/shl.b64\1, 5;/ | race: writes global@OR@nobody
// bug bytes-of-the-left-tile-alone | s/mov.b32\([ \t]*%r[0-9]*\), 16384;/mov.b32\1, 8192;/ | race: reads shared memory@OR@deadlock@OR@mbarrier
END

"$python" "$inputs/dual.py" "$place" f16 64 128 64 t
kernel=$(bash "$inputs/scheduled_ptx.sh" "$place" "$schedule")
cat - "$place/body.ptx" >"$place/dual.ptx" <<END
// launch $kernel grid 2 block 256 shared $shared : f16*8192 f16*8192 bf16*8192 zero*8192 tile=0,f16,128x64,64x64,3 tile=1,f16,128x64,64x32,3 tile=2,f16,128x64,64x32,3
// print 3 2048
// bug second-from-the-first-map | s/_param_6;/_param_5;/ | other result
// bug second-over-the-first | s/\(add.s32[ \t]*%r[0-9]*, %r[0-9]*\), 12288;/\1, 8192;/ | race: writes shared memory@OR@nobody wrote
// bug second-not-copied | /, 12288;/,/cp.async/ s/cp.async[^;]*;// | deadlock
// bug bytes-of-one-right-operand | s/mov.b32\([ \t]*%r[0-9]*\), 16384;/mov.b32\1, 12288;/ | race: reads shared memory@OR@deadlock@OR@mbarrier
// bug sums-of-the-first-twice | /ld.shared.v4/ s/+32832/+32768/ | other result
// bug columns-of-the-whole-tile | s/shr.u32\([ \t]*%r[0-9]*, %r[0-9]*\), 1;/shr.u32\1, 0;/ | other result
// bug results-not-seen-by-the-warp | /bar.warp.sync/d | race
// bug no-wait-for-copies | s/tma_full: mbarrier.try_wait[^;]*; @!%tma_p bra tma_full;/tma_full:/ | race: reads shared memory@OR@nobody wrote
END

"$python" "$inputs/product.py" "$place" f16 1 64 128+64 t bias only
kernel=$(ptx sm_80)
cat - "$place/body.ptx" >"$place/row.ptx" <<END
// launch $kernel grid 192 block 256 : f16*64 f16*8192 f16*128 f16*4096 zero*256 zero*128
// print 4 64
// print 5 32
// bug columns-counted-from-the-first-member | s/selp.b64\([ \t]*%rd[0-9]*\), 2, 0, %p[0-9]*;/mov.b64\1, 0;/ | race: @OR@of an allocation@OR@in no allocation
// bug right-operands-exchanged | s/selp.b64\([ \t]*%rd[0-9]*\), \(%rd[0-9]*\), \(%rd[0-9]*\), /selp.b64\1, \3, \2, / | of an allocation@OR@in no allocation
// bug no-barrier | /bar.sync/d | race: reads shared memory@OR@nobody wrote
// bug half-a-warp-left-out | s/\(shfl.sync.bfly.b32[ \t]*%r[0-9]*, %r[0-9]*\), 16,/\1, 8,/ | other result
// bug none-writes-as-the-second-kind | s/setp.lt.s64\([ \t]*%p[0-9]*, %rd[0-9]*\), 2;/setp.lt.s64\1, 3;/ | other result
END

cat >"$place/model.mlir" <<END
func.func @main(%x: tensor<3x40x64xf16>, %v: tensor<4x64x64xf16>, %i: tensor<3xi64>) -> tensor<3x40x64xf16> {
  %0 = "tcc.gather"(%v, %i) {axis = 0 : i64} : (tensor<4x64x64xf16>, tensor<3xi64>) -> tensor<3x64x64xf16>
  %1 = "tcc.dot_general"(%x, %0) {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 2>} : (tensor<3x40x64xf16>, tensor<3x64x64xf16>) -> tensor<3x40x64xf16>
  return %1 : tensor<3x40x64xf16>
}
END
kernel=$(ptx sm_80)
cat - "$place/body.ptx" >"$place/picked.ptx" <<END
// launch $kernel grid 3 block 128 : f16*16384 s8*24 f16*7680 zero*15360 zero*64+32
// print 3 3840
// bug index-of-the-first-entry | 0,/\(mul.wide.u32[ \t]*%rd[0-9]*, %r[0-9]*\), 8;/s//\1, 0;/ | other result
// bug not-cut-above | s/min.s64\([ \t]*%rd[0-9]*, %rd[0-9]*\), 3;/max.s64\1, 3;/ | of an allocation@OR@in no allocation
// bug not-cut-below | s/max.s64\([ \t]*%rd[0-9]*, %rd[0-9]*\), 0;/min.s64\1, 3;/ | of an allocation@OR@in no allocation
// bug matrices-of-half-the-size | s/shl.b64\([ \t]*%rd[0-9]*, %rd[0-9]*\), 12;/shl.b64\1, 11;/ | other result
// bug no-wait-for-copies | s/cp.async.wait_group[ \t]*1;/cp.async.wait_group 2;/ | race: reads shared memory
// bug no-barrier | /bar.sync/d | race@OR@nobody wrote
END

cat >"$place/model.mlir" <<END
func.func @main(%x: tensor<64x96xf32>, %p: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %0 = "tcc.reduce"(%x) {kind = "sum", axes = array<i64: 1>, keepdims = true} : (tensor<64x96xf32>) -> tensor<64x1xf32>
  %1 = "tcc.sub"(%p, %0) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  return %1 : tensor<64x1xf32>
}
END
kernel=$(ptx sm_80)
cat - "$place/body.ptx" >"$place/place.ptx" <<END
// launch $kernel grid 8 block 256 : f32*6144 f32*64 zero*256
// launch $kernel grid 8 block 256 : same=0 same=2 same=2
// print 2 64
// bug read-at-the-next-row | s/ld.global.b32\([ \t]*%r[0-9]*, \[%rd[0-9]*\)\]/ld.global.b32\1+4]/ | race: @OR@of an allocation@OR@in no allocation
// bug written-at-the-next-row | s/st.global.b32\([ \t]*\[%rd[0-9]*\)\]/st.global.b32\1+4]/ | race: @OR@of an allocation@OR@in no allocation
// bug all-lanes-write | s/setp.ne.b64\([ \t]*%p[0-9]*, %rd[0-9]*\), 0;/setp.ne.b64\1, %rd3;/ | race: @OR@writes
// bug half-a-warp-left-out | s/\(shfl.sync.bfly.b32[ \t]*%r[0-9]*, %r[0-9]*\), 16,/\1, 8,/ | other result
END
bash "$planted" "$check" "$place"/widths.ptx "$place"/dual.ptx "$place"/row.ptx "$place"/picked.ptx "$place"/place.ptx
