/* zip.c - the directory of a zip archive, checked whole; members in place or inflated by zlib.
 *
 * A zip says everything twice, in the central directory at its end and in a header before each member, and readers differ in which one
 * they believe: where the two disagree an archive can show a scanner other bytes than a loader. So both are read and must agree. */
#include "lib/frontend/torch/zip.h"
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
  END_BYTES = 22, /* end of central directory */
  END64_BYTES = 56,
  LOCATOR_BYTES = 20,
  CENTRAL_BYTES = 46,
  LOCAL_BYTES = 30,
  LONGEST_NAME = 1024,
  FLAG_ENCRYPTED = 1 << 0,
  FLAG_LATER = 1 << 3, /* sizes and CRC stand behind the data, and only in the central directory before it */
  FLAG_PATCHED = 1 << 5,
  FLAG_STRONG = 1 << 6,
  FLAG_MASKED = 1 << 13,
};

static uint64_t number(const char *at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | (unsigned char)at[i];
  return value;
}

#define FAIL(zip, ...) tcc_status_context(TCC_ERROR(TCC_INVALID, __VA_ARGS__), "%s", (zip)->name)
#define REFUSE(zip, ...) tcc_status_context(TCC_ERROR(TCC_UNSUPPORTED, __VA_ARGS__), "%s", (zip)->name)
#define NAME(member) TCC_STR_ARG((member)->name)

/* ---- the end of the archive ---- */
typedef struct {
  uint64_t offset, bytes, entries; /* of the central directory */
} Directory;

/* The last end record whose comment reaches to the end of the file. */
static TccStatus *find_end(const TccZip *zip, size_t *out) {
  size_t length = zip->bytes.length, least = length > END_BYTES + 0xFFFF ? length - END_BYTES - 0xFFFF : 0;
  if (length < END_BYTES) return FAIL(zip, "cut off: %zu bytes are too few for a zip archive", length);
  for (size_t at = length - END_BYTES + 1; at-- > least;) {
    const char *end = zip->bytes.data + at;
    if (memcmp(end, "PK\5\6", 4) != 0 || at + END_BYTES + number(end + 20, 2) != length) continue;
    *out = at;
    return NULL;
  }
  return FAIL(zip, "cut off, or no zip archive: it has no end record");
}

/* Where a field of the record is full of ones, ZIP64's record has it. */
static bool agrees(uint64_t small, unsigned bytes, uint64_t large) {
  return small == large || small == (bytes == 2 ? 0xFFFF : 0xFFFFFFFF);
}

static TccStatus *read_end(const TccZip *zip, Directory *out) {
  size_t at = 0;
  TCC_TRY(find_end(zip, &at));
  const char *end = zip->bytes.data + at;
  Directory small = {number(end + 16, 4), number(end + 12, 4), number(end + 10, 2)};
  uint64_t disk = number(end + 4, 2), first_disk = number(end + 6, 2), here = number(end + 8, 2);
  size_t stop = at; /* of the central directory */
  *out = small;
  if (at >= LOCATOR_BYTES && memcmp(end - LOCATOR_BYTES, "PK\6\7", 4) == 0) {
    const char *locator = end - LOCATOR_BYTES;
    uint64_t at64 = number(locator + 8, 8);
    if (at < LOCATOR_BYTES + END64_BYTES || at64 > at - LOCATOR_BYTES - END64_BYTES ||
        memcmp(zip->bytes.data + at64, "PK\6\6", 4) != 0)
      return FAIL(zip, "byte %zu: ZIP64's end record is not where it should be", at - LOCATOR_BYTES);
    const char *end64 = zip->bytes.data + at64;
    if (number(end64 + 4, 8) != at - LOCATOR_BYTES - at64 - 12)
      return FAIL(zip, "byte %llu: ZIP64's end record has a wrong length", (unsigned long long)at64);
    *out = (Directory){number(end64 + 48, 8), number(end64 + 40, 8), number(end64 + 32, 8)};
    if (!agrees(small.offset, 4, out->offset) || !agrees(small.bytes, 4, out->bytes) || !agrees(small.entries, 2, out->entries))
      return FAIL(zip, "byte %zu: the end records of ZIP and ZIP64 contradict each other", at);
    if (number(end64 + 16, 4) || number(end64 + 20, 4) || number(end64 + 24, 8) != out->entries || number(locator + 16, 4) > 1)
      return REFUSE(zip, "byte %llu: an archive in several parts", (unsigned long long)at64);
    stop = (size_t)at64;
  } else if (disk || first_disk || here != small.entries) {
    return REFUSE(zip, "byte %zu: an archive in several parts", at);
  }
  if (out->offset > stop || out->bytes != stop - out->offset)
    return FAIL(zip, "byte %zu: the central directory does not lie before its end record", at);
  if (out->entries > TCC_ZIP_MOST_MEMBERS)
    return FAIL(zip, "byte %zu: %llu members, more than %d", at, (unsigned long long)out->entries, TCC_ZIP_MOST_MEMBERS);
  if (out->entries > out->bytes / CENTRAL_BYTES)
    return FAIL(zip, "byte %zu: %llu members do not fit into the central directory", at, (unsigned long long)out->entries);
  return NULL;
}

