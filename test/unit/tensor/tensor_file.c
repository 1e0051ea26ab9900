/* .npy and TensorProto files: what is written is read, what is damaged or ambiguous is refused. */
#include "tcc/tensor.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (!ok) printf("failed: %s\n", what), failures++;
}

static TccStatus *parse_npy(const char *header, int version, const void *data, size_t bytes, TccHostTensor **out) {
  TccText text = {0};
  size_t length = strlen(header);
  char start[12] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', (char)version, 0, (char)length, (char)(length >> 8), 0, 0};
  tcc_text_put(&text, start, version == 1 ? 10 : 12);
  tcc_text_put(&text, header, length);
  tcc_text_put(&text, data, bytes);
  TccStatus *status = tcc_host_tensor_parse_npy(text.data, text.length, out);
  tcc_text_destroy(&text);
  return status;
}

static void npy_refused(const char *header, int version, const char *message) {
  TccHostTensor *tensor;
  TccStatus *status = parse_npy(header, version, "12345678", 8, &tensor);
  if (!status || tensor || !strstr(tcc_status_message(status), message))
    printf("npy: got '%s', want '%s'\n", status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
}

static void proto_refused(const char *bytes, size_t length, const char *message) {
  TccHostTensor *tensor;
  TccStatus *status = tcc_host_tensor_parse_proto(bytes, length, &tensor);
  if (!status || tensor || !strstr(tcc_status_message(status), message))
    printf("proto: got '%s', want '%s'\n", status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
}
#define PROTO_REFUSED(bytes, message) proto_refused(bytes, sizeof bytes - 1, message)

/* Strings are as wide as the widest; what a wider result has behind it must be zeros. */
static void text_is_read(void) {
  TccHostTensor *text, *other = NULL;
  const TccTolerance exact = {.rmse_limit = -1};
  const int64_t dims[] = {2, 3};
  const char *bytes = "\x08\x02\x10\x08\x32\x01"
                      "a\x32\x02"
                      "bc";
  TccStatus *status = tcc_host_tensor_parse_proto(bytes, strlen(bytes), &text);
  expect(!status && text->is_text && text->rank == 2 && text->dims[1] == 2 && !memcmp(text->data, "a\0bc", 4), "strings");
  if (!status) status = tcc_host_tensor_create(TCC_ELEM_U8, 2, dims, &other);
  if (!status) {
    memcpy(other->data, "a\0\0bc", 5);
    status = tcc_host_tensor_compare(other, text, &exact);
    expect(!status, "strings in more bytes");
    ((char *)other->data)[5] = 'd';
    TccStatus *differs = tcc_host_tensor_compare(other, text, &exact);
    expect(differs != NULL, "a longer string");
    tcc_status_destroy(differs);
  }
  tcc_status_destroy(status);
  tcc_host_tensor_destroy(text);
  tcc_host_tensor_destroy(other);
}

/* A field with a ui8 of one element, 7, and a sequence of it. */
#define ONE_FIELD "\x1a\x07\x08\x01\x10\x02\x2a\x01\x07"
#define ONE "\x0a\x01l\x10\x01" ONE_FIELD

/* digits: of the elements, one a tensor; NULL: it is no list. */
static void list_holds(const char *bytes, size_t length, const char *digits) {
  TccHostTensors list = {0};
  TccText found = {0};
  TccStatus *status = tcc_host_tensors_parse(bytes, length, &list);
  tcc_text_put(&found, "", 0);
  for (size_t i = 0; i < list.count; i++)
    tcc_text_printf(&found, "%d", (int)tcc_elem_load_i64(TCC_ELEM_U8, list.tensors[i]->data, 0));
  if (!status != (digits != NULL) || (digits && (strcmp(found.data, digits) || list.lengths[0] != (int64_t)strlen(digits))))
    printf("list: got '%s' '%s', want '%s'\n", status ? tcc_status_message(status) : "", found.data, digits ? digits : "an error"),
        failures++;
  tcc_status_destroy(status);
  tcc_host_tensors_clear(&list);
  tcc_text_destroy(&found);
}

static void write_and_read(void) {
  char path[] = "/tmp/tcc-tensor-XXXXXX.npy";
  int fd = mkstemps(path, 4);
  TccHostTensor *tensor, *again;
  const TccTolerance exact = {.rmse_limit = -1};
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++) {
    const int64_t dims[] = {2, 3};
    if (tcc_elem_bits((TccElem)elem) < 8) continue;
    TccStatus *status = tcc_host_tensor_create((TccElem)elem, 2, dims, &tensor);
    for (size_t i = 0; !status && i < tensor->count; i++) tcc_elem_store_i64(tensor->elem, tensor->data, i, (int64_t)i);
    if (!status) status = tcc_host_tensor_write_npy(tensor, path);
    if (!status) status = tcc_host_tensor_read(path, &again);
    if (!status && *tcc_elem_numpy((TccElem)elem)) status = tcc_host_tensor_compare(again, tensor, &exact);
    else if (!status)
      expect(again->bytes == tensor->bytes && !memcmp(again->data, tensor->data, tensor->bytes),
             "the bits of a type that NumPy lacks");
    if (status) printf("%s: %s\n", tcc_elem_name((TccElem)elem), tcc_status_message(status)), failures++;
    tcc_status_destroy(status);
    tcc_host_tensor_destroy(tensor);
    tcc_host_tensor_destroy(again);
  }
  close(fd);
  unlink(path);
}

int main(void) {
  write_and_read();
  TccHostTensor *tensor;
  static const int16_t fortran[] = {1, 4, 2, 5, 3, 6};
  for (int version = 1; version <= 3; version++) {
    expect(!parse_npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n", version, fortran, sizeof fortran, &tensor),
           "Fortran order");
    for (int i = 0; i < 6; i++) expect(((const int16_t *)tensor->data)[i] == i + 1, "transposed to row-major");
    tcc_host_tensor_destroy(tensor);
  }
  expect(!parse_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 1, "\0\1\5", 3, &tensor) &&
             !memcmp(tensor->data, "\0\1\1", 3),
         "bool is 0 or 1");
  tcc_host_tensor_destroy(tensor);
  npy_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (5,), }", 1, "8 bytes");
  npy_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (-1,), }", 1, "'-'");
  npy_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999,), }", 1, "do not fill");
  npy_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 1, "do not fill");
  npy_refused("{'descr': '>i2', 'fortran_order': False, 'shape': (4,), }", 1, "element type");
  npy_refused("{'descr': '|O', 'fortran_order': False, 'shape': (4,), }", 1, "element type");
  npy_refused("{'descr': '<i2', 'shape': (4,), }", 1, "lacks");
  npy_refused("{'descr': '<i2', 'fortran_order': False, 'shape': (4,), }", 4, "no NumPy file");
  npy_refused("", 1, "lacks");
  PROTO_REFUSED("", "element type 0");
  PROTO_REFUSED("\x08\x02\x10\x01\x4a\x07"
                "1234567",
                "raw_data has 7 bytes");
  PROTO_REFUSED("\x08\x01\x10\x01\x4a\x04"
                "1234"
                "\x22\x04"
                "1234",
                "two ways");
  PROTO_REFUSED("\x08\x01\x10\x01\x28\x05", "not in the field for its type");
  PROTO_REFUSED("\x08\x02\x10\x06\x28\x05", "fewer numbers");
  PROTO_REFUSED("\x10\x02\x28\x80\x02", "256, is not a value of ui8");
  PROTO_REFUSED("\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x10\x01", "do not fill");
  PROTO_REFUSED("\x1a\x00", "segments");
  PROTO_REFUSED("\x08\x02\x10\x08\x32\x01"
                "a",
                "1 strings, its dims ask for 2");
  PROTO_REFUSED("\x10\x01\x32\x01"
                "a",
                "strings in a TensorProto of numbers");
  PROTO_REFUSED("\x10\x08\x32\x02"
                "a\0",
                "zero byte");
  text_is_read();
  PROTO_REFUSED("\x4a\x7f", "longer than what it is in");
  list_holds("\x0a\x01l\x10\x01\x1a\x03\x10\x02\x2a\x01\x07", 0, NULL); /* cut: no list either */
  list_holds(ONE, sizeof ONE - 1, "7");
  list_holds("\x10\x01" ONE_FIELD ONE_FIELD, sizeof "\x10\x01" ONE_FIELD ONE_FIELD - 1, "77");
  list_holds("\x0a\x01o\x10\x03\x2a\x0b\x10\x01" ONE_FIELD, sizeof "\x0a\x01o\x10\x03\x2a\x0b\x10\x01" ONE_FIELD - 1, "7");
  list_holds("\x0a\x01o\x10\x00", 5, "");                                  /* an absent optional */
  list_holds("\x10\x01", 2, "");                                           /* an empty sequence */
  list_holds("\x0a\x01\x03\x10\x01", 5, NULL);                             /* a tensor of 3 floats that has none */
  list_holds("\x10\x03" ONE_FIELD, sizeof "\x10\x03" ONE_FIELD - 1, NULL); /* tensors in what says it has lists */
  TccStatus *status = tcc_host_tensor_read("/dev/zero", &tensor);
  expect(tcc_status_code(status) == TCC_INVALID, "a device");
  tcc_status_destroy(status);
  return failures != 0;
}
