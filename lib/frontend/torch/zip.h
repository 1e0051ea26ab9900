/* zip.h - the members of a zip archive in memory (PKWARE APPNOTE 6.3.10, of it what archives of tensors need). No MLIR.
 *
 * Opening checks the whole directory before anything is read: the central directory stands where its end record says and fills that
 * place exactly; each member's own header agrees with it; members lie in the file, do not overlap and have different names; names are
 * relative paths without ".."; nothing is encrypted, split or compressed by other methods than deflate. So an archive means the same to every
 * reader that takes it. What deflated members hold in all is bounded by the file's length (TCC_ZIP_...), before a byte is inflated.
 * Errors name the archive and the member, or the byte. A zip may be read by several threads, each with its own arena. */
#ifndef TCC_FRONTEND_TORCH_ZIP_H
#define TCC_FRONTEND_TORCH_ZIP_H
#include "tcc/base.h"

enum {
  TCC_ZIP_MOST_MEMBERS = 1 << 17,
  TCC_ZIP_INFLATED_BASE = 64 << 20, /* bytes that all deflated members may hold, */
  TCC_ZIP_INFLATED_TIMES = 16,      /* and this times the length of the archive */
};

typedef struct TccZipMember {
  TccStr name;
  uint64_t header; /* where its local header is in the archive */
  uint64_t offset; /* where its bytes are */
  uint64_t stored; /* how many there are */
  uint64_t size;   /* how many they stand for */
  uint32_t crc;    /* CRC-32 of those */
  bool deflated;
} TccZipMember;

typedef struct TccZip {
  const char *name; /* for messages */
  TccStr bytes;
  TccZipMember *members; /* in the order of the central directory; folders are left out */
  size_t count;
  TccMap *by_name;
} TccZip;

/* Whether bytes begin as a zip archive does. */
static inline bool tcc_zip_is(TccStr bytes) { return tcc_str_starts(bytes, "PK\3\4") || tcc_str_starts(bytes, "PK\5\6"); }
/* bytes and name outlive the zip, which is in the arena. TCC_INVALID: broken; TCC_UNSUPPORTED: encrypted, split, other methods. */
TccStatus *tcc_zip_open(TccArena *arena, TccStr bytes, const char *name, TccZip **out) TCC_CHECKED;
/* NULL: there is none. */
const TccZipMember *tcc_zip_find(const TccZip *zip, TccStr name);
/* What a member holds: in place, or inflated into the arena. check_crc: a stored one's CRC-32 is compared, so all of it is read;
 * that of a deflated one always is. */
TccStatus *tcc_zip_read(const TccZip *zip, const TccZipMember *member, bool check_crc, TccArena *arena, TccStr *out) TCC_CHECKED;
#endif
