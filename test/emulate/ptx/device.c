/* device.c - memory of the emulated device and what was found on it. */
#include "internal.h"
#include <sys/mman.h>

enum { GUARD = 4096, ALIGNMENT = 256 };

/* Addresses of a device are none of the host, before and after, so they are taken from ranges of their own, each once. */
static char *take_range(size_t bytes) {
  static const size_t most = (size_t)1 << 32;
  static char *at;
  static size_t left;
  if (bytes > left) {
    left = bytes > most ? bytes : most;
    at = mmap(NULL, left, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return left = 0, NULL;
  }
  char *range = at;
  at += bytes, left -= bytes;
  return mprotect(range, bytes, PROT_READ | PROT_WRITE) == 0 ? range : NULL;
}

/* Who reads or writes it from now on is stopped. */
static void give_range(const Allocation *a) {
  madvise(a->whole, a->whole_bytes, MADV_DONTNEED);
  mprotect(a->whole, a->whole_bytes, PROT_NONE);
}

EmuDevice *emu_device_create(uint64_t seed) {
  EmuDevice *device = calloc(1, sizeof *device);
  if (!device) abort();
  device->seed = device->random = seed;
  return device;
}

void emu_device_destroy(EmuDevice *device) {
  if (!device) return;
  for (size_t i = 0; i < device->count; i++) {
    give_range(&device->allocations[i]);
    race_forget(&device->allocations[i]);
  }
  for (size_t i = 0; i < device->nkernels; i++) free((char *)(uintptr_t)device->kernels[i].name);
  free(device->kernels);
  free(device->allocations);
  free(device->regions);
  free(device->report);
  free(device);
}

void *emu_allocate(EmuDevice *device, size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, all = (rounded + 3 * GUARD - 1) / GUARD * GUARD;
  char *whole = take_range(all);
  if (!whole) return NULL;
  memset(whole, 0xff, all); /* floats are NaN, integers far outside */
  if (device->count == device->room) {
    device->room = device->room ? 2 * device->room : 64;
    device->allocations = realloc(device->allocations, device->room * sizeof *device->allocations);
    if (!device->allocations) abort();
  }
  size_t at = device->count++;
  for (; at && device->allocations[at - 1].base > whole + GUARD; at--) device->allocations[at] = device->allocations[at - 1];
  device->allocations[at] = (Allocation){.base = whole + GUARD, .bytes = bytes, .whole = whole, .whole_bytes = all};
  device->total += bytes;
  return whole + GUARD;
}

bool emu_release(EmuDevice *device, void *memory) {
  for (size_t i = 0; i < device->count; i++) {
    Allocation *a = &device->allocations[i];
    if (a->base != memory) continue;
    device->total -= a->bytes;
    give_range(a);
    race_forget(a);
    memmove(a, a + 1, (device->count - i - 1) * sizeof *a);
    device->count--;
    return true;
  }
  return false;
}

bool emu_holds(const EmuDevice *device, const void *memory, size_t bytes) {
  const Allocation *a = find_allocation(device, (uint64_t)(uintptr_t)memory);
  size_t at = a ? (size_t)((const char *)memory - a->base) : 0;
  return a && at <= a->bytes && bytes <= a->bytes - at;
}

size_t emu_allocated(const EmuDevice *device) { return device->total; }

static int by_base(const void *a, const void *b) {
  const Region *x = a, *y = b;
  return x->base < y->base ? -1 : x->base > y->base;
}

void emu_regions(EmuDevice *device, const void *const *memory, const size_t *bytes, size_t count) {
  device->regions = realloc(device->regions, (count + 1) * sizeof *device->regions);
  if (!device->regions) abort();
  for (size_t i = 0; i < device->count; i++) device->allocations[i].regions = 0;
  device->nregions = count;
  for (size_t i = 0; i < count; i++) {
    device->regions[i] = (Region){(uint64_t)(uintptr_t)memory[i], bytes[i]};
    Allocation *a = (Allocation *)(uintptr_t)find_allocation(device, device->regions[i].base);
    if (a) a->regions++;
  }
  qsort(device->regions, count, sizeof *device->regions, by_base);
}

/* ---- findings ---- */
void note(EmuDevice *device, const char *text, ...) {
  char line[1024];
  va_list list;
  va_start(list, text);
  int length = vsnprintf(line, sizeof line - 1, text, list);
  va_end(list);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n', line[length] = 0;
  device->findings++;
  if (device->report_length + (size_t)length + 1 > device->report_room) {
    device->report_room = 2 * (device->report_room + (size_t)length + 1);
    device->report = realloc(device->report, device->report_room);
    if (!device->report) abort();
  }
  memcpy(device->report + device->report_length, line, (size_t)length + 1);
  device->report_length += (size_t)length;
}

Outcome fail(const Warp *w, const Inst *inst, uint32_t lane, const char *what, ...) {
  char text[600];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  const Block *b = w->block;
  uint32_t t = w->index * LANES + lane, x = b->launch->block[0], y = b->launch->block[1];
  if (b->device->findings) return FAILED; /* the first says it */
  note(b->device, "%s: block (%u,%u,%u) thread (%u,%u,%u), line %d `%.100s`: %s", b->launch->kernel->name, b->id[0], b->id[1],
       b->id[2], t % x, t / x % y, t / x / y, inst->line, inst->text, text);
  return FAILED;
}

const char *emu_report(const EmuDevice *device) { return device->report ? device->report : ""; }

void emu_forget(EmuDevice *device) {
  device->findings = 0, device->report_length = 0;
  if (device->report) device->report[0] = 0;
}

const EmuCounters *emu_counters(const EmuDevice *device, size_t i, const char **out_kernel) {
  if (i >= device->nkernels) return NULL;
  *out_kernel = device->kernels[i].name;
  return &device->kernels[i].counters;
}

/* Instructions as such are left out: how often a warp asks for a barrier depends on the order of warps. */
uint64_t emu_clock(const EmuDevice *device) {
  enum { LAUNCH = 1000000, SECTOR = 1000, WAVEFRONT = 250, FLOAT = 250, SPECIAL = 1000, TENSOR = 2000 };
  uint64_t nanoseconds = 0;
  for (size_t i = 0; i < device->nkernels; i++) {
    const EmuCounters *c = &device->kernels[i].counters;
    nanoseconds += LAUNCH * c->launches + SECTOR * c->sectors + WAVEFRONT * c->shared_wavefronts;
    nanoseconds +=
        FLOAT * c->by_class[EMU_CLASS_FLOAT] + SPECIAL * c->by_class[EMU_CLASS_SPECIAL] + TENSOR * c->by_class[EMU_CLASS_TENSOR];
  }
  return nanoseconds;
}
