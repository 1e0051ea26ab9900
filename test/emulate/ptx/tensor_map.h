/* tensor_map.h - what cuTensorMapEncodeTiled and its like make: 128 bytes that describe a tensor and the boxes that are copied of it. */
#ifndef EMU_TENSOR_MAP_H
#define EMU_TENSOR_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAP_RANK = 5, MAP_ALIGNMENT = 64 };
typedef struct {
  uint64_t magic, base;
  uint64_t strides[MAP_RANK - 1]; /* bytes between neighbours along axis 1, 2, ... */
  uint32_t last[MAP_RANK];        /* the last index of an axis, the innermost first */
  uint16_t box[MAP_RANK];         /* tiles: their sizes; im2col: channels of a pixel, pixels */
  int16_t lower[3], upper[3];     /* im2col: corners of the box in which pixels begin, W first */
  uint8_t step[MAP_RANK];         /* elements from one that is taken to the next */
  uint8_t rank, element, swizzle, nan, im2col, is_double;
} TensorMap;
_Static_assert(sizeof(TensorMap) <= 128, "a tensor map has 128 bytes");

/* Elements of a box, the innermost axis first: where each lies; 0: outside of the tensor. offsets: of im2col. Returns their number;
 * out NULL: that alone. */
uint32_t tensor_map_box(const TensorMap *map, const int32_t *at, const uint16_t *offsets, uint64_t *out);
/* NULL, or what is wrong with it. */
const char *tensor_map_wrong(const TensorMap *map);

/* As cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col; types, swizzles and fills by their numbers in cuda.h. */
int tensor_map_tiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                     const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
int tensor_map_im2col(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                      const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave,
                      int swizzle, int promotion, int fill);
#endif
