/* What is read of a model's files: ranges that are taken are noted once, what is looked at is not, pages are let go of, and files that are written to in place
 * are found out. */
#include "tcc/onnx.h"
#include "tcc/wire.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGES = 3 };
static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static TccOnnxTensor outside(TccElem elem, const char *name, uint64_t offset, size_t bytes) {
  TccOnnxTensor tensor = {
      .name = tcc_str(name), .elem = elem, .count = tcc_elem_bits(elem) ? bytes * 8 / tcc_elem_bits(elem) : bytes};
  tensor.bytes = bytes;
  tensor.data = TCC_ONNX_DATA_EXTERNAL;
  tensor.external.location = tcc_str("w.bin");
  tensor.external.offset = offset;
  return tensor;
}

static void write_at(const char *path, off_t at, char byte) {
  int fd = open(path, O_WRONLY);
  if (fd < 0 || pwrite(fd, &byte, 1, at) != 1) abort();
  close(fd);
}

/* How many pages of a mapping the process has, by proc_pid_pagemap(5), where the system tells; else what is expected. */
static int pages_there(const TccFileMap *map, int expected) {
  uint64_t page[PAGES];
  int fd = open("/proc/self/pagemap", O_RDONLY), there = 0;
  if (fd < 0) return expected;
  if (pread(fd, page, sizeof page, (off_t)((uintptr_t)map->data / 4096 * sizeof *page)) != sizeof page) abort();
  close(fd);
  for (int i = 0; i < PAGES; i++) there += page[i] >> 63;
  return there;
}

int main(void) {
  char folder[] = "/tmp/tcc-onnx-files-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  static const char bytes[PAGES * 4096];
  TccStatus *status = tcc_file_write_quickly("w.bin", bytes, sizeof bytes);
  if (!status) status = tcc_file_write_quickly("model.onnx", "\xff no message, which this does not ask", 30);
  TccSources *files = NULL;
  if (!status) status = tcc_sources_open("model.onnx", NULL, &files);
  if (status) abort();
  TccArena *arena = tcc_arena_create();
  TccOnnxTensor a = outside(TCC_ELEM_F32, "a", 0, 100), b = outside(TCC_ELEM_F32, "b", 100, 100),
                c = outside(TCC_ELEM_BOOL, "c", 200, 50);
  const TccOnnxTensor *const tensors[] = {&a, &b, &c};
  TccSourcePlace places[3];
  size_t count;
  for (int i = 0; i < 3; i++) expect(!tcc_onnx_locate(files, arena, tensors[i], &places[i]) && places[i].file == 1, "located");
  expect(tcc_sources_count(files) == 2 && strcmp(tcc_sources_name(files, 1), "w.bin") == 0, "files");
  const TccFileMap *map = tcc_sources_file(files, 1);
  for (int i = 0; i < PAGES; i++) expect(((const volatile char *)map->data)[4096 * i] == 0, "what is in the file");
  expect(pages_there(map, PAGES) == PAGES, "pages that were read");
  tcc_sources_drop_pages(files);
  expect(pages_there(map, 0) == 0, "no pages");
  expect(((const volatile char *)map->data)[4096] == 0, "they are read again");
  tcc_sources_peek(files, &places[0]);
  tcc_sources_reads(files, &count);
  expect(count == 0, "finding and looking is no reading");
  tcc_sources_take(files, b.name, b.elem, &places[1]);
  tcc_sources_take(files, b.name, b.elem, &places[1]);
  tcc_sources_take(files, c.name, c.elem, &places[2]);
  const TccSourceRead *reads = tcc_sources_reads(files, &count);
  expect(count == 2 && reads[0].offset == 100 && reads[0].length == 100 && tcc_str_is(reads[0].name, "b") && reads[1].offset == 200,
         "each range once");
  expect(!tcc_sources_changed(files), "unchanged");
  write_at("w.bin", 7, 1);
  expect(!tcc_sources_changed(files), "what was not read may change");
  write_at("w.bin", 110, 1);
  const char *changed = tcc_sources_changed(files);
  expect(changed && strcmp(changed, "w.bin") == 0, "what was read has changed");
  write_at("w.bin", 110, 0);
  write_at("w.bin", 210, 2);
  expect(*((const char *)tcc_sources_take(files, c.name, c.elem, &places[2]) + 10) == 1, "a bool is 0 or 1");
  write_at("w.bin", 210, 0);
  write_at("model.onnx", 3, 'N');
  changed = tcc_sources_changed(files);
  expect(changed && strcmp(changed, "model.onnx") == 0, "the model has changed");
  tcc_sources_close(files);
  tcc_arena_destroy(arena);
  unlink("w.bin");
  unlink("model.onnx");
  if (chdir("/") == 0) rmdir(folder);
  return failures != 0;
}