/* ---- members ---- */

/* Takes from ZIP64's extra field (0x0001) the sizes, and the offset, that are full of ones; others are as they were. out_offset may be
 * NULL. False: the fields are malformed, or it lacks one. */
static bool read_extra(const char *at, size_t length, uint64_t *size, uint64_t *stored, uint64_t *out_offset) {
  const char *end = at + length, *zip64 = NULL;
  size_t zip64_length = 0;
  while (end - at >= 4) {
    size_t field = number(at + 2, 2);
    if (field > (size_t)(end - at) - 4) return false;
    if (number(at, 2) == 1) {
      if (zip64) return false;
      zip64 = at + 4, zip64_length = field;
    }
    at += 4 + field;
  }
  uint64_t *wide[] = {size, stored, out_offset};
  for (int i = 0; i < 3; i++) {
    if (!wide[i] || *wide[i] != 0xFFFFFFFF) continue;
    if (zip64_length < 8) return false;
    *wide[i] = number(zip64, 8);
    zip64 += 8, zip64_length -= 8;
  }
  return true;
}

/* What is wrong with a name; NULL: nothing. A folder's ends in '/'. */
static const char *bad_name(TccStr name) {
  if (!name.length) return "has no name";
  if (name.length > LONGEST_NAME) return "has a name that is too long";
  if (name.data[0] == '/') return "has an absolute name";
  size_t start = 0;
  for (size_t i = 0; i <= name.length; i++) {
    char c = i < name.length ? name.data[i] : '/';
    if ((unsigned char)c < ' ' || c == '\\' || c == 0x7F) return "has a control character or a backslash in its name";
    if (c != '/') continue;
    TccStr part = {name.data + start, i - start};
    if (tcc_str_is(part, "..") || tcc_str_is(part, ".")) return "has a name that leaves its folder";
    if (!part.length && i < name.length) return "has an empty folder in its name";
    start = i + 1;
  }
  return NULL;
}

/* The header before the member's bytes, which must say what the central directory said. */
static TccStatus *read_local(const TccZip *zip, const Directory *directory, unsigned flags, TccZipMember *member) {
  if (directory->offset < LOCAL_BYTES || member->header > directory->offset - LOCAL_BYTES)
    return FAIL(zip, "member '%.*s': its header lies outside of the archive (byte %llu)", NAME(member),
                (unsigned long long)member->header);
  const char *at = zip->bytes.data + member->header;
  uint64_t room = directory->offset - member->header - LOCAL_BYTES, name = number(at + 26, 2), extra = number(at + 28, 2);
  if (memcmp(at, "PK\3\4", 4) != 0)
    return FAIL(zip, "member '%.*s': there is no header at byte %llu", NAME(member), (unsigned long long)member->header);
  if (name + extra > room || member->stored > room - name - extra)
    return FAIL(zip, "member '%.*s': its %llu bytes at byte %llu go past the end", NAME(member), (unsigned long long)member->stored,
                (unsigned long long)member->header);
  if (!tcc_str_equal((TccStr){at + LOCAL_BYTES, (size_t)name}, member->name))
    return FAIL(zip, "member '%.*s': its header at byte %llu has another name", NAME(member), (unsigned long long)member->header);
  uint64_t size = number(at + 22, 4), stored = number(at + 18, 4), crc = number(at + 14, 4);
  bool same = number(at + 8, 2) == (member->deflated ? 8 : 0) && number(at + 6, 2) == flags &&
              read_extra(at + LOCAL_BYTES + name, (size_t)extra, &size, &stored, NULL);
  bool later = (flags & FLAG_LATER) != 0;
  if (!((later && !size) || size == member->size) || !((later && !stored) || stored == member->stored) ||
      !((later && !crc) || crc == member->crc) || !same)
    return FAIL(zip, "member '%.*s': its header at byte %llu contradicts the central directory", NAME(member),
                (unsigned long long)member->header);
  member->offset = member->header + LOCAL_BYTES + name + extra;
  return NULL;
}

