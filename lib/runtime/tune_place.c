/* tune_place.c - where tuning records are, and what they found, for the key of a compiled model. No SQLite: a run that hits
 * the cache reads the stamp alone (lib/codegen/schedule/records.c writes it). */
#include "internal.h"
#include "tcc/cache.h"
#include "tcc/tune.h"

char *tcc_records_place(void) {
  const char *own = getenv("TCC_TUNE_DB");
  if (own && *own) return strdup(own);
  TccCache *cache = tcc_cache_open(true);
  TccText path = {0};
  if (cache) tcc_text_printf(&path, "%s/tune-%d.db", tcc_cache_dir(cache), TCC_RECORDS_SCHEMA);
  tcc_cache_close(cache);
  if (path.failed) tcc_text_destroy(&path);
  return path.data;
}

void tcc_records_key(TccText *key) {
  char *place = tcc_records_place();
  if (!place) return;
  TccText path = {0};
  TccFileMap map;
  tcc_text_printf(&path, "%s-stamp", place);
  TccStatus *status = tcc_text_status(&path);
  if (!status) status = tcc_file_map(path.data, &map);
  key->failed |= tcc_status_code(status) == TCC_NO_MEMORY;
  if (!status && map.length)
    tcc_text_printf(key, "records: %.*s\n", map.length < 64 ? (int)map.length : 64, (const char *)map.data);
  if (!status) tcc_file_unmap(&map);
  tcc_status_destroy(status); /* no stamp, no records */
  tcc_text_destroy(&path);
  free(place);
}
