/* regex.c - a regular expression as a deterministic automaton over bytes: Thompson's construction, then sets of its nodes as states (Aho, Sethi and
 * Ullman, 3.7). Conditions between characters hold or not by the byte before and the one behind: a state has what is before in it, and what can be
 * reached without a byte is followed when the next one is known. */
#include "lib/frontend/onnx/regex.h"
#include "lib/frontend/onnx/regex_parse.h"

enum {
  MOST_NODES = 4000,
  MOST_STATES = 4000,
  MOST_STEPS = 1 << 27,
  MOST_BUILT = 1 << 20,
  MOST_LENGTH = 8000 /* bytes */,
  BEFORE_BEGIN = 0,
  BEFORE_WORD = 1,
  BEFORE_OTHER = 2
};
typedef enum { NODE_BYTES, NODE_EITHER, NODE_CONDITION, NODE_MATCH } NodeKind;

typedef struct {
  NodeKind kind;
  RegexKind condition;
  const bool *bytes;
  int next, other; /* nodes; other: of EITHER */
} Node;

/* A state: the nodes that a byte led to, as bits, and what that byte was. */
typedef struct {
  uint64_t *nodes;
  int before;
} State;

typedef struct {
  TccArena *arena;
  TCC_VEC(Node) nodes;
  TCC_VEC(State) states;
  TccMap *known; /* bits and before -> number of the state */
  size_t words, steps;
  bool full;
} Machine;

/* ---- nodes, made from the end of the expression to its beginning: each is made with what follows it ---- */
static int node(Machine *m, NodeKind kind, RegexKind condition, const bool *bytes, int next, int other) {
  const Node made = {kind, condition, bytes, next, other};
  m->full |= m->nodes.count >= MOST_NODES;
  if (m->full) return 0;
  TCC_VEC_PUSH(m->arena, &m->nodes, made);
  return (int)m->nodes.count - 1;
}

static const bool *range(Machine *m, int low, int high) {
  bool *bytes = TCC_NEW_ARRAY(m->arena, bool, 256);
  for (int b = low; b <= high; b++) bytes[b] = true;
  return bytes;
}

static int build(Machine *m, const RegexTree *tree, int next);

static int build_repeat(Machine *m, const RegexTree *tree, int next) {
  int to = next;
  if (tree->most < 0) {
    const int loop = node(m, NODE_EITHER, TREE_EMPTY, NULL, next, next);
    const int body = build(m, tree->a, loop);
    if (!m->full) m->nodes.data[loop].other = body;
    to = loop;
  }
  for (int i = tree->least; i < tree->most && !m->full; i++) {
    const int body = build(m, tree->a, to);
    to = node(m, NODE_EITHER, TREE_EMPTY, NULL, next, body);
  }
  for (int i = 0; i < tree->least && !m->full; i++) to = build(m, tree->a, to);
  return to;
}

/* Any character of two to four bytes. */
static int build_others(Machine *m, int next) {
  const bool *rest = range(m, 0x80, 0xbf);
  const int last = node(m, NODE_BYTES, TREE_EMPTY, rest, next, 0), third = node(m, NODE_BYTES, TREE_EMPTY, rest, last, 0),
            second = node(m, NODE_BYTES, TREE_EMPTY, rest, third, 0);
  const int two = node(m, NODE_BYTES, TREE_EMPTY, range(m, 0xc2, 0xdf), last, 0),
            three = node(m, NODE_BYTES, TREE_EMPTY, range(m, 0xe0, 0xef), third, 0),
            four = node(m, NODE_BYTES, TREE_EMPTY, range(m, 0xf0, 0xf4), second, 0);
  return node(m, NODE_EITHER, TREE_EMPTY, NULL, two, node(m, NODE_EITHER, TREE_EMPTY, NULL, three, four));
}

static int build(Machine *m, const RegexTree *tree, int next) {
  m->full |= m->steps++ > MOST_BUILT; /* repetitions of nothing make no nodes */
  if (m->full) return 0;
  switch (tree->kind) {
  case TREE_EMPTY: return next;
  case TREE_BYTES: return node(m, NODE_BYTES, TREE_EMPTY, tree->bytes, next, 0);
  case TREE_OTHERS: return build_others(m, next);
  case TREE_THEN: return build(m, tree->a, build(m, tree->b, next));
  case TREE_OR: {
    const int a = build(m, tree->a, next), b = build(m, tree->b, next);
    return node(m, NODE_EITHER, TREE_EMPTY, NULL, a, b);
  }
  case TREE_REPEAT: return build_repeat(m, tree, next);
  default: return node(m, NODE_CONDITION, tree->kind, NULL, next, 0);
  }
}

/* ---- states ---- */
static bool holds(RegexKind condition, int before, int byte) {
  const bool edge = (before == BEFORE_WORD) != (byte != 0 && regex_is_word(byte));
  switch (condition) {
  case TREE_BEGIN: return before == BEFORE_BEGIN;
  case TREE_END: return byte == 0;
  case TREE_WORD: return edge;
  default: return !edge;
  }
}