/* Takes the entry at *at, which it moves on. */
static TccStatus *read_entry(TccZip *zip, const Directory *directory, uint64_t *at, uint64_t *inflated) {
  const char *entry = zip->bytes.data + *at;
  uint64_t rest = directory->offset + directory->bytes - *at;
  if (rest < CENTRAL_BYTES || memcmp(entry, "PK\1\2", 4) != 0)
    return FAIL(zip, "byte %llu: an entry of the central directory expected", (unsigned long long)*at);
  uint64_t name = number(entry + 28, 2), extra = number(entry + 30, 2), comment = number(entry + 32, 2);
  if (name + extra + comment > rest - CENTRAL_BYTES)
    return FAIL(zip, "byte %llu: an entry goes past the end of the central directory", (unsigned long long)*at);
  unsigned flags = (unsigned)number(entry + 8, 2), method = (unsigned)number(entry + 10, 2);
  TccZipMember member = {.name = {entry + CENTRAL_BYTES, (size_t)name},
                         .crc = (uint32_t)number(entry + 16, 4),
                         .stored = number(entry + 20, 4),
                         .size = number(entry + 24, 4),
                         .header = number(entry + 42, 4),
                         .deflated = method == 8};
  const char *wrong = bad_name(member.name);
  if (wrong) return FAIL(zip, "byte %llu: a member %s", (unsigned long long)*at, wrong);
  if (!read_extra(entry + CENTRAL_BYTES + name, (size_t)extra, &member.size, &member.stored, &member.header))
    return FAIL(zip, "member '%.*s': its extra fields are malformed", NAME(&member));
  if (flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED | FLAG_PATCHED))
    return REFUSE(zip, "member '%.*s' is encrypted or patched", NAME(&member));
  if (number(entry + 34, 2)) return REFUSE(zip, "member '%.*s' lies in another part of the archive", NAME(&member));
  if (method != 0 && method != 8)
    return REFUSE(zip, "member '%.*s' is compressed by method %u; tcc reads stored and deflated ones", NAME(&member), method);
  if (!member.deflated && member.size != member.stored)
    return FAIL(zip, "member '%.*s' is stored, and has two different sizes", NAME(&member));
  TCC_TRY(read_local(zip, directory, flags, &member));
  if (member.deflated && (member.size > SIZE_MAX / 2 || (*inflated += member.size) > SIZE_MAX / 2)) *inflated = SIZE_MAX / 2;
  *at += CENTRAL_BYTES + name + extra + comment;
  bool inserted;
  tcc_map_put(zip->by_name, member.name, &inserted)->integer = (int64_t)zip->count;
  if (!inserted) return FAIL(zip, "member '%.*s' is there twice", NAME(&member));
  zip->members[zip->count++] = member;
  return NULL;
}

static int order_members(const void *a, const void *b) {
  const TccZipMember *x = *(const TccZipMember *const *)a, *y = *(const TccZipMember *const *)b;
  return x->header < y->header ? -1 : x->header > y->header;
}

