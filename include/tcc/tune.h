/* tune.h - schedules that were measured: the database of records, and the measuring.
 *
 * A record belongs to one kernel by the digest of its content, to the target, machine, emitter version and number of
 * threads that it was measured for, and to the sizes it was measured with. It is one SQLite file; each measurement is a
 * transaction, so that a kill loses at most the one that was running, and several processes may use the file at once
 * (write-ahead log, busy timeout). A damaged file or one of another program is TCC_INVALID and stays as it is. */
#ifndef TCC_TUNE_H
#define TCC_TUNE_H
#include "tcc/base.h"

enum { TCC_RECORDS_SCHEMA = 2 }; /* of the tables; a file of another one is TCC_INCOMPATIBLE */

typedef struct TccRecords TccRecords;
typedef struct {
  const char *digest, *target;
  const char *machine; /* CPU, or device; NULL: any, of which the record that was finished last is found */
  const char *emitter; /* with its version: "x86.contract/2" */
  unsigned threads;    /* 0: of a device */
} TccRecordKey;
typedef struct {
  TccRecordKey key;
  const char *sizes;                            /* of dynamic dimensions: "B=1 S=128" */
  const char *name, *shape;                     /* for tables: "dot_general_add", "128x768x3072 f32" */
  const char *default_schedule, *best_schedule; /* best: "" while not finished */
  double default_ms, best_ms;                   /* negative: not measured */
  int64_t candidates;                           /* schedules that were looked at */
  int64_t lost;                                 /* of these, so many that have no time, and why one of them has none; "" */
  const char *lost_why;
  bool finished;
} TccRecord;

/* Where records are: $TCC_TUNE_DB, else tune-SCHEMA.db in the cache directory; heap, NULL if there is no place. */
TCC_EXPORT char *tcc_records_place(void);
/* Appends "records: DIGEST" to the key of a compiled model, if anything was found that differs from the default. */
TCC_EXPORT void tcc_records_key(TccText *key);
/* create false: *out is NULL where the file does not exist, or is empty: another process makes it. */
TCC_EXPORT TccStatus *tcc_records_open(const char *path, bool create, TccRecords **out) TCC_CHECKED;
TCC_EXPORT void tcc_records_close(TccRecords *records);
TCC_EXPORT const char *tcc_records_path(const TccRecords *records);
/* Whether anything was found that differs from the default: else no kernel need be looked for. */
TCC_EXPORT TccStatus *tcc_records_has_findings(TccRecords *records, bool *out_has) TCC_CHECKED;
/* Appends the schedule that was best for the kernel, of the sizes that were measured last. *out_found: false if there is no
 * record, or the heuristic's choice was best. */
TCC_EXPORT TccStatus *tcc_records_find(TccRecords *records, const TccRecordKey *key, TccText *out_schedule,
                                       bool *out_found) TCC_CHECKED;
/* All records, ordered by machine, target, threads, shape. What visit gets is borrowed. */
TCC_EXPORT TccStatus *tcc_records_visit(TccRecords *records, void (*visit)(const TccRecord *record, void *user),
                                        void *user) TCC_CHECKED;
/* Adds what another database has: of a kernel that both have finished, the faster schedule. */
TCC_EXPORT TccStatus *tcc_records_merge(TccRecords *records, const char *other) TCC_CHECKED;

/* ---- while tuning ---- */
/* Finds or makes the record of a kernel; fills id, finished and best_schedule (heap text, "" if not finished). */
TCC_EXPORT TccStatus *tcc_records_begin(TccRecords *records, const TccRecord *record, int64_t *out_id,
                                        bool *out_finished) TCC_CHECKED;
/* A measurement: milliseconds, and how long it took of what the heuristic's choice took beside it; or a ratio below zero and a
 * note of what went wrong. */
typedef struct {
  double ms, ratio;
  const char *note;
} TccRecordTime;
TCC_EXPORT TccStatus *tcc_records_put(TccRecords *records, int64_t id, int round, const char *schedule,
                                      const TccRecordTime *time) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_records_get(TccRecords *records, int64_t id, int round, const char *schedule, TccRecordTime *out,
                                      bool *out_found) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_records_finish(TccRecords *records, int64_t id, const char *best, double best_ms,
                                         double default_ms) TCC_CHECKED;
#endif