/* Follows what needs no byte, from a state with `byte` ahead: the nodes that there are, as bits in `seen`, and in `stack`. */
static size_t follow(Machine *m, const State *state, int byte, uint64_t *seen, int *stack) {
  size_t count = 0, done = 0;
  memset(seen, 0, m->words * sizeof *seen);
  for (size_t n = 0; n < m->nodes.count; n++)
    if (state->nodes[n / 64] >> n % 64 & 1) stack[count++] = (int)n, seen[n / 64] |= (uint64_t)1 << n % 64;
  m->steps += m->nodes.count;
  for (; done < count; done++) {
    const Node *at = &m->nodes.data[stack[done]];
    int to[2], n = 0;
    if (at->kind == NODE_EITHER) to[n++] = at->next, to[n++] = at->other;
    else if (at->kind == NODE_CONDITION && holds(at->condition, state->before, byte)) to[n++] = at->next;
    for (int i = 0; i < n; i++) {
      if (seen[to[i] / 64] >> to[i] % 64 & 1) continue;
      seen[to[i] / 64] |= (uint64_t)1 << to[i] % 64;
      stack[count++] = to[i];
    }
  }
  return count;
}

/* The state's number; a new one gets a copy of the bits. */
static int state_of(Machine *m, const uint64_t *bits, int before) {
  bool inserted, any = false;
  uint64_t *key = TCC_NEW_ARRAY(m->arena, uint64_t, m->words + 1);
  for (size_t i = 0; i < m->words; i++) any |= bits[i] != 0;
  if (!any) return REGEX_NO;
  memcpy(key, bits, m->words * sizeof *bits);
  key[m->words] = (uint64_t)before;
  TccMapEntry *entry = tcc_map_put(m->known, (TccStr){(const char *)key, (m->words + 1) * sizeof *key}, &inserted);
  if (!inserted) return (int)entry->integer;
  const State made = {key, before};
  entry->integer = (int64_t)m->states.count;
  m->full |= m->states.count >= MOST_STATES;
  if (!m->full) TCC_VEC_PUSH(m->arena, &m->states, made);
  return (int)entry->integer;
}

/* Where `byte` leads. */
static int step(Machine *m, const State *state, int byte, uint64_t *seen, uint64_t *bits, int *stack) {
  const size_t count = follow(m, state, byte, seen, stack);
  memset(bits, 0, m->words * sizeof *bits);
  for (size_t i = 0; i < count; i++) {
    const Node *at = &m->nodes.data[stack[i]];
    if (byte == 0 && at->kind == NODE_MATCH) return REGEX_YES;
    if (byte && at->kind == NODE_BYTES && at->bytes[byte]) bits[at->next / 64] |= (uint64_t)1 << at->next % 64;
  }
  return byte ? state_of(m, bits, regex_is_word(byte) ? BEFORE_WORD : BEFORE_OTHER) : REGEX_NO;
}

/* Bytes that no set and no condition tells apart are of one kind. */
static void find_kinds(const Machine *m, Regex *out, int *bytes) {
  out->kinds = 1;
  bytes[0] = 0;
  for (int b = 1; b < 256; b++) {
    size_t kind = 1;
    for (; kind < out->kinds; kind++) {
      const int other = bytes[kind];
      bool same = regex_is_word(b) == regex_is_word(other);
      for (size_t n = 0; same && n < m->nodes.count; n++)
        same = m->nodes.data[n].kind != NODE_BYTES || m->nodes.data[n].bytes[b] == m->nodes.data[n].bytes[other];
      if (same) break;
    }
    if (kind == out->kinds) bytes[out->kinds++] = b;
    out->kind_of[b] = (unsigned char)kind;
  }
}

static const char *make_table(Machine *m, int start, Regex *out) {
  int bytes[256], *stack = TCC_NEW_ARRAY(m->arena, int, m->nodes.count + 1);
  m->words = m->nodes.count / 64 + 1;
  uint64_t *seen = TCC_NEW_ARRAY(m->arena, uint64_t, m->words), *bits = TCC_NEW_ARRAY(m->arena, uint64_t, m->words);
  const State none = {bits, BEFORE_OTHER};
  find_kinds(m, out, bytes);
  out->next = TCC_NEW_ARRAY(m->arena, int32_t, MOST_STATES * out->kinds);
  for (int i = 0; i < REGEX_START; i++) TCC_VEC_PUSH(m->arena, &m->states, none);
  bits[start / 64] |= (uint64_t)1 << start % 64;
  state_of(m, bits, BEFORE_BEGIN);
  for (size_t k = 0; k < out->kinds; k++) out->next[REGEX_YES * out->kinds + k] = REGEX_YES; /* NO is 0 */
  for (size_t s = REGEX_START; s < m->states.count && !m->full; s++)
    for (size_t k = 0; k < out->kinds && !m->full; k++) {
      const State state = m->states.data[s];
      out->next[s * out->kinds + k] = step(m, &state, bytes[k], seen, bits, stack);
      m->full |= m->steps > MOST_STEPS;
    }
  out->states = m->states.count;
  return m->full ? "an expression with so many states" : NULL;
}

const char *regex_compile(TccArena *arena, TccStr pattern, Regex *out, bool *unsupported) {
  const RegexTree *tree;
  Machine m = {.arena = arena, .known = tcc_map_create(arena)};
  *out = (Regex){.kinds = 0};
  *unsupported = true;
  if (pattern.length > MOST_LENGTH) return "an expression of so many bytes";
  const char *why = regex_parse(arena, pattern, &tree, unsupported);
  if (why) return why;
  *unsupported = true;
  const int match = node(&m, NODE_MATCH, TREE_EMPTY, NULL, 0, 0), start = build(&m, tree, match);
  for (size_t i = 0; i < m.nodes.count; i++) out->conditions |= m.nodes.data[i].kind == NODE_CONDITION;
  return m.full ? "an expression of so many parts" : make_table(&m, start, out);
}
