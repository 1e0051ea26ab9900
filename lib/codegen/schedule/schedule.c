/* schedule.c - see schedule.h. */
#include "tcc/schedule.h"
#include <assert.h>
#include <inttypes.h>

static void names_text(const TccScheduleNames *names, TccText *out) {
  for (size_t i = 0; i < names->count; i++) tcc_text_printf(out, "%s%s", i ? ", " : "", names->name[i]);
}

static TccStatus *unknown(const TccScheduleNames *names, TccStr name) {
  TccText known = {0};
  names_text(names, &known);
  TccStatus *status =
      TCC_ERROR(TCC_INVALID, "a schedule of %s has no '%.*s' (it has %s)", names->emitter, TCC_STR_ARG(name), known.data);
  tcc_text_destroy(&known);
  return status;
}

static TccStatus *set(const TccScheduleNames *names, TccStr name, bool is_number, int64_t value, TccSchedule *out) {
  size_t i = 0;
  while (i < names->count && !tcc_str_is(name, names->name[i])) i++;
  if (i == names->count) return unknown(names, name);
  if (!is_number || value < 1)
    return TCC_ERROR(TCC_INVALID, "'%s' in a schedule of %s is no positive integer", names->name[i], names->emitter);
  out->param[i].value = value;
  return NULL;
}

static void start(const TccScheduleNames *names, TccSchedule *out) {
  assert(names->count <= TCC_SCHEDULE_PARAMS);
  *out = (TccSchedule){.count = names->count};
  for (size_t i = 0; i < names->count; i++) out->param[i].name = names->name[i];
}

static TccStatus *finish(const TccScheduleNames *names, const TccSchedule *s) {
  for (size_t i = 0; i < s->count; i++)
    if (!s->param[i].value) return TCC_ERROR(TCC_INVALID, "a schedule of %s lacks '%s'", names->emitter, names->name[i]);
  return NULL;
}

static TccStatus *read_dictionary(MlirAttribute dictionary, const TccScheduleNames *names, TccSchedule *out) {
  start(names, out);
  if (!mlirAttributeIsADictionary(dictionary)) return TCC_ERROR(TCC_INVALID, "a schedule is a dictionary of integers");
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(dictionary); i++) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(dictionary, i);
    MlirStringRef name = mlirIdentifierStr(entry.name);
    bool number = mlirAttributeIsAInteger(entry.attribute) && mlirTypeIsAInteger(mlirAttributeGetType(entry.attribute)) &&
                  mlirIntegerTypeGetWidth(mlirAttributeGetType(entry.attribute)) == 64 &&
                  mlirIntegerTypeIsSignless(mlirAttributeGetType(entry.attribute));
    TCC_TRY(set(names, (TccStr){name.data, name.length}, number, number ? mlirIntegerAttrGetValueInt(entry.attribute) : 0, out));
  }
  return finish(names, out);
}

TccStatus *tcc_schedule_read(MlirOperation kernel, const TccScheduleNames *names, TccSchedule *out) {
  MlirAttribute attribute = mlirOperationGetAttributeByName(kernel, mlirStringRefCreateFromCString("tcc.schedule"));
  *out = (TccSchedule){0};
  return mlirAttributeIsNull(attribute) ? NULL : tcc_status_context(read_dictionary(attribute, names, out), "tcc.schedule");
}

static TccStr word(TccStr *rest, const char *stop) {
  size_t from = 0, to;
  while (from < rest->length && rest->data[from] == ' ') from++;
  for (to = from; to < rest->length && !strchr(stop, rest->data[to]);) to++;
  TccStr out = {rest->data + from, to - from};
  while (out.length && out.data[out.length - 1] == ' ') out.length--;
  to += to < rest->length;
  *rest = (TccStr){rest->data + to, rest->length - to};
  return out;
}

TccStatus *tcc_schedule_parse(TccStr text, const TccScheduleNames *names, TccSchedule *out) {
  start(names, out);
  while (text.length) {
    TccStr name = word(&text, "="), digits = word(&text, ",");
    int64_t value = 0;
    bool number = digits.length > 0 && digits.length < 18;
    for (size_t i = 0; number && i < digits.length; i++) {
      number = digits.data[i] >= '0' && digits.data[i] <= '9';
      value = value * 10 + (digits.data[i] - '0');
    }
    TCC_TRY(set(names, name, number, value, out));
  }
  return finish(names, out);
}

MlirAttribute tcc_schedule_attr(TccIr *ir, const TccSchedule *s) {
  MlirNamedAttribute entries[TCC_SCHEDULE_PARAMS];
  for (size_t i = 0; i < s->count; i++)
    entries[i] = mlirNamedAttributeGet(mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString(s->param[i].name)),
                                       tcc_attr_i64(ir, s->param[i].value));
  return mlirDictionaryAttrGet(ir->context, (intptr_t)s->count, entries);
}

void tcc_schedule_text(const TccSchedule *s, TccText *out) {
  for (size_t i = 0; i < s->count; i++) tcc_text_printf(out, "%s%s = %" PRId64, i ? ", " : "", s->param[i].name, s->param[i].value);
}

int64_t tcc_schedule_get(const TccSchedule *s, const char *name) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->param[i].name, name) == 0) return s->param[i].value;
  assert(!"a parameter of this emitter");
  return 0;
}

int64_t tcc_schedule_vectors(MlirOperation kernel, const TccScheduleNames *names, int64_t most) {
  TccSchedule s;
  TccStatus *status = tcc_schedule_read(kernel, names, &s); /* said when the kernel is emitted */
  int64_t vectors = !status && s.count ? tcc_schedule_get(&s, "vectors") : 0;
  tcc_status_destroy(status);
  return vectors > most ? 0 : vectors;
}

bool tcc_schedule_equal(const TccSchedule *a, const TccSchedule *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->param[i].value != b->param[i].value) return false;
  return true;
}
