#!/usr/bin/env bash
# ptxas.sh: stands for NVIDIA's assembler. Its "cubin" is an ELF header with a mark in it and the PTX, which the emulated driver takes.
# FAKE_PTXAS says what goes wrong: fail, hang, signal, silent, rubbish, damaged, trap. Each assembly adds a line to $FAKE_PTXAS_LOG.
if [ "$1" = --version ]; then
  [ "$FAKE_PTXAS" = mute ] || echo "stand-in for ptxas, 1.0"
  exit 0
fi
chip=${1#-arch=} source=$2 result=$4
[ -z "$FAKE_PTXAS_LOG" ] || echo "$chip" >> "$FAKE_PTXAS_LOG"
header='\177ELF\002\001\001\000\000PTX\000\000\000\000\002\000\276\000\001\000\000\000'
case $FAKE_PTXAS in
fail) echo "ptxas $source, line 7; error : Unknown symbol 'x'" >&2; echo "ptxas fatal : aborted" >&2; exit 255 ;;
hang) sleep 1000 & wait ;;
signal) kill -SEGV $$ ;;
silent) ;;
rubbish) cp "$source" "$result" ;;
*)
  { printf "$header"; head -c 40 /dev/zero; if [ "$FAKE_PTXAS" = damaged ]; then printf '\001\002'; elif [ "$FAKE_PTXAS" = trap ]; then sed 's/\bret;/trap;/' "$source"; else cat "$source"; fi; printf '\0'; } > "$result"
  ;;
esac
