/* ptx.h - an emulator of PTX: modules as ptxas gets them, run in lock step with every access checked.
 *
 *     EmuDevice *device = emu_device_create(900, seed);
 *     EmuModule *module = emu_module_parse(text, error, sizeof error);
 *     void *x = emu_allocate(device, bytes);
 *     EmuLaunch launch = {.kernel = emu_kernel_find(module, "k"), .grid = {4, 1, 1}, .block = {256, 1, 1}, .cluster = {1, 1, 1}, ...};
 *     emu_launch(device, &launch);
 *     puts(emu_report(device));
 *
 * Addresses of the device are addresses of this process. Not thread-safe: one call at a time for a device. Semantics after the PTX ISA,
 * version 9.0; section numbers in comments are of it. */
#ifndef EMU_PTX_H
#define EMU_PTX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct EmuDevice EmuDevice;
typedef struct EmuModule EmuModule;
typedef struct EmuKernel EmuKernel;

/* NULL: the text is none that this emulator runs, and error says why, with the line. A kernel whose instructions it does not know is
 * an error of the module. */
EmuModule *emu_module_parse(const char *text, char *error, size_t room);
void emu_module_destroy(EmuModule *module);
/* NULL: there is none. Borrowed. */
EmuKernel *emu_kernel_find(const EmuModule *module, const char *name);
const char *emu_kernel_name(const EmuKernel *kernel);
size_t emu_kernel_parameter_bytes(const EmuKernel *kernel);
/* What a launch gives it, from a list of pointers to values that ends with NULL. false: they are more or fewer than its parameters. */
bool emu_kernel_gather(const EmuKernel *kernel, void *const *parameters, void *out_bytes);
uint32_t emu_kernel_static_shared(const EmuKernel *kernel);
/* The number of its chip, 90 for sm_90a; whether it is for that chip alone. */
unsigned emu_module_chip(const EmuModule *module, bool *out_alone);

/* seed: of the order in which warps run, and of the errors of approximate functions. */
EmuDevice *emu_device_create(uint64_t seed);
void emu_device_destroy(EmuDevice *device);
/* Poisoned memory, 256-byte aligned, with guard bytes around it; NULL: none is left. */
void *emu_allocate(EmuDevice *device, size_t bytes);
/* false: no allocation begins there. */
bool emu_release(EmuDevice *device, void *memory);
/* Whether [memory, memory + bytes) lies in one allocation. */
bool emu_holds(const EmuDevice *device, const void *memory, size_t bytes);
size_t emu_allocated(const EmuDevice *device);
/* The bytes are those of one tensor: an access that begins in them must end in them. Until its allocation goes, or other regions
 * of it are said. */
void emu_regions(EmuDevice *device, const void *const *memory, const size_t *bytes, size_t count);

typedef struct {
  const EmuKernel *kernel;
  uint32_t grid[3], block[3], cluster[3], dynamic_shared;
  const void *parameters; /* emu_kernel_parameter_bytes */
} EmuLaunch;

/* What a kernel did: whole launches summed. */
typedef struct {
  uint64_t launches, blocks, instructions; /* of warps */
  uint64_t by_class[8];                    /* EMU_CLASS_X, of warps */
  uint64_t requests, sectors,
      ideal_sectors;     /* global accesses of warps; 32-byte sectors that they touch; that their bytes fill at least */
  uint64_t global_bytes; /* that lanes asked for */
  uint64_t shared_requests, shared_wavefronts, ideal_wavefronts; /* shared accesses; passes that their banks need; at least */
} EmuCounters;
enum {
  EMU_CLASS_INTEGER,
  EMU_CLASS_FLOAT,
  EMU_CLASS_SPECIAL,
  EMU_CLASS_TENSOR,
  EMU_CLASS_MEMORY,
  EMU_CLASS_CONTROL,
  EMU_CLASS_DIVIDE64,
  EMU_CLASS_OTHER
};

/* false: the kernel did what it must not do, and emu_report says what; memory is as it was left. */
bool emu_launch(EmuDevice *device, const EmuLaunch *launch);
/* What was found since the last call of emu_forget, a line each; "" if nothing. Borrowed until the next launch. */
const char *emu_report(const EmuDevice *device);
void emu_forget(EmuDevice *device);
/* Of kernel number i, in the order of their first launch; NULL behind the last. */
const EmuCounters *emu_counters(const EmuDevice *device, size_t i, const char **out_kernel);
/* Nanoseconds that all launches so far took, on a device that does one thing after the other: a sum over what was counted, so that equal work
 * takes equal time whatever the machine. It says nothing of how long a GPU takes: it is slow, since what takes a time measures until enough of it
 * has gone by. */
uint64_t emu_clock(const EmuDevice *device);
#endif
