/* profile_machine.h - what the machine can do just now: fused multiply-adds, and reading of memory. */
#ifndef TCC_TOOLS_PROFILE_MACHINE_H
#define TCC_TOOLS_PROFILE_MACHINE_H
enum { PROFILE_MACHINE_THREADS = 64 };

/* GFLOP/s in f32 on so many threads (at most PROFILE_MACHINE_THREADS), measured for about 5 ms: fused multiply-adds on registers, two operations each,
 * by the widest vectors of the CPU. 0: it has no AVX2, or no thread could be made. */
double profile_machine_peak(int threads);

/* GB/s that so many threads read together from 64 MB of memory on huge pages, every time another quarter of a buffer made by the first call
 * that none of the caches holds. 0: no memory or no thread. */
double profile_machine_reads(int threads);
#endif
