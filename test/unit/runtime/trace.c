/* The ring of what a thread did: in order, lost where it is full, read while it is written; and what a team writes down: each tile of
 * each command once, a thread's records in order, loops included. */
#include "lib/runtime/internal.h"
#include <pthread.h>
#include <stdio.h>

enum { MANY = 300000, COMMANDS = 30, TILES = 9, RUNS = 50, THREADS = 3 };

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void test_full(void) {
  TccTraceRing *ring = tcc_trace_ring();
  if (!ring) abort();
  TccTraceRecord record;
  expect(!tcc_trace_take(ring, &record) && tcc_trace_lost(ring) == 0, "an empty ring");
  for (int i = 0; i < MANY; i++) tcc_trace_put(ring, &(TccTraceRecord){.first = i});
  int64_t taken = 0;
  while (tcc_trace_take(ring, &record)) expect(record.first == taken++, "the oldest first");
  expect(taken > 0 && taken < MANY && tcc_trace_lost(ring) == (uint64_t)(MANY - taken), "what is lost is counted");
  expect(tcc_trace_lost(ring) == 0, "and told once");
  tcc_trace_put(ring, &(TccTraceRecord){.first = 7});
  expect(tcc_trace_take(ring, &record) && record.first == 7 && !tcc_trace_take(ring, &record), "a ring that was full");
  free(ring);
}

static void *put_many(void *argument) {
  for (int i = 0; i < MANY; i++) tcc_trace_put(argument, &(TccTraceRecord){.first = i, .tiles = -i});
  return NULL;
}

static void test_threads(void) {
  TccTraceRing *ring = tcc_trace_ring();
  pthread_t writer;
  if (!ring || pthread_create(&writer, NULL, put_many, ring)) abort();
  TccTraceRecord record;
  int64_t last = -1, taken = 0;
  uint64_t lost = 0;
  while (last < MANY - 1 && taken + (int64_t)lost < MANY) {
    if (tcc_trace_take(ring, &record)) {
      expect(record.first > last && record.tiles == -record.first, "whole records in order");
      last = record.first;
      taken++;
    }
    lost += tcc_trace_lost(ring);
  }
  pthread_join(writer, NULL);
  while (tcc_trace_take(ring, &record)) taken++;
  lost += tcc_trace_lost(ring);
  expect(taken + (int64_t)lost == MANY, "each was taken or lost");
  free(ring);
}

static void nothing(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)arguments, (void)sizes, (void)scratch, (void)begin, (void)end;
}

static void test_team(void) {
  static const TccAllocator allocator;
  TccTeam *team;
  if (tcc_team_create_traced(&allocator, THREADS, &team) || tcc_team_prepare(team, 64)) abort();
  TccCommand commands[COMMANDS];
  for (int c = 0; c < COMMANDS; c++)
    commands[c] = (TccCommand){.function = nothing, .tiles = c % 4 == 3 ? 1 : TILES, .serial = c % 5 == 0};
  for (int r = 0; r < RUNS; r++) {
    int64_t done[COMMANDS][TILES] = {{0}};
    tcc_team_run(team, commands, COMMANDS, NULL);
    for (unsigned thread = 0; thread < THREADS; thread++) {
      TccTraceRecord record;
      double end = 0;
      while (tcc_trace_take(tcc_team_trace(team, thread), &record)) {
        expect(record.begin >= end && record.end >= record.begin, "a thread does one thing after another");
        end = record.end;
        if (record.command == TCC_TRACE_WAIT) continue;
        expect(record.command < COMMANDS && record.first >= 0 && record.first + record.tiles <= commands[record.command].tiles,
               "tiles that there are");
        for (int64_t t = 0; t < record.tiles && record.command < COMMANDS; t++) done[record.command][record.first + t]++;
      }
    }
    for (int c = 0; c < COMMANDS; c++)
      for (int t = 0; t < commands[c].tiles; t++) expect(done[c][t] == 1, "each tile once");
  }
  tcc_team_destroy(team);
  if (tcc_team_create(&allocator, 2, &team)) abort();
  expect(!tcc_team_trace(team, 0), "a team that is not traced");
  tcc_team_destroy(team);
}

int main(void) {
  test_full();
  test_threads();
  test_team();
  if (!failures) printf("ok\n");
  return failures != 0;
}
