#!/usr/bin/env bash
# hanging_runner.sh: stands for gpu-runner in a package: softmax hangs, also when it is told to end, products crash, all else agrees.
case "$1 ${2:-}" in
--version*) echo 0 ;;
device*) echo '{"device": "none", "chip": "sm_90", "driver": 13000, "multiprocessors": 1, "memory_mb": 1, "free_mb": 1}' ;;
*softmax*) trap '' TERM; for i in 1 2 3 4 5 6 7 8 9; do sleep 5; done ;;
*product*) kill -SEGV $$ ;;
*) echo "{\"case\": \"$2\", \"mode\": \"plain\", \"agrees\": true}" ;;
esac
