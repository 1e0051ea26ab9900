/* safetensors files made by hand: what is read, what is refused and where; an index with two files. */
#include "tcc/safetensors.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;
static char folder[] = "/tmp/tcc-safetensors-XXXXXX";

static void expect(bool ok, const char *what) {
  if (!ok) printf("failed: %s\n", what), failures++;
}

/* A file of a header and `bytes` bytes 0, 1, 2, ... */
static TccText make(const char *header, size_t bytes) {
  TccText file = {0};
  uint64_t length = strlen(header);
  for (int i = 0; i < 8; i++) {
    char byte = (char)(length >> 8 * i);
    tcc_text_put(&file, &byte, 1);
  }
  tcc_text_put(&file, header, strlen(header));
  for (size_t i = 0; i < bytes; i++) {
    char byte = (char)i;
    tcc_text_put(&file, &byte, 1);
  }
  return file;
}

static void check(TccStatus *status, const char *message) {
  if (!status || !strstr(tcc_status_message(status), message))
    printf("got '%s', want '%s'\n", status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
}

static void refuse_bytes(TccStr bytes, const char *message) {
  TccArena *arena = tcc_arena_create();
  TccSafetensor *tensors;
  size_t count;
  check(tcc_safetensors_read(arena, bytes, "w.safetensors", 0, &tensors, &count), message);
  tcc_arena_destroy(arena);
}

static void refuse(const char *header, size_t bytes, const char *message) {
  TccText file = make(header, bytes);
  refuse_bytes(tcc_text_str(&file), message);
  tcc_text_destroy(&file);
}

#define A "\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}"

static void refusals(void) {
  refuse_bytes((TccStr){"1234567", 7}, "cut off: 7 bytes");
  refuse_bytes((TccStr){"\x10\0\0\0\0\0\0\0{}", 10}, "cut off: the header has 16 bytes, the file 10");
  refuse_bytes((TccStr){"\xff\xff\xff\xff\xff\xff\xff\xff{}", 10}, "a header of more than");
  refuse_bytes((TccStr){"\0\0\0\0\0\0\0\0", 8}, "does not begin with '{'");
  refuse(" {}", 0, "does not begin with '{'");
  refuse("{", 0, "the text ends");
  refuse("{} x", 0, "w.safetensors, header, byte 3: text behind the value");
  refuse("{" A, 8, "',' or '}' expected");
  refuse("{" A "}", 7, "byte 59 (a.data_offsets): offsets are not two that lie in the file's 7 bytes");
  refuse("{" A "}", 9, "byte 77: 1 bytes belong to no tensor");
  refuse("{" A ", " A "}", 8, "tensor 'a' is there twice");
  refuse("{" A ", \"b\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [4, 8]}}", 8, "tensor 'b' begins in another one");
  refuse("{" A ", \"b\": {\"dtype\": \"U8\", \"shape\": [4], \"data_offsets\": [9, 13]}}", 13, "tensor 'b' begins behind a gap");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [3], \"data_offsets\": [0, 8]}}", 8, "tensor 'a' has 8 bytes");
  refuse("{\"a\": {\"dtype\": \"F4\", \"shape\": [3], \"data_offsets\": [0, 2]}}", 2, "tensor 'a' has 2 bytes");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296, 4], \"data_offsets\": [0, 0]}}", 0,
         "tensor 'a' has 0 bytes");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [-2], \"data_offsets\": [0, 8]}}", 8, "a size is negative");
  refuse("{\"a\": {\"dtype\": \"F33\", \"shape\": [2], \"data_offsets\": [0, 8]}}", 8, "unknown type 'F33'");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [8, 0]}}", 8, "offsets are not two");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8, 8]}}", 8, "offsets are not two");
  refuse("{\"a\": {\"dtype\": \"F32\", \"shape\": [2]}}", 0, "tensor 'a' lacks");
  refuse("{\"a\": {\"dtype\": \"F32\", \"dtype\": \"F32\"}}", 0, "'dtype' is there twice");
  refuse("{\"__metadata__\": {\"a\": 1}}", 0, "a string expected");
}

static const char *put(const char *name, TccStr bytes) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  TccStatus *status = tcc_file_write_quickly(path, bytes.data, bytes.length);
  expect(!status, "writing a file");
  tcc_status_destroy(status);
  return path;
}

static void refuse_index(const char *text, const char *message) {
  TccSafetensors *all;
  check(tcc_safetensors_open(put("bad.index.json", tcc_str(text)), &all), message);
}

