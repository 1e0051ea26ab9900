# noexec.sh FOLDER: runs FOLDER/a.so and FOLDER/model.mlir from a disk mounted noexec, with the cache there.
mount -t tmpfs -o noexec,mode=700 tmpfs "$1/disk" || exit 1
cp "$1/a.so" "$1/model.mlir" /bin/true "$1/disk" && cd "$1/disk" || exit 1
./true || echo not run
echo artifact
tcc-run ./a.so --random
echo first
TCC_CACHE_DIR="$1/disk/cache" tcc-run model.mlir --random --explain-cache
echo second
TCC_CACHE_DIR="$1/disk/cache" tcc-run model.mlir --random --explain-cache
