/* machine.c - CPU features and cache sizes, detected or by name.
 *
 * What emitters ask for are the TCC_ISA bits; LLVM gets the CPU's name and feature string. A machine that is named gets the
 * cache sizes of a common server core, so that code made for it does not depend on the machine that compiles; the text of the target
 * may give others. */
#include "lib/targets/x86/machine.h"
#include "tcc/plan.h"
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_L1 = 32 << 10, DEFAULT_L2 = 1 << 20, DEFAULT_L3 = 16 << 20 };

static bool has(const char *features, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(features, name); at; at = strstr(at + 1, name))
    if (at > features && at[-1] == '+' && (at[length] == ',' || at[length] == 0)) return true;
  return false;
}

static uint64_t isa_of(const char *f) {
  uint64_t isa = 0;
  if (has(f, "avx2")) isa |= TCC_ISA_AVX2;
  if (has(f, "fma")) isa |= TCC_ISA_FMA;
  if (has(f, "f16c")) isa |= TCC_ISA_F16C;
  if (has(f, "avx512f") && has(f, "avx512bw") && has(f, "avx512dq") && has(f, "avx512vl")) isa |= TCC_ISA_AVX512;
  if (has(f, "avx512vnni")) isa |= TCC_ISA_AVX512_VNNI;
  if (has(f, "avx512bf16")) isa |= TCC_ISA_AVX512_BF16;
  if (has(f, "avx512fp16")) isa |= TCC_ISA_AVX512_FP16;
  if (has(f, "amx-tile") && has(f, "amx-bf16") && has(f, "amx-int8")) isa |= TCC_ISA_AMX;
  if (has(f, "avx512vbmi")) isa |= TCC_ISA_AVX512_VBMI;
  if (has(f, "avx512vbmi2")) isa |= TCC_ISA_AVX512_VBMI2;
  if (has(f, "avx512ifma")) isa |= TCC_ISA_AVX512_IFMA;
  if (has(f, "avx512bitalg")) isa |= TCC_ISA_AVX512_BITALG;
  if (has(f, "avx512vpopcntdq")) isa |= TCC_ISA_AVX512_VPOPCNTDQ;
  if (has(f, "gfni")) isa |= TCC_ISA_GFNI;
  if (has(f, "avxvnni")) isa |= TCC_ISA_AVX_VNNI;
  return isa;
}

/* Sizes of the data caches: leaf 4 on Intel, 0x8000001d on AMD, same format. */
static void read_caches(TccMachine *m) {
  unsigned a, b, c, d;
  unsigned leaf = 4;
  if (__get_cpuid(0x80000000, &a, &b, &c, &d) && a >= 0x8000001d && __get_cpuid_count(0x8000001d, 0, &a, &b, &c, &d) && (a & 31))
    leaf = 0x8000001d;
  for (unsigned index = 0; index < 8; index++) {
    if (!__get_cpuid_count(leaf, index, &a, &b, &c, &d)) return;
    unsigned type = a & 31, level = a >> 5 & 7;
    if (!type) return;
    uint32_t bytes = ((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * (c + 1);
    if (type == 2) continue; /* instructions */
    if (level == 1) m->l1_bytes = bytes;
    if (level == 2) m->l2_bytes = bytes;
    if (level == 3) m->l3_bytes = bytes;
  }
}

static void set_triple(TccMachine *m) {
  char *triple = LLVMGetDefaultTargetTriple();
  snprintf(m->triple, sizeof m->triple, "%s", triple);
  LLVMDisposeMessage(triple);
}

/* No instruction tells it. */
static void set_memory_rate(const char *core, TccMachine *m) {
  static const struct {
    const char *core;
    uint32_t rate;
  } known[] = {{"znver5", 9}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(core, known[i].core) == 0) m->memory_rate = known[i].rate;
}

static void use_host(TccMachine *out) {
  *out = (TccMachine){.l1_bytes = DEFAULT_L1, .l2_bytes = DEFAULT_L2, .l3_bytes = DEFAULT_L3};
  set_triple(out);
  char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  snprintf(out->cpu, sizeof out->cpu, "%s", cpu);
  snprintf(out->features, sizeof out->features, "%s", features);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  out->isa = isa_of(out->features) & tcc_cpu_isa(); /* what the loader will ask for */
  read_caches(out);
  set_memory_rate(out->cpu, out);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  out->cores = cores > 0 ? (uint32_t)cores : 1;
}

#define AVX2 "+sse4.2,+popcnt,+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt"

/* LLVM splits vectors of 512 bits. What is left of m's instruction sets is what emitters make without names of instructions. */
static void lower_to_avx2(TccMachine *m) {
  const uint64_t avx2 = TCC_ISA_AVX2 | TCC_ISA_FMA | TCC_ISA_F16C;
  m->lowered = m->isa & avx2;
  m->isa &= avx2 | TCC_ISA_AVX512;
  m->llvm_tiles = true;
  snprintf(m->cpu, sizeof m->cpu, "x86-64-v3");
  snprintf(m->features, sizeof m->features, AVX2);
}

/* LLVM's CPU is a level without features of its own: a name like icelake-server would bring in what no TCC_ISA bit says. */
static TccStatus *use_named(TccStr name, TccMachine *out) {
#define SSE4 "+ssse3,+sse4.2,+popcnt"
#define AVX512 AVX2 ",+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd"
#define VNNI AVX512 ",+avx512vnni"
#define BF16 VNNI ",+avx512bf16"
#define AMX BF16 ",+amx-tile,+amx-bf16,+amx-int8"
  static const struct {
    const char *name, *cpu, *features;
  } known[] = {{"x86-64", "x86-64", "+sse2"},      {"x86-64-v2", "x86-64-v2", SSE4},      {"avx2", "x86-64-v3", AVX2},
               {"x86-64-v3", "x86-64-v3", AVX2},   {"haswell", "x86-64-v3", AVX2},        {"znver3", "x86-64-v3", AVX2},
               {"avx512", "x86-64-v4", AVX512},    {"x86-64-v4", "x86-64-v4", AVX512},    {"skylake-avx512", "x86-64-v4", AVX512},
               {"cascadelake", "x86-64-v4", VNNI}, {"icelake-server", "x86-64-v4", VNNI}, {"cooperlake", "x86-64-v4", BF16},
               {"znver4", "x86-64-v4", BF16},      {"znver5", "x86-64-v4", BF16},         {"sapphirerapids", "x86-64-v4", AMX},
               {"emeraldrapids", "x86-64-v4", AMX}};
#undef SSE4
#undef AVX2
#undef AVX512
#undef VNNI
#undef BF16
#undef AMX
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!tcc_str_is(name, known[i].name)) continue;
    *out = (TccMachine){.l1_bytes = DEFAULT_L1, .l2_bytes = DEFAULT_L2, .l3_bytes = DEFAULT_L3, .cores = 1};
    set_triple(out);
    snprintf(out->cpu, sizeof out->cpu, "%s", known[i].cpu);
    snprintf(out->features, sizeof out->features, "%s", known[i].features);
    out->isa = isa_of(out->features);
    set_memory_rate(known[i].name, out);
    return NULL;
  }
  TccText names = {0};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) tcc_text_printf(&names, "%s%s", i ? ", " : "", known[i].name);
  TccStatus *status = TCC_ERROR(TCC_INVALID, "unknown x86 machine '%.*s' (known: %s)", TCC_STR_ARG(name), names.data);
  tcc_text_destroy(&names);
  return status;
}

