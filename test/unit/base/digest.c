/* Digests of large pieces whatever the threads, samples, and what a model says besides the numbers of its large tensors. */
#include "tcc/digest.h"
#include "tcc/wire.h"
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void test_pieces(void) {
  enum { BYTES = 5 * TCC_DIGEST_LEAF / 2 };
  char *data = calloc(1, BYTES);
  if (!data) abort();
  for (size_t i = 0; i < BYTES; i++) data[i] = (char)(i * 7 + i / 251);
  const TccStr pieces[] = {{data, BYTES}, {data, 0}, {data, 5}, {data + 1, BYTES - 1}};
  enum { COUNT = sizeof pieces / sizeof *pieces };
  uint8_t one[COUNT][TCC_DIGEST_BYTES], three[COUNT][TCC_DIGEST_BYTES], leaves[3][TCC_DIGEST_BYTES], root[TCC_DIGEST_BYTES];
  tcc_status_destroy(tcc_digest_pieces(pieces, COUNT, 1, one));
  tcc_status_destroy(tcc_digest_pieces(pieces, COUNT, 3, three));
  expect(memcmp(one, three, sizeof one) == 0, "threads");
  for (size_t i = 0; i < 3; i++)
    tcc_digest(data + i * TCC_DIGEST_LEAF, i < 2 ? TCC_DIGEST_LEAF : BYTES - 2 * TCC_DIGEST_LEAF, leaves[i]);
  tcc_digest(leaves, sizeof leaves, root);
  expect(memcmp(root, one[0], sizeof root) == 0, "the digest of the leaves' digests");
  for (size_t i = 0; i < COUNT; i++)
    for (size_t k = 0; k < i; k++) expect(memcmp(one[i], one[k], TCC_DIGEST_BYTES) != 0, "pieces differ");
  uint64_t sample = tcc_digest_sample(data, BYTES);
  data[0] ^= 1;
  expect(tcc_digest_sample(data, BYTES) != sample, "a sample has the first byte");
  data[0] ^= 1;
  data[BYTES - 1] ^= 1;
  expect(tcc_digest_sample(data, BYTES) != sample, "and the last");
  data[BYTES - 1] ^= 1;
  data[1000] ^= 1;
  expect(tcc_digest_sample(data, BYTES) == sample, "not all between");
  for (size_t length = 0; length <= 256; length++) {
    sample = tcc_digest_sample(data, length);
    for (size_t i = 0; i < length; i++) {
      data[i] ^= 1;
      if (tcc_digest_sample(data, length) == sample) expect(false, "all of what is small");
      data[i] ^= 1;
    }
  }
  free(data);
}

/* Lengths around a leaf, and around eight and sixteen of them, which are made together. */
static void test_tree(void) {
  enum { LEAF = TCC_DIGEST_SMALL_LEAF, BYTES = 18 * LEAF };
  static const size_t lengths[] = {
      0, 1, LEAF - 1, LEAF, LEAF + 1, 7 * LEAF, 8 * LEAF - 1, 8 * LEAF, 8 * LEAF + 1, 16 * LEAF, 17 * LEAF + 5};
  unsigned char *data = malloc(BYTES);
  uint8_t leaves[BYTES / LEAF][TCC_DIGEST_BYTES], root[TCC_DIGEST_BYTES], tree[TCC_DIGEST_BYTES];
  if (!data) abort();
  for (size_t i = 0; i < BYTES; i++) data[i] = (unsigned char)(i * 131 + i / 127 + i / 4001);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    size_t n = 0;
    for (size_t at = 0; at < lengths[k]; at += LEAF, n++)
      tcc_digest(data + at, lengths[k] - at < LEAF ? lengths[k] - at : LEAF, leaves[n]);
    tcc_digest(leaves, n * TCC_DIGEST_BYTES, root);
    tcc_status_destroy(tcc_digest_tree(data, lengths[k], tree));
    expect(memcmp(root, tree, sizeof root) == 0, "a tree is the digest of its leaves' digests");
  }
  tcc_status_destroy(tcc_digest_tree(NULL, 0, tree));
  tcc_digest(NULL, 0, root);
  expect(memcmp(root, tree, sizeof root) == 0, "a tree without leaves");
  free(data);
}

/* ---- models ---- */
static void put_field(TccText *out, unsigned number, TccStr bytes) {
  const unsigned key = number << 3 | TCC_WIRE_BYTES, length = (unsigned)bytes.length;
  const unsigned char head[] = {(unsigned char)(key | 128), (unsigned char)(key >> 7), (unsigned char)(length | 128),
                                (unsigned char)(length >> 7)};
  tcc_text_put(out, (const char *)head, sizeof head);
  tcc_text_put(out, bytes.data, bytes.length);
}

/* { path[0] { path[1] { ... data } } } */
static void put_nested(TccText *out, const unsigned *path, size_t count, TccStr data) {
  TccText inside = {0};
  if (count == 1) {
    put_field(out, path[0], data);
    return;
  }
  put_nested(&inside, path + 1, count - 1, data);
  put_field(out, path[0], tcc_text_str(&inside));
  tcc_text_destroy(&inside);
}

/* Bytes of a model with `length` bytes of data at this path that are no part of what it says else. */
static size_t left_out(const unsigned *path, size_t count, size_t length) {
  static const char data[1000];
  TccText model = {0}, graph = {0};
  put_nested(&model, path, count, (TccStr){data, length});
  put_field(&model, 2, tcc_str("producer"));
  tcc_wire_graph(tcc_text_str(&model), &graph);
  size_t out = model.length - graph.length;
  tcc_text_destroy(&model);
  tcc_text_destroy(&graph);
  return out;
}

