/* records.c - tuning records in SQLite; see include/tcc/tune.h.
 *
 * Two tables: kernels, with what was found, and measurements, by round of the tournament. Beside the file stands a small
 * text, FILE-stamp: the digest of all findings that differ from the default. It is what the key of a compiled model
 * contains (lib/runtime/open.c reads it), so that a run that hits the cache does not open the database. */
#include "tcc/digest.h"
#include "tcc/file.h"
#include "tcc/record_key.h"
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION = 0x74636354, BUSY_MS = 10000 };

struct TccRecords {
  sqlite3 *db;
  char *path;
};

static const char schema[] =
    "CREATE TABLE kernel(id INTEGER PRIMARY KEY, digest TEXT NOT NULL, target TEXT NOT NULL, machine TEXT NOT NULL, emitter TEXT NOT NULL,"
    " threads INTEGER NOT NULL, sizes TEXT NOT NULL, name TEXT NOT NULL, shape TEXT NOT NULL, default_schedule TEXT NOT NULL,"
    " best_schedule TEXT, default_ms REAL, best_ms REAL, finished INTEGER NOT NULL DEFAULT 0,"
    " UNIQUE(digest, target, machine, emitter, threads, sizes));"
    "CREATE TABLE measurement(kernel INTEGER NOT NULL REFERENCES kernel(id) ON DELETE CASCADE, round INTEGER NOT NULL,"
    " schedule TEXT NOT NULL, ms REAL, ratio REAL, note TEXT NOT NULL, PRIMARY KEY(kernel, round, schedule)) WITHOUT ROWID;";

static TccStatus *failed(TccRecords *r, int code) {
  const char *message = r->db ? sqlite3_errmsg(r->db) : sqlite3_errstr(code);
  switch (code & 0xff) {
  case SQLITE_NOTADB:
  case SQLITE_CORRUPT:
  case SQLITE_ERROR:
  case SQLITE_MISMATCH:
    return TCC_ERROR(TCC_INVALID, "%s: no usable database of tuning records: %s: remove it, or name another one in TCC_TUNE_DB",
                     r->path, message);
  default: return TCC_ERROR(TCC_IO, "%s: %s", r->path, message);
  }
}

