/* select.c - one schedule for each kernel: a measured one if there is a record, else the heuristic's.
 *
 *   func @k3(...) {tcc.variants = [{kc = 256, ...}, ...]}  =>  func @k3(...) {tcc.schedule = {kc = 256, ...}}
 *
 * A single candidate is what the heuristic will choose anyway: without a record it needs no tcc.schedule.
 *
 * candidate=N takes the N-th candidate of each kernel where there is no record: so that a test meets what no heuristic would choose.
 *
 * Records come from the compilation (TccPassRun.records) or, for tcc-opt, from the file in the option records=FILE. They are
 * found by the content of the kernel (tcc/record_key.h). A record that the emitter would refuse is an error: someone has
 * changed the database.
 *
 * requires: variants. ensures: no tcc.variants. keeps: kernels without variants. */
#include "tcc/pass.h"
#include "tcc/plan.h"
#include "tcc/record_key.h"
#include "tcc/target.h"
#include <stdlib.h>

static TccStatus *from_records(TccPassRun *run, TccRecords *records, unsigned threads, MlirOperation func, TccSchedule *out) {
  void *read;
  const TccTunable *tunable = tcc_target_tunable(run->target, run->ir, func, &read);
  out->count = 0;
  if (!tunable) return NULL;
  TccRecordKey key = tcc_record_key(run->ir, run->target, tunable, func, threads);
  TccText text = {0};
  bool found;
  TccStatus *status = tcc_records_find(records, &key, &text, &found);
  if (!status && found) {
    status = tcc_schedule_parse(tcc_text_str(&text), &tunable->names, out);
    if (!status) status = tunable->check(read, out);
    status = tcc_status_context(status, "%s: the record of kernel %.12s: \"%s\"", tcc_records_path(records), key.digest, text.data);
  }
  tcc_text_destroy(&text);
  return status;
}

static MlirLogicalResult select_all(TccPassRun *run, MlirOperation module, TccRecords *records, unsigned threads) {
  int candidate = tcc_pass_number(run, "candidate");
  MlirStringRef variants = mlirStringRefCreateFromCString("tcc.variants"),
                schedule = mlirStringRefCreateFromCString("tcc.schedule");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_EACH_OP (func, body) {
    MlirAttribute all = mlirOperationGetAttributeByName(func, variants);
    if (mlirAttributeIsNull(all)) continue;
    if (!mlirAttributeIsAArray(all) || mlirArrayAttrGetNumElements(all) == 0)
      return tcc_error(func, "'tcc.variants' must be a list of schedules");
    intptr_t count = mlirArrayAttrGetNumElements(all);
    TccSchedule recorded = {0};
    TccStatus *status = records ? from_records(run, records, threads, func, &recorded) : NULL;
    if (status) return tcc_status_emit(status, mlirOperationGetLocation(func));
    if (recorded.count && run->explain) tcc_set_attribute(func, "tcc.recorded", mlirUnitAttrGet(run->ir->context));
    if (recorded.count) mlirOperationSetAttributeByName(func, schedule, tcc_schedule_attr(run->ir, &recorded));
    else if (count > 1)
      mlirOperationSetAttributeByName(func, schedule, mlirArrayAttrGetElement(all, candidate < count ? candidate : count - 1));
    mlirOperationRemoveAttributeByName(func, variants);
  }
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tcc_pass_select(TccPassRun *run, MlirOperation module) {
  TccStr path;
  if (run->tune && mlirLogicalResultIsFailure(run->tune(module, run->rest, run->user))) return mlirLogicalResultFailure();
  if (!tcc_pass_option(run, "records", &path) || !path.length)
    return select_all(run, module, run->records, run->threads ? run->threads : tcc_cpu_count());
  TccRecords *records;
  TccStatus *status = tcc_records_open(tcc_arena_copy(run->scratch, path.data, path.length), false, &records);
  if (!status && !records) status = TCC_ERROR(TCC_NOT_FOUND, "%.*s: No such file or directory", TCC_STR_ARG(path));
  if (status) return tcc_status_emit(status, mlirOperationGetLocation(module));
  int threads = tcc_pass_number(run, "threads");
  MlirLogicalResult result = select_all(run, module, records, threads > 0 ? (unsigned)threads : tcc_cpu_count());
  tcc_records_close(records);
  return result;
}