/* NUMBER, with K, M or G behind it: of 1024. 0: none, or more than 32 bits hold. */
static uint32_t size_of(TccStr text) {
  uint64_t size = 0;
  for (; text.length && text.data[0] >= '0' && text.data[0] <= '9' && size < UINT32_MAX; text.data++, text.length--)
    size = 10 * size + (uint64_t)(text.data[0] - '0');
  if (text.length == 1) size <<= text.data[0] == 'K' ? 10 : text.data[0] == 'M' ? 20 : text.data[0] == 'G' ? 30 : 63;
  return text.length > 1 || size > UINT32_MAX ? 0 : (uint32_t)size;
}

/* One of "l1=48K", "l2=2M", "l3=32M", "cores=4"; false: none of them. */
static bool set_size(TccMachine *m, TccStr word) {
  const struct {
    const char *name;
    uint32_t *place, most;
  } sizes[] = {{"l1=", &m->l1_bytes, UINT32_MAX},
               {"l2=", &m->l2_bytes, UINT32_MAX},
               {"l3=", &m->l3_bytes, UINT32_MAX},
               {"cores=", &m->cores, 4096}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t length = strlen(sizes[i].name);
    if (!tcc_str_starts(word, sizes[i].name)) continue;
    uint32_t size = size_of((TccStr){word.data + length, word.length - length});
    if (size > 0 && size <= sizes[i].most) *sizes[i].place = size;
    return size > 0 && size <= sizes[i].most;
  }
  return false;
}

static TccStr next_word(TccStr *rest) {
  const char *comma = rest->length ? memchr(rest->data, ',', rest->length) : NULL;
  TccStr word = {rest->data, comma ? (size_t)(comma - rest->data) : rest->length};
  rest->data += word.length + (comma != NULL);
  rest->length -= word.length + (comma != NULL);
  return word;
}

static TccStatus *read_machine(TccStr text, TccMachine *out) {
  TccStr rest = text, name = next_word(&rest);
  if (name.length && memchr(name.data, '=', name.length)) name = (TccStr){0}, rest = text; /* sizes alone */
  if (name.length) TCC_TRY(use_named(name, out));
  else use_host(out);
  if (rest.length >= sizeof out->sizes)
    return TCC_ERROR(TCC_INVALID, "sizes of a machine are said once each, not '%.*s'", TCC_STR_ARG(rest));
  if (rest.length) snprintf(out->sizes, sizeof out->sizes, "%.*s", TCC_STR_ARG(rest));
  while (rest.length) {
    TccStr word = next_word(&rest);
    if (tcc_str_is(word, "tiles=llvm")) out->llvm_tiles = true;
    else if (tcc_str_is(word, "isa=avx2")) lower_to_avx2(out);
    else if (!set_size(out, word))
      return TCC_ERROR(
          TCC_INVALID,
          "'%.*s' is no size of a machine: l1=, l2=, l3= and bytes, such as 48K or 2M; cores= and a number; tiles=llvm; isa=avx2",
          TCC_STR_ARG(word));
  }
  return NULL;
}

TccStatus *tcc_x86_machine(TccStr text, TccMachine *out) {
  const char *machine = text.length ? NULL : getenv("TCC_MACHINE");
  return machine ? tcc_status_context(read_machine(tcc_str(machine), out), "TCC_MACHINE") : read_machine(text, out);
}