static void files(void) {
  TccSafetensors *all = NULL;
  TccText one = make("{\"__metadata__\": {\"format\": \"pt\"}, " A
                     ", \"empty\": {\"dtype\": \"I64\", \"shape\": [0, 3], \"data_offsets\": [8, 8]}, "
                     "\"c\": {\"dtype\": \"C64\", \"shape\": [], \"data_offsets\": [8, 16]}}   ",
                     16);
  TccText two =
      make("{\"b\": {\"dtype\": \"BF16\", \"shape\": [1, 3], \"data_offsets\": [0, 6]}, \"a\": {\"dtype\": \"U8\", \"shape\": [1], "
           "\"data_offsets\": [6, 7]}}",
           7);
  put("two.safetensors", tcc_text_str(&two));
  TccStatus *status = tcc_safetensors_open(put("one.safetensors", tcc_text_str(&one)), &all);
  expect(!status && all->count == 3, "a file of three tensors");
  tcc_status_destroy(status);
  const TccSafetensor *t = all ? tcc_safetensors_find(all, tcc_str("a")) : NULL;
  expect(t && t->elem == TCC_ELEM_F32 && t->rank == 1 && t->dims[0] == 2 && t->count == 2 && t->bytes == 8, "tensor a");
  expect(t && *(const char *)tcc_safetensors_data(all, t) == 0 && ((const char *)tcc_safetensors_data(all, t))[7] == 7,
         "its bytes");
  t = all ? tcc_safetensors_find(all, tcc_str("empty")) : NULL;
  expect(t && t->count == 0 && t->rank == 2, "an empty tensor");
  t = all ? tcc_safetensors_find(all, tcc_str("c")) : NULL;
  expect(t && t->elem == TCC_ELEM_NONE && tcc_str_is(t->type, "C64"), "a type that tcc has not");
  expect(!all || !tcc_safetensors_find(all, tcc_str("b")), "no tensor b");
  tcc_safetensors_close(all);

  all = NULL; /* 'a' is in both files; the index says whose */
  status =
      tcc_safetensors_open(put("model.safetensors.index.json",
                               tcc_str("{\"metadata\": {\"total_size\": 9}, \"weight_map\": {\"b\": \"two.safetensors\", \"a\": "
                                       "\"one.safetensors\"}}")),
                           &all);
  if (status) printf("%s\n", tcc_status_message(status));
  expect(!status && all->count == 2 && all->nfiles == 2, "an index of two files");
  tcc_status_destroy(status);
  t = all ? tcc_safetensors_find(all, tcc_str("b")) : NULL;
  expect(t && t->elem == TCC_ELEM_BF16 && ((const char *)tcc_safetensors_data(all, t))[5] == 5, "tensor b");
  t = all ? tcc_safetensors_find(all, tcc_str("a")) : NULL;
  expect(t && t->elem == TCC_ELEM_F32, "tensor a of the first file");
  tcc_safetensors_close(all);
  tcc_safetensors_close(NULL);

  refuse_index("{}", "it has no 'weight_map'");
  refuse_index("{\"weight_map\": {\"a\": \"../one.safetensors\"}}",
               "(weight_map.a): '../one.safetensors' is a file in another folder");
  refuse_index("{\"weight_map\": {\"a\": \"/etc/passwd\"}}", "a file in another folder");
  refuse_index("{\"weight_map\": {\"a\": \"pytorch_model.bin\"}}", "does not end in .safetensors");
  refuse_index("{\"weight_map\": {\"a\": \"three.safetensors\"}}", "three.safetensors");
  refuse_index("{\"weight_map\": {\"a\": \"one.safetensors\", \"a\": \"one.safetensors\"}}", "tensor 'a' is there twice");
  refuse_index("{\"weight_map\": {\"x\": \"one.safetensors\", \"y\": \"two.safetensors\"}}",
               "2 tensors are not in their files: 'x' (");
  refuse_index("{\"weight_map\": {\"a\": 1}}", "a string expected");
  tcc_text_destroy(&one);
  tcc_text_destroy(&two);
}

int main(void) {
  expect(mkdtemp(folder) != NULL, "a folder");
  refusals();
  files();
  static const char *const names[] = {"one.safetensors", "two.safetensors", "bad.index.json", "model.safetensors.index.json"};
  char path[512];
  for (size_t i = 0; i < 4; i++) snprintf(path, sizeof path, "%s/%s", folder, names[i]), unlink(path);
  rmdir(folder);
  return failures != 0;
}