static TccStatus *check_overlap(TccArena *arena, const TccZip *zip) {
  const TccZipMember **sorted = TCC_NEW_ARRAY(arena, const TccZipMember *, zip->count);
  for (size_t i = 0; i < zip->count; i++) sorted[i] = &zip->members[i];
  qsort(sorted, zip->count, sizeof *sorted, order_members);
  for (size_t i = 1; i < zip->count; i++)
    if (sorted[i]->header < sorted[i - 1]->offset + sorted[i - 1]->stored)
      return FAIL(zip, "members '%.*s' and '%.*s' overlap at byte %llu", NAME(sorted[i - 1]), NAME(sorted[i]),
                  (unsigned long long)sorted[i]->header);
  return NULL;
}

TccStatus *tcc_zip_open(TccArena *arena, TccStr bytes, const char *name, TccZip **out) {
  TccZip *zip = TCC_NEW(arena, TccZip);
  Directory directory;
  *out = NULL;
  *zip = (TccZip){.name = name, .bytes = bytes, .by_name = tcc_map_create(arena)};
  TCC_TRY(read_end(zip, &directory));
  zip->members = TCC_NEW_ARRAY(arena, TccZipMember, directory.entries);
  uint64_t at = directory.offset, inflated = 0;
  for (uint64_t i = 0; i < directory.entries; i++) TCC_TRY(read_entry(zip, &directory, &at, &inflated));
  if (at != directory.offset + directory.bytes)
    return FAIL(zip, "byte %llu: the central directory is longer than its %llu entries", (unsigned long long)at,
                (unsigned long long)directory.entries);
  if (inflated > TCC_ZIP_INFLATED_BASE && inflated - TCC_ZIP_INFLATED_BASE > (uint64_t)TCC_ZIP_INFLATED_TIMES * bytes.length)
    return FAIL(zip,
                "its deflated members would take %llu bytes; an archive of %zu may have %d MiB and %d times its length "
                "(store them: zip -0)",
                (unsigned long long)inflated, bytes.length, TCC_ZIP_INFLATED_BASE >> 20, TCC_ZIP_INFLATED_TIMES);
  TCC_TRY(check_overlap(arena, zip));
  *out = zip;
  return NULL;
}

const TccZipMember *tcc_zip_find(const TccZip *zip, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(zip->by_name, name);
  return entry ? &zip->members[entry->integer] : NULL;
}

/* ---- what they hold ---- */
static TccStatus *inflate_member(const TccZip *zip, const TccZipMember *member, char *to) {
  z_stream stream = {0};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return TCC_ERROR_NO_MEMORY();
  uint64_t in = member->stored, out = member->size;
  const char *from = zip->bytes.data + member->offset;
  int code = Z_OK;
  while (code == Z_OK) { /* zlib counts in 32 bits */
    unsigned in_now = in > UINT_MAX ? UINT_MAX : (unsigned)in, out_now = out > UINT_MAX ? UINT_MAX : (unsigned)out;
    stream.next_in = (Bytef *)(uintptr_t)from, stream.avail_in = in_now;
    stream.next_out = (Bytef *)to, stream.avail_out = out_now;
    code = inflate(&stream, Z_NO_FLUSH);
    from += in_now - stream.avail_in, in -= in_now - stream.avail_in;
    to += out_now - stream.avail_out, out -= out_now - stream.avail_out;
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END || in || out)
    return FAIL(zip, "member '%.*s': its compressed bytes at byte %llu are broken, or not %llu bytes long", NAME(member),
                (unsigned long long)member->offset, (unsigned long long)member->size);
  return NULL;
}

TccStatus *tcc_zip_read(const TccZip *zip, const TccZipMember *member, bool check_crc, TccArena *arena, TccStr *out) {
  *out = (TccStr){zip->bytes.data + member->offset, (size_t)member->size};
  if (member->deflated) {
    char *memory = tcc_arena_alloc(arena, (size_t)member->size + 1);
    TCC_TRY(inflate_member(zip, member, memory));
    out->data = memory;
  }
  if (!check_crc && !member->deflated) return NULL;
  uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)out->data, out->length);
  if (crc == member->crc) return NULL;
  *out = (TccStr){0};
  return FAIL(zip, "member '%.*s': its CRC-32 is %08x, and should be %08x", NAME(member), crc, member->crc);
}
