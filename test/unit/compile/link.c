/* The linker: calls between objects, constants, imported functions, what is missing or there twice, and objects with damaged
 * bytes, which must end in an error or in a shared object, never in a crash. The run-time's loader of what it makes, likewise. */
#include "lib/compile/artifact.h"
#include "lib/runtime/internal.h"
#include "lib/targets/x86/machine.h"
#include "tcc/codegen.h"
#include "tcc/file.h"
#include "tcc/plan.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const char part[] = "llvm.func hidden @half(%0: f32) -> f32 attributes {passthrough = [\"noinline\"]} {\n"
                           "%1 = llvm.mlir.constant(0.5 : f32) : f32\n"
                           "%2 = llvm.fmul %0, %1 : f32\n"
                           "llvm.return %2 : f32\n}\n";
static const char user[] = "llvm.func hidden @half(%0: f32) -> f32\n"
                           "llvm.func @quarter(%0: f32) -> f32 {\n"
                           "%1 = llvm.call @half(%0) : (f32) -> f32\n"
                           "%2 = llvm.call @half(%1) : (f32) -> f32\n"
                           "llvm.return %2 : f32\n}\n";
static const char caller[] = "llvm.func @abs(i32) -> i32\n"
                             "llvm.func @plus_one(%0: i32) -> i32 {\n"
                             "%1 = llvm.mlir.constant(1 : i32) : i32\n"
                             "%2 = llvm.call @abs(%0) : (i32) -> i32\n"
                             "%3 = llvm.add %2, %1 : i32\n"
                             "llvm.return %3 : i32\n}\n";

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void expect_error(TccStatus *status, const char *words) {
  expect(status && strstr(tcc_status_message(status), words), words);
  tcc_status_destroy(status);
}

static TccText make(const char *text) {
  TccMachine machine;
  TccText object = {0};
  expect(!tcc_x86_machine((TccStr){0}, &machine), "this machine");
  TccStatus *status = tcc_codegen_object(&machine, &(TccLlvm){.text = tcc_str(text)}, false, &object);
  expect(!status, "code generation");
  tcc_status_destroy(status);
  return object;
}

static void *symbol(void *handle, const char *name) { return handle ? dlsym(handle, name) : NULL; }

static void runs(const TccStr *objects, TccStr plan) {
  TccText out = {0};
  TccStatus *status = tcc_artifact_link(objects, 3, plan, true, &out);
  char path[] = "/tmp/tcc-link-XXXXXX";
  int file = mkstemp(path);
  expect(file >= 0 && close(file) == 0, "a temporary file");
  expect(!status && !tcc_file_write(path, out.data, out.length), "link");
  tcc_status_destroy(status);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  expect(handle, "load");
  if (!handle) printf("%s\n", dlerror());
  float (*quarter)(float);
  int (*plus_one)(int);
  *(void **)&quarter = symbol(handle, "quarter");
  *(void **)&plus_one = symbol(handle, "plus_one");
  const void *data = symbol(handle, TCC_PLAN_SYMBOL);
  expect(quarter && quarter(8) == 2, "a call into another object");
  expect(plus_one && plus_one(-41) == 42, "a call of libc");
  expect(data && (uintptr_t)data % 64 == 0 && memcmp(data, plan.data, plan.length) == 0, "the plan");
  expect(!symbol(handle, "half"), "a hidden symbol stays inside");
  tcc_text_destroy(&out);
}

static void damaged(const TccStr *objects, TccStr plan) {
  for (size_t n = 0; n < 3; n++) {
    TccText copy = {0};
    tcc_text_put(&copy, objects[n].data, objects[n].length);
    TccStr given[3] = {objects[0], objects[1], objects[2]};
    for (size_t i = 0; i < copy.length; i++) {
      static const unsigned char values[] = {0x00, 0x7f, 0x80, 0xff};
      for (size_t v = 0; v < sizeof values; v++) {
        char saved = copy.data[i];
        copy.data[i] = (char)values[v];
        given[n] = tcc_text_str(&copy);
        TccText out = {0};
        tcc_status_destroy(tcc_artifact_link(given, 3, plan, true, &out));
        tcc_text_destroy(&out);
        copy.data[i] = saved;
      }
    }
    for (size_t length = 0; length < copy.length; length++) { /* cut short */
      given[n] = (TccStr){copy.data, length};
      TccText out = {0};
      tcc_status_destroy(tcc_artifact_link(given, 3, plan, true, &out));
      tcc_text_destroy(&out);
    }
    tcc_text_destroy(&copy);
  }
}

