#!/usr/bin/env bash
# counters.sh FILE: what each kernel did, with sectors of memory and wavefronts of shared memory as percent of the fewest that are possible.
awk '{ delete v; n = 0
       for (i = 2; i < NF; i += 2) if ($i == "ideal") first["ideal_" ++n] = $(i + 1); else v[$i] = $(i + 1)
       printf "tensor %s divide64 %d sectors %d%% wavefronts %d%%\n", v["tensor"] ? "yes" : "no", v["divide64"],
              100 * v["sectors"] / first["ideal_1"], first["ideal_2"] ? 100 * v["wavefronts"] / first["ideal_2"] : 100 }' "$1"
