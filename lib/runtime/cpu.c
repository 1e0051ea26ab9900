/* cpu.c - what this machine can do, by CPUID (Intel SDM volume 2, CPUID leaves 1 and 7) and XGETBV: a feature counts only
 * if the operating system saves its registers. AMX needs the kernel's permission once per process (arch_prctl): some sandboxes
 * have a processor that shows it and a kernel that does not give it, there it does not count. */
#include "internal.h"
#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  uint64_t bit;
  const char *name;
} names[] = {{TCC_ISA_AVX2, "avx2"},
             {TCC_ISA_FMA, "fma"},
             {TCC_ISA_F16C, "f16c"},
             {TCC_ISA_AVX512, "avx512"},
             {TCC_ISA_AVX512_VNNI, "avx512vnni"},
             {TCC_ISA_AVX512_BF16, "avx512bf16"},
             {TCC_ISA_AVX512_FP16, "avx512fp16"},
             {TCC_ISA_AMX, "amx"},
             {TCC_ISA_AVX512_VBMI, "avx512vbmi"},
             {TCC_ISA_AVX512_VBMI2, "avx512vbmi2"},
             {TCC_ISA_AVX512_IFMA, "avx512ifma"},
             {TCC_ISA_AVX512_BITALG, "avx512bitalg"},
             {TCC_ISA_AVX512_VPOPCNTDQ, "avx512vpopcntdq"},
             {TCC_ISA_GFNI, "gfni"},
             {TCC_ISA_AVX_VNNI, "avxvnni"}};

void tcc_isa_text(uint64_t isa, TccText *out) {
  tcc_text_put(out, "", 0);
  bool first = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!(isa & names[i].bit)) continue;
    tcc_text_printf(out, "%s%s", first ? "" : " ", names[i].name);
    first = false;
  }
  if (isa & TCC_ISA_GPU)
    tcc_text_printf(out, "%ssm_%u%s", first ? "" : " ", tcc_isa_gpu_chip(isa), tcc_isa_gpu_alone(isa) ? "a" : "");
}

static uint64_t saved_state(void) {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

enum { SUPPORTED_STATE = 0x1021, REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* arch_prctl: asm/prctl.h */

/* Whether the kernel gives tiles to who asks for them. */
static bool kernel_has_tiles(void) {
  uint64_t state = 0;
  return syscall(SYS_arch_prctl, SUPPORTED_STATE, &state) == 0 && (state >> TILE_DATA & 1);
}

static uint64_t ask_cpu(void) {
  uint32_t a, b, c, d, c1;
  if (!__get_cpuid(1, &a, &b, &c1, &d) || !(c1 & bit_OSXSAVE)) return 0;
  uint64_t state = saved_state(), isa = 0;
  if ((state & 0x6) != 0x6) return 0; /* XMM and YMM */
  if (c1 & bit_FMA) isa |= TCC_ISA_FMA;
  if (c1 & bit_F16C) isa |= TCC_ISA_F16C;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return isa;
  if (b & bit_AVX2) isa |= TCC_ISA_AVX2;
  uint32_t wanted = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  bool wide = (state & 0xe0) == 0xe0 && (b & wanted) == wanted; /* opmask, upper ZMM, ZMM16-31 */
  if (wide) isa |= TCC_ISA_AVX512;
  if (wide && (c & bit_AVX512VNNI)) isa |= TCC_ISA_AVX512_VNNI;
  if (wide && (d & (1u << 23))) isa |= TCC_ISA_AVX512_FP16;
  if (wide && (c & (1u << 1))) isa |= TCC_ISA_AVX512_VBMI;
  if (wide && (c & (1u << 6))) isa |= TCC_ISA_AVX512_VBMI2;
  if (wide && (b & (1u << 21))) isa |= TCC_ISA_AVX512_IFMA;
  if (wide && (c & (1u << 12))) isa |= TCC_ISA_AVX512_BITALG;
  if (wide && (c & (1u << 14))) isa |= TCC_ISA_AVX512_VPOPCNTDQ;
  if (c & (1u << 8)) isa |= TCC_ISA_GFNI;
  bool tiles = (state & 0x60000) == 0x60000 && (d & (1u << 24));                               /* TILECFG and TILEDATA; AMX-TILE */
  if (tiles && (d & (1u << 22)) && (d & (1u << 25)) && kernel_has_tiles()) isa |= TCC_ISA_AMX; /* AMX-BF16 and AMX-INT8 */
  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d)) return isa;
  if (wide && (a & (1u << 5))) isa |= TCC_ISA_AVX512_BF16;
  if (a & (1u << 4)) isa |= TCC_ISA_AVX_VNNI;
  return isa;
}

/* Asked once for a process: CPUID traps where the CPU is a virtual one. */
uint64_t tcc_cpu_isa(void) {
  static _Atomic uint64_t known;
  const uint64_t asked = UINT64_C(1) << 63;
  uint64_t isa = atomic_load_explicit(&known, memory_order_relaxed);
  if (!isa) {
    isa = ask_cpu() | asked;
    atomic_store_explicit(&known, isa, memory_order_relaxed);
  }
  return isa & ~asked;
}

TccStatus *tcc_cpu_allow_amx(void) {
  if (syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0)
    return TCC_ERROR(TCC_INCOMPATIBLE, "the kernel refuses the use of AMX: %s", strerror(errno));
  return NULL;
}

/* Asked once for a process: it is some files to read. */
static unsigned known_quota(void) {
  static _Atomic unsigned known;
  unsigned quota = atomic_load_explicit(&known, memory_order_relaxed);
  if (!quota) {
    quota = tcc_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    if (!quota) quota = UINT_MAX;
    atomic_store_explicit(&known, quota, memory_order_relaxed);
  }
  return quota;
}

/* 0: none, or no number of threads. */
static unsigned wanted_threads(void) {
  const char *text = getenv("TCC_THREADS");
  char *end = NULL;
  const unsigned long number = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
  return end && !*end && number <= TCC_MOST_THREADS ? (unsigned)number : 0;
}

unsigned tcc_cpu_count(void) {
  const unsigned wanted = wanted_threads();
  if (wanted) return wanted;
  cpu_set_t set;
  long online = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  unsigned cpus = online > 0 ? (unsigned)online : 1, quota = known_quota();
  return cpus < quota ? cpus : quota;
}