/* ---- the loader ---- */
static TccStatus *load(TccStr file, TccImage *image) {
  int fd = memfd_create("link", MFD_CLOEXEC);
  expect(fd >= 0 && write(fd, file.data, file.length) == (ssize_t)file.length, "a memfd");
  TccStatus *status = tcc_image_open(fd, file.data, file.length, image);
  close(fd);
  return status;
}

static void loads(const TccStr *objects, TccStr plan) {
  TccText out = {0};
  TccImage image, second;
  size_t bytes = 0;
  TccStatus *status = tcc_artifact_link(objects, 3, plan, true, &out);
  if (!status) status = load(tcc_text_str(&out), &image);
  if (!status) status = tcc_image_open(-1, out.data, out.length, &second);
  expect(!status, "load");
  float (*quarter)(float);
  int (*plus_one)(int);
  *(void **)&quarter = tcc_image_function(&image, "quarter");
  *(void **)&plus_one = tcc_image_function(&image, "plus_one");
  const void *data = tcc_image_data(&image, TCC_PLAN_SYMBOL, &bytes);
  expect(tcc_image_function(&second, "quarter") != (void *)quarter, "each load is one of its own");
  *(void **)&plus_one = tcc_image_function(&second, "plus_one");
  expect(plus_one && plus_one(1) == 2, "a call in a copy");
  *(void **)&plus_one = tcc_image_function(&image, "plus_one");
  tcc_image_close(&second);
  expect(quarter && quarter(8) == 2 && plus_one && plus_one(-41) == 42, "calls");
  expect(data && (uintptr_t)data % 64 == 0 && bytes == plan.length && memcmp(data, plan.data, bytes) == 0, "the plan, loaded");
  expect(!tcc_image_function(&image, "half") && !tcc_image_function(&image, TCC_PLAN_SYMBOL) && !tcc_image_function(&image, "abs"),
         "what is no function of the artifact");
  tcc_image_close(&image);
  for (size_t length = 0; length < out.length; length += 61) { /* cut short */
    status = load((TccStr){out.data, length}, &image);
    tcc_image_close(&image);
    tcc_status_destroy(status);
  }
  for (size_t i = 0; i < out.length; i++) { /* code and the end of pages say nothing to the loader */
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0xff};
    if (i >= 2048 && i < out.length - 2048) continue;
    for (size_t v = 0; v < sizeof values; v++) {
      char saved = out.data[i];
      out.data[i] = (char)values[v];
      status = load(tcc_text_str(&out), &image);
      if (!status) tcc_image_function(&image, "quarter"), tcc_image_data(&image, TCC_PLAN_SYMBOL, &bytes);
      tcc_image_close(&image);
      tcc_status_destroy(status);
      out.data[i] = saved;
    }
  }
  tcc_text_destroy(&out);
}

/* What the C library's loader would run before anything else, or load besides. */
static void refuses(void) {
  TccImage image;
  TccFileMap map = {0};
  TccStatus *status = tcc_file_map("/proc/self/exe", &map);
  expect(!status && map.length > 4, "this program");
  tcc_status_destroy(status);
  expect_error(load((TccStr){map.data, map.length}, &image), "not made by tcc-compile");
  tcc_file_unmap(&map);
}

int main(void) {
  TccText made[3] = {make(part), make(user), make(caller)}, out = {0};
  TccStr objects[4] = {tcc_text_str(&made[0]), tcc_text_str(&made[1]), tcc_text_str(&made[2]), tcc_text_str(&made[0])};
  TccStr plan = tcc_str("what a plan would be");
  runs(objects, plan);
  expect_error(tcc_artifact_link(objects, 3, plan, false, &out), "'abs' is not defined");
  expect_error(tcc_artifact_link(objects + 1, 1, plan, false, &out), "'half' is not defined");
  expect_error(tcc_artifact_link(objects, 4, plan, true, &out), "'half' is defined twice");
  damaged(objects, plan);
  loads(objects, plan);
  refuses();
  tcc_text_destroy(&out);
  for (int i = 0; i < 3; i++) tcc_text_destroy(&made[i]);
  if (!failures) printf("ok\n");
  return failures != 0;
}