static void test_graph(void) {
  const unsigned raw[] = {7, 5, 9}, floats[] = {7, 5, 4}, integers[] = {7, 5, 7}, name[] = {7, 5, 8}, constant[] = {7, 1, 5, 5, 9},
                 inner[] = {7, 1, 5, 6, 5, 9}, function[] = {25, 7, 5, 5, 9}, elsewhere[] = {8, 5, 9};
  expect(left_out(raw, 3, 1000) == 1000 && left_out(floats, 3, 500) == 500, "numbers of initializers");
  expect(left_out(raw, 3, TCC_WIRE_LARGE) == TCC_WIRE_LARGE && left_out(raw, 3, TCC_WIRE_LARGE - 1) == 0, "large ones");
  expect(left_out(constant, 5, 200) == 200 && left_out(inner, 6, 200) == 200 && left_out(function, 5, 200) == 200, "of attributes");
  expect(left_out(integers, 3, 200) == 0 && left_out(name, 3, 200) == 0 && left_out(elsewhere, 3, 200) == 0, "nothing else");
  static const char data[300];
  TccText model = {0};
  put_nested(&model, raw, 3, (TccStr){data, sizeof data});
  for (size_t cut = 0; cut <= model.length; cut++) { /* what is no message is kept */
    TccText graph = {0};
    tcc_wire_graph((TccStr){model.data, cut}, &graph);
    expect(graph.length == (cut < model.length ? cut : cut - sizeof data), "cut");
    tcc_text_destroy(&graph);
  }
  uint8_t a[TCC_DIGEST_BYTES], b[TCC_DIGEST_BYTES];
  const TccStr whole = tcc_text_str(&model);
  for (int onnx = 0; onnx < 2; onnx++) {
    const char *path = onnx ? "m.onnx" : "m.mlir";
    tcc_status_destroy(tcc_wire_digest(path, whole, a));
    model.data[model.length - 1] ^= 1;
    tcc_status_destroy(tcc_wire_digest(path, whole, b));
    model.data[model.length - 1] ^= 1;
    expect((memcmp(a, b, sizeof a) == 0) == onnx, "a model's digest has no numbers, others' have all bytes");
  }
  tcc_text_destroy(&model);
}

/* ---- archives ---- */
static void put_number(TccText *out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; i++, value >>= 8) tcc_text_put(out, &(char){(char)value}, 1);
}

/* A zip of one stored member of `size` bytes `fill`. */
static TccText zip(const char *name, size_t size, char fill) {
  TccText file = {0};
  size_t n = strlen(name);
  tcc_text_put(&file, "PK\3\4\12\0\0\0\0\0\0\0\0\0\0\0\0\0", 18);
  put_number(&file, size, 4), put_number(&file, size, 4), put_number(&file, n, 2), put_number(&file, 0, 2);
  tcc_text_put(&file, name, n);
  for (size_t i = 0; i < size; i++) tcc_text_put(&file, &fill, 1);
  size_t directory = file.length;
  tcc_text_put(&file, "PK\1\2\12\0\12\0\0\0\0\0\0\0\0\0", 16);
  put_number(&file, (unsigned char)fill, 4); /* stands for the CRC */
  put_number(&file, size, 4), put_number(&file, size, 4), put_number(&file, n, 2);
  put_number(&file, 0, 16);
  tcc_text_put(&file, name, n);
  size_t bytes = file.length - directory;
  tcc_text_put(&file, "PK\5\6\0\0\0\0\1\0\1\0", 12);
  put_number(&file, bytes, 4), put_number(&file, directory, 4), put_number(&file, 0, 2);
  return file;
}

static bool same_digest(const char *path, const char *member, size_t size) {
  TccText one = zip(member, size, 'a'), other = zip(member, size, 'b');
  uint8_t a[TCC_DIGEST_BYTES], b[TCC_DIGEST_BYTES];
  tcc_status_destroy(tcc_wire_digest(path, tcc_text_str(&one), a));
  tcc_status_destroy(tcc_wire_digest(path, tcc_text_str(&other), b));
  tcc_text_destroy(&one);
  tcc_text_destroy(&other);
  return memcmp(a, b, sizeof a) == 0;
}

static void test_archive(void) {
  expect(same_digest("m.pt2", "m/data/weights/weight_0", 200), "numbers of a large weight are no part of an archive's digest");
  expect(same_digest("m.pt2", "m/data/constants/tensor_0", TCC_WIRE_LARGE), "nor those of a constant");
  expect(!same_digest("m.pt2", "m/data/weights/weight_0", TCC_WIRE_LARGE - 1), "small ones are");
  expect(!same_digest("m.pt2", "m/data/weights/model_weights_config.json", 200) &&
             !same_digest("m.pt2", "m/models/model.json", 200),
         "all else is");
  expect(!same_digest("m.zip", "m/data/weights/weight_0", 200), "other files have all bytes");
  TccText file = zip("m/data/weights/weight_0", 200, 'a');
  for (size_t cut = 0; cut < file.length; cut++) { /* what is no archive is kept */
    TccText text = {0};
    tcc_wire_archive((TccStr){file.data, cut}, &text);
    expect(text.length == cut, "a cut archive");
    tcc_text_destroy(&text);
  }
  tcc_text_destroy(&file);
}

int main(void) {
  test_pieces();
  test_tree();
  test_archive();
  test_graph();
  return failures != 0;
}