static TccStatus *run(TccRecords *r, const char *sql) {
  int code = sqlite3_exec(r->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? NULL : failed(r, code);
}

/* A statement with text parameters in order; NULL binds NULL. */
static TccStatus *prepare(TccRecords *r, sqlite3_stmt **out, const char *sql, int n, const char *const *texts) {
  int code = sqlite3_prepare_v2(r->db, sql, -1, out, NULL);
  for (int i = 0; code == SQLITE_OK && i < n; i++) code = sqlite3_bind_text(*out, i + 1, texts[i], -1, SQLITE_TRANSIENT);
  if (code == SQLITE_OK) return NULL;
  TccStatus *status = failed(r, code);
  sqlite3_finalize(*out);
  *out = NULL;
  return status;
}

/* Steps once; *out_row (may be NULL) says whether there is a row. */
static TccStatus *step(TccRecords *r, sqlite3_stmt *statement, bool *out_row) {
  int code = sqlite3_step(statement);
  if (out_row) *out_row = code == SQLITE_ROW;
  return code == SQLITE_ROW || code == SQLITE_DONE ? NULL : failed(r, code);
}

static const char *text_of(sqlite3_stmt *s, int column) {
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text ? text : "";
}

static double ms_of(sqlite3_stmt *s, int column) {
  return sqlite3_column_type(s, column) == SQLITE_NULL ? -1 : sqlite3_column_double(s, column);
}

static TccStatus *pragma(TccRecords *r, const char *sql, int64_t *out) {
  sqlite3_stmt *s;
  bool row;
  TCC_TRY(prepare(r, &s, sql, 0, NULL));
  TccStatus *status = step(r, s, &row);
  *out = !status && row ? sqlite3_column_int64(s, 0) : 0;
  sqlite3_finalize(s);
  return status;
}

/* ---- opening ---- */
/* Inside a transaction. *out_empty: another process is about to make it; create: it is made. */
static TccStatus *check_schema(TccRecords *r, bool create, bool *out_empty) {
  int64_t application, version, tables;
  TCC_TRY(pragma(r, "PRAGMA application_id", &application));
  TCC_TRY(pragma(r, "PRAGMA user_version", &version));
  TCC_TRY(pragma(r, "SELECT count(*) FROM sqlite_master", &tables));
  *out_empty = application == 0 && version == 0 && tables == 0;
  if (*out_empty && !create) return NULL;
  if (*out_empty) {
    TccText sql = {0};
    tcc_text_printf(&sql, "%sPRAGMA application_id = %d; PRAGMA user_version = %d;", schema, APPLICATION, TCC_RECORDS_SCHEMA);
    TccStatus *status = run(r, sql.data);
    tcc_text_destroy(&sql);
    return status;
  }
  if (application != APPLICATION) return TCC_ERROR(TCC_INVALID, "%s: the database of another program", r->path);
  if (version != TCC_RECORDS_SCHEMA)
    return TCC_ERROR(TCC_INCOMPATIBLE, "%s: tuning records of another version of tcc (%lld, not %d)", r->path, (long long)version,
                     TCC_RECORDS_SCHEMA);
  return NULL;
}

/* Opens a database as a file that nobody writes, without a file beside it for readers to agree by. Each byte that is no letter or digit is written as a
 * number: a path may begin with //, which would name a host. */
static int open_unchanging(TccRecords *r) {
  TccText uri = {0};
  tcc_text_printf(&uri, "file:");
  for (const unsigned char *c = (const unsigned char *)r->path; *c; c++) tcc_text_printf(&uri, isalnum(*c) ? "%c" : "%%%02X", *c);
  tcc_text_printf(&uri, "?immutable=1");
  sqlite3_close(r->db);
  int code = sqlite3_open_v2(uri.data, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
  tcc_text_destroy(&uri);
  return code;
}

/* Whether a log beside the database has changes that are not in it yet. */
static bool has_log(const TccRecords *r) {
  TccText log = {0};
  struct stat found;
  tcc_text_printf(&log, "%s-wal", r->path);
  bool has = stat(log.data, &found) == 0 && found.st_size > 0;
  tcc_text_destroy(&log);
  return has;
}

static int open_shared(TccRecords *r, int flags) {
  int code = sqlite3_open_v2(r->path, &r->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags, NULL);
  if (code == SQLITE_OK) sqlite3_busy_timeout(r->db, BUSY_MS);
  return code;
}

/* For a reader: on a disk that is full or cannot be written SQLite makes no file beside a database. Where no log waits to be read, none is needed. */
static int open_to_read(TccRecords *r) {
  int code = open_shared(r, 0);
  if (code == SQLITE_OK) code = sqlite3_exec(r->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
  bool unwritable = code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
  return unwritable && !has_log(r) ? open_unchanging(r) : code;
}

TccStatus *tcc_records_open(const char *path, bool create, TccRecords **out) {
  *out = NULL;
  struct stat found;
  if (!create && access(path, F_OK) != 0) return NULL;
  if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
    return TCC_ERROR(TCC_INVALID, "%s: a folder, and no database of tuning records: name a file in TCC_TUNE_DB", path);
  TccArena *arena = tcc_arena_create();
  const char *folder = tcc_path_directory(arena, path);
  TccStatus *status = create && *folder ? tcc_directory_make(folder) : NULL;
  tcc_arena_destroy(arena);
  if (status) return status;
  TccRecords *r = calloc(1, sizeof *r);
  if (!r || !(r->path = strdup(path))) {
    free(r);
    return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  }
  int code = create ? open_shared(r, SQLITE_OPEN_CREATE) : open_to_read(r);
  bool empty = false;
  if (code != SQLITE_OK) TCC_GOTO(failed(r, code));
  if (create) TCC_GOTO(run(r, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON"));
  TCC_GOTO(run(r, create ? "BEGIN IMMEDIATE" : "BEGIN"));
  TCC_GOTO(check_schema(r, create, &empty));
  TCC_GOTO(run(r, "COMMIT"));
  if (create || !empty) *out = r;
done:
  if (!*out) tcc_records_close(r);
  return status;
}

void tcc_records_close(TccRecords *records) {
  if (!records) return;
  sqlite3_close(records->db);
  free(records->path);
  free(records);
}

const char *tcc_records_path(const TccRecords *records) { return records->path; }

/* ---- reading ---- */
TccStatus *tcc_records_has_findings(TccRecords *r, bool *out_has) {
  sqlite3_stmt *s;
  TCC_TRY(prepare(r, &s, "SELECT 1 FROM kernel WHERE finished > 0 AND best_schedule <> default_schedule LIMIT 1", 0, NULL));
  TccStatus *status = step(r, s, out_has);
  sqlite3_finalize(s);
  return status;
}

TccStatus *tcc_records_find(TccRecords *r, const TccRecordKey *key, TccText *out, bool *out_found) {
  sqlite3_stmt *s;
  const char *texts[] = {key->digest, key->target, key->machine, key->emitter};
  *out_found = false;
  TCC_TRY(prepare(
      r, &s,
      "SELECT best_schedule, best_schedule <> default_schedule FROM kernel WHERE digest = ? AND target = ? AND (?3 IS NULL OR machine = ?3) AND"
      " emitter = ?4 AND threads = ?5 AND finished > 0 ORDER BY finished DESC LIMIT 1",
      4, texts));
  sqlite3_bind_int64(s, 5, key->threads);
  TccStatus *status = step(r, s, out_found);
  *out_found = *out_found && sqlite3_column_int64(s, 1); /* where the heuristic won, it stays the heuristic, even if it changes */
  if (!status && *out_found) tcc_text_printf(out, "%s", text_of(s, 0));
  sqlite3_finalize(s);
  return status;
}

TccStatus *tcc_records_visit(TccRecords *r, void (*visit)(const TccRecord *record, void *user), void *user) {
  sqlite3_stmt *s;
  TCC_TRY(prepare(
      r, &s,
      "SELECT digest, target, machine, emitter, threads, sizes, name, shape, default_schedule, best_schedule, default_ms, best_ms,"
      " finished, (SELECT count(DISTINCT schedule) FROM measurement WHERE kernel = id),"
      " (SELECT count(DISTINCT schedule) FROM measurement WHERE kernel = id AND ratio IS NULL),"
      " (SELECT note FROM measurement WHERE kernel = id AND ratio IS NULL ORDER BY schedule LIMIT 1) FROM kernel"
      " ORDER BY machine, target, threads, shape, name, sizes, digest",
      0, NULL));
  TccStatus *status;
  for (bool row = true; !(status = step(r, s, &row)) && row;) {
    TccRecord record = {.key = {text_of(s, 0), text_of(s, 1), text_of(s, 2), text_of(s, 3), (unsigned)sqlite3_column_int64(s, 4)},
                        .sizes = text_of(s, 5),
                        .name = text_of(s, 6),
                        .shape = text_of(s, 7),
                        .default_schedule = text_of(s, 8),
                        .best_schedule = text_of(s, 9),
                        .default_ms = ms_of(s, 10),
                        .best_ms = ms_of(s, 11),
                        .finished = sqlite3_column_int64(s, 12) > 0,
                        .candidates = sqlite3_column_int64(s, 13),
                        .lost = sqlite3_column_int64(s, 14),
                        .lost_why = text_of(s, 15)};
    visit(&record, user);
  }
  sqlite3_finalize(s);
  return status;
}

/* ---- writing ---- */
static TccStatus *find_kernel(TccRecords *r, const TccRecord *record, bool *out_found, int64_t *out_id, bool *out_finished) {
  const TccRecordKey *key = &record->key;
  const char *texts[] = {key->digest, key->target, key->machine, key->emitter, record->sizes};
  sqlite3_stmt *s;
  *out_id = 0, *out_finished = false;
  TCC_TRY(prepare(r, &s,
                  "SELECT id, finished FROM kernel WHERE digest = ? AND target = ? AND machine = ? AND emitter = ? AND sizes = ?"
                  " AND threads = ?6",
                  5, texts));
  sqlite3_bind_int64(s, 6, key->threads);
  TccStatus *status = step(r, s, out_found);
  if (!status && *out_found) *out_id = sqlite3_column_int64(s, 0), *out_finished = sqlite3_column_int64(s, 1) > 0;
  sqlite3_finalize(s);
  return status;
}

/* Looks before it writes: what has been measured takes no transaction. */
TccStatus *tcc_records_begin(TccRecords *r, const TccRecord *record, int64_t *out_id, bool *out_finished) {
  const TccRecordKey *key = &record->key;
  const char *texts[] = {key->digest,   key->target,  key->machine,  key->emitter,
                         record->sizes, record->name, record->shape, record->default_schedule};
  sqlite3_stmt *s;
  bool found;
  TCC_TRY(find_kernel(r, record, &found, out_id, out_finished));
  if (found) return NULL;
  TCC_TRY(prepare(r, &s,
                  "INSERT INTO kernel(digest, target, machine, emitter, sizes, name, shape, default_schedule, threads)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?9) ON CONFLICT DO NOTHING",
                  8, texts));
  sqlite3_bind_int64(s, 9, key->threads);
  TccStatus *status = step(r, s, NULL);
  sqlite3_finalize(s);
  return status ? status : find_kernel(r, record, &found, out_id, out_finished);
}

TccStatus *tcc_records_put(TccRecords *r, int64_t id, int round, const char *schedule, const TccRecordTime *time) {
  const char *texts[] = {schedule, time->note};
  sqlite3_stmt *s;
  TCC_TRY(prepare(r, &s,
                  "INSERT OR REPLACE INTO measurement(schedule, note, kernel, round, ms, ratio) VALUES(?, ?, ?3, ?4, ?5, ?6)", 2,
                  texts));
  sqlite3_bind_int64(s, 3, id);
  sqlite3_bind_int(s, 4, round);
  if (time->ratio >= 0) {
    sqlite3_bind_double(s, 5, time->ms);
    sqlite3_bind_double(s, 6, time->ratio);
  }
  TccStatus *status = step(r, s, NULL);
  sqlite3_finalize(s);
  return status;
}

TccStatus *tcc_records_get(TccRecords *r, int64_t id, int round, const char *schedule, TccRecordTime *out, bool *out_found) {
  sqlite3_stmt *s;
  *out_found = false;
  TCC_TRY(prepare(r, &s, "SELECT ms, ratio FROM measurement WHERE schedule = ? AND kernel = ?2 AND round = ?3", 1, &schedule));
  sqlite3_bind_int64(s, 2, id);
  sqlite3_bind_int(s, 3, round);
  TccStatus *status = step(r, s, out_found);
  if (!status && *out_found) *out = (TccRecordTime){ms_of(s, 0), ms_of(s, 1), ""};
  sqlite3_finalize(s);
  return status;
}

/* The digest of all findings, in a file that appears whole. */
static TccStatus *write_stamp(TccRecords *r) {
  sqlite3_stmt *s;
  TCC_TRY(prepare(r, &s,
                  "SELECT digest, target, machine, emitter, threads, sizes, best_schedule FROM kernel WHERE finished > 0 AND"
                  " best_schedule <> default_schedule ORDER BY digest, target, machine, emitter, threads, finished, sizes",
                  0, NULL));
  TccText all = {0}, path = {0};
  TccStatus *status;
  for (bool row = true; !(status = step(r, s, &row)) && row;)
    for (int i = 0; i < 7; i++) tcc_text_printf(&all, "%s\n", text_of(s, i));
  sqlite3_finalize(s);
  char digest[2 * TCC_DIGEST_BYTES + 2];
  tcc_digest_hex(all.data ? all.data : "", all.length, digest);
  tcc_text_printf(&path, "%s-stamp", r->path);
  if (!status) status = tcc_file_write(path.data, digest, all.length ? strlen(digest) : 0); /* empty: all as by default */
  tcc_text_destroy(&all);
  tcc_text_destroy(&path);
  return status;
}

TccStatus *tcc_records_finish(TccRecords *r, int64_t id, const char *best, double best_ms, double default_ms) {
  sqlite3_stmt *s;
  TCC_TRY(prepare(r, &s,
                  "UPDATE kernel SET best_schedule = ?, best_ms = ?2, default_ms = ?3,"
                  " finished = (SELECT max(finished) + 1 FROM kernel) WHERE id = ?4",
                  1, &best));
  if (best_ms >= 0) sqlite3_bind_double(s, 2, best_ms);
  if (default_ms >= 0) sqlite3_bind_double(s, 3, default_ms);
  sqlite3_bind_int64(s, 4, id);
  TccStatus *status = step(r, s, NULL);
  sqlite3_finalize(s);
  return status ? status : write_stamp(r);
}

TccStatus *tcc_records_merge(TccRecords *r, const char *other) {
  TccRecords *from = NULL; /* checked as what it is before it is attached */
  TCC_TRY(tcc_records_open(other, false, &from));
  if (!from) return TCC_ERROR(TCC_NOT_FOUND, "%s: no database of tuning records", other);
  tcc_records_close(from);
  sqlite3_stmt *s;
  TCC_TRY(prepare(r, &s, "ATTACH ? AS other", 1, &other));
  TccStatus *status = step(r, s, NULL);
  sqlite3_finalize(s);
  if (status) return status;
  static const char same[] = "k.digest = o.digest AND k.target = o.target AND k.machine = o.machine AND k.emitter = o.emitter AND"
                             " k.threads = o.threads AND k.sizes = o.sizes";
  TccText sql = {0};
  tcc_text_printf(
      &sql,
      "BEGIN IMMEDIATE;"
      "INSERT INTO main.kernel(digest, target, machine, emitter, threads, sizes, name, shape, default_schedule)"
      " SELECT digest, target, machine, emitter, threads, sizes, name, shape, default_schedule FROM other.kernel WHERE true ON CONFLICT DO NOTHING;"
      "UPDATE main.kernel AS k SET best_schedule = o.best_schedule, best_ms = o.best_ms, default_ms = o.default_ms,"
      " default_schedule = o.default_schedule, finished = o.finished + (SELECT max(finished) FROM main.kernel)"
      " FROM other.kernel AS o WHERE %s AND o.finished > 0 AND (k.finished = 0 OR o.best_ms < k.best_ms);"
      "INSERT INTO main.measurement(kernel, round, schedule, ms, ratio, note) SELECT k.id, m.round, m.schedule, m.ms, m.ratio, m.note FROM other.measurement AS m"
      " JOIN other.kernel AS o ON m.kernel = o.id JOIN main.kernel AS k ON %s WHERE true ON CONFLICT DO NOTHING;"
      "COMMIT",
      same, same);
  status = run(r, sql.data);
  tcc_text_destroy(&sql);
  if (status) tcc_status_destroy(run(r, "ROLLBACK")); /* where the transaction is still open */
  TccStatus *detached = run(r, "DETACH other");
  if (status) tcc_status_destroy(detached);
  else status = detached;
  return status ? status : write_stamp(r);
}
