#include "ops.h"
void async_open(Block *b);
void async_close(Block *b);
bool async_advance(Cluster *c);
void async_open(Block *b) { (void)b; }
void async_close(Block *b) { (void)b; }
bool async_advance(Cluster *c) {
  (void)c;
  return false;
}
const char *decode_mma(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
const char *decode_matrix(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
const char *decode_cp(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
const char *decode_mbarrier(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
const char *decode_wgmma(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
const char *decode_mapa(Parser_ *p, const Statement *s, Inst *i) {
  (void)p;
  (void)s;
  (void)i;
  return "mma";
}
