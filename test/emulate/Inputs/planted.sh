#!/usr/bin/env bash
# planted.sh PTX_CHECK FILE...: each file runs clean over five seeds, and each bug that its comments plant ("// bug NAME | SED | PATTERN") is found over
# three, with a report that has the pattern; where that is "other result", by a result that differs. Each miss is named.
set -uo pipefail
check=$1 failures=0 bugs=0 found=0
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$@"; do
  for seed in 1 2 3 4 5; do
    "$check" --seed=$seed "$file" >"$work/out" || { echo "false alarm, seed $seed, $file: $(cat "$work/out")"; failures=1; }
    [ $seed = 1 ] || cmp -s "$work/out" "$work/first" || { echo "seed $seed of $file gives another result"; failures=1; }
    cp "$work/out" "$work/first"
  done
  echo "$(basename "$file") $(cat "$work/first")"
  while IFS='|' read -r name edit pattern; do
    name=${name#// bug }
    bugs=$((bugs + 1))
    edit=${edit# } edit=${edit% }
    sed -e '/^\/\/ bug/d' -e "$edit" "$file" >"$work/bug.ptx"
    sed '/^\/\/ bug/d' "$file" | cmp -s - "$work/bug.ptx" && { echo "bug $name of $file changes nothing"; failures=1; }
    hit=0
    for seed in 1 2 3; do
      if "$check" --seed=$seed "$work/bug.ptx" >"$work/out"; then
        [ "$pattern" != " other result" ] || cmp -s "$work/out" "$work/first" || hit=1
      elif grep -qE -- "$(sed 's,@OR@,|,g; s,^ ,,' <<<"$pattern")" "$work/out"; then
        hit=1
      fi
    done
    [ $hit = 1 ] && found=$((found + 1)) || { echo "missed: $name of $(basename "$file"): $(head -1 "$work/out")"; failures=1; }
  done < <(grep '^// bug' "$file")
done
echo "$found of $bugs planted bugs found"
exit $failures
