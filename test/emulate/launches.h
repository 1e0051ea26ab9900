/* launches.h - runs the launches that a file of PTX describes in its comments, on whatever device.
 *
 *     // launch KERNEL grid 4 block 256,1,1 cluster 2 shared 1024 : f32*256 zero*1024 i32=7
 *     // print 1 8
 *
 * Arguments: f32*N, f16*N, bf16*N and s8*N are N numbers (i mod 13) - 6, u8*N 7 i mod 251, zero*BYTES zeros, each with +OFFSET
 * behind it if the pointer is so many bytes into them; same=A is argument A of the launch before; i32=V and i64=V are values. Tensor maps of the memory of
 * argument A (from 0), sizes with the innermost first, a swizzle of 0 to 3: tile=A,TYPE,SIZExSIZE,BOXxBOX,SWIZZLE and
 * im2col=A,TYPE,CxWxHxN,CHANNELSxPIXELS,LOWERxLOWER,UPPERxUPPER,SWIZZLE. A size is SIZE[@ELEMENTS BETWEEN NEIGHBOURS][/PLACES FROM
 * ONE THAT IS TAKEN TO THE NEXT]. `print A N` prints N floats of argument A behind the last launch. */
#ifndef LAUNCHES_H
#define LAUNCHES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  void *user;
  void *(*allocate)(void *user, const void *bytes, size_t count); /* memory of the device with these bytes */
  bool (*read)(void *user, void *to, const void *from, size_t count);
  /* parameters: a pointer to the value of each, then NULL. false: it failed, and that has been said or will be. */
  bool (*launch)(void *user, const char *kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3],
                 uint32_t shared, void *const *parameters);
  /* As of the driver. */
  int (*tiled)(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
               const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
  int (*im2col)(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides, const int *lower,
                const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, int swizzle,
                int promotion, int fill);
} LaunchDevice;

/* Prints to standard output; takes the text apart. Returns the number of launches, or -1 when one has failed. A comment that is wrong ends the
 * program with status 2. */
int launches_run(const LaunchDevice *device, char *text);
#endif
