/* map.c - open addressing over an array of entries in order of insertion. */
#include "tcc/base.h"

struct TccMap {
  TccArena *arena;
  TccMapEntry *entries;
  uint32_t *slots; /* index + 1 into entries, 0 is empty */
  uint64_t *hashes;
  size_t count, capacity, slot_count;
};

uint64_t tcc_hash(const void *data, size_t length, uint64_t seed) {
  const unsigned char *bytes = data;
  uint64_t hash = seed ^ 0x9E3779B97F4A7C15u ^ (length * 0xFF51AFD7ED558CCDu);
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    hash = (hash ^ word) * 0x9FB21C651E98DF25u;
    hash ^= hash >> 32;
    bytes += 8, length -= 8;
  }
  uint64_t rest = 0;
  if (length) memcpy(&rest, bytes, length);
  hash = (hash ^ rest) * 0xC4CEB9FE1A85EC53u;
  return hash ^ (hash >> 29);
}

TccMap *tcc_map_create(TccArena *arena) {
  TccMap *map = TCC_NEW(arena, TccMap);
  map->arena = arena;
  return map;
}

static void rehash(TccMap *map, size_t slot_count) {
  map->slots = TCC_NEW_ARRAY(map->arena, uint32_t, slot_count);
  map->slot_count = slot_count;
  for (size_t i = 0; i < map->count; i++) {
    size_t slot = map->hashes[i] & (slot_count - 1);
    while (map->slots[slot]) slot = (slot + 1) & (slot_count - 1);
    map->slots[slot] = (uint32_t)i + 1;
  }
}

static TccMapEntry *lookup(const TccMap *map, TccStr key, uint64_t hash) {
  if (!map->slot_count) return NULL;
  for (size_t slot = hash & (map->slot_count - 1); map->slots[slot]; slot = (slot + 1) & (map->slot_count - 1)) {
    size_t index = map->slots[slot] - 1;
    if (map->hashes[index] == hash && tcc_str_equal(map->entries[index].key, key)) return &map->entries[index];
  }
  return NULL;
}

TccMapEntry *tcc_map_find(const TccMap *map, TccStr key) { return lookup(map, key, tcc_hash(key.data, key.length, 0)); }

TccMapEntry *tcc_map_put(TccMap *map, TccStr key, bool *out_inserted) {
  uint64_t hash = tcc_hash(key.data, key.length, 0);
  TccMapEntry *entry = lookup(map, key, hash);
  if (out_inserted) *out_inserted = !entry;
  if (entry) return entry;
  if (map->count == map->capacity) {
    size_t capacity = map->capacity ? map->capacity * 2 : 16;
    map->entries = tcc_arena_grow(map->arena, map->entries, map->count * sizeof *map->entries, capacity * sizeof *map->entries);
    map->hashes = tcc_arena_grow(map->arena, map->hashes, map->count * sizeof *map->hashes, capacity * sizeof *map->hashes);
    map->capacity = capacity;
    rehash(map, capacity * 2);
  }
  size_t index = map->count++;
  map->hashes[index] = hash;
  entry = &map->entries[index];
  entry->key = (TccStr){tcc_arena_copy(map->arena, key.data, key.length), key.length};
  entry->integer = 0;
  size_t slot = hash & (map->slot_count - 1);
  while (map->slots[slot]) slot = (slot + 1) & (map->slot_count - 1);
  map->slots[slot] = (uint32_t)index + 1;
  return entry;
}

size_t tcc_map_count(const TccMap *map) { return map->count; }
TccMapEntry *tcc_map_at(const TccMap *map, size_t index) { return &map->entries[index]; }
