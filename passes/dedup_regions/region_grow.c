/* region_grow.c - grow equal subgraphs around seeds, all copies in lock step.
 *
 * A slot is one op of each copy. From every slot its operands and its users are tried: if they are, in all copies, free
 * and distinct ops of one label they become a slot; if they are one and the same value they are a shared live-in; anything
 * else is the border. When exactly one copy dissents it is blamed, and growth is tried again without the most blamed one:
 * that is how an odd layer among forty drops out instead of shrinking the region. What results is checked: an operand must
 * be inside in all copies or in none, and contracting every copy to one node must leave the graph without a cycle. */
#include "passes/dedup_regions/region_graph.h"
#include "tcc/op_kinds.h"
#include <stdlib.h>

enum { ATTEMPTS = 4 };

typedef struct {
  RegionGraph *graph;
  TccArena *arena;
  int32_t copies;
  bool late;                        /* the side of the loss that the seeds are on: so is all of the region */
  int32_t *owner_copy, *owner_slot; /* by node; -1: free */
  int32_t *seen, round;             /* by node: the last round of accept() that met it */
  TCC_VEC(int32_t *) slots;
  int32_t *blame;
} Growth;

static bool is_free(const Growth *g, int32_t v) {
  return v != REGION_NO_NODE && !g->graph->nodes[v].leaf && g->graph->nodes[v].cluster < 0 && g->owner_copy[v] < 0 &&
         g->graph->nodes[v].late == g->late;
}

static void add_slot(Growth *g, const int32_t *ops) {
  int32_t *slot = TCC_NEW_ARRAY(g->arena, int32_t, g->copies);
  for (int32_t c = 0; c < g->copies; c++) {
    slot[c] = ops[c];
    g->owner_copy[ops[c]] = c;
    g->owner_slot[ops[c]] = (int32_t)g->slots.count;
  }
  TCC_VEC_PUSH(g->arena, &g->slots, slot);
}

/* ops[c] is the candidate of copy c, or REGION_NO_NODE. */
static bool accept(Growth *g, const int32_t *ops) {
  const RegionNode *nodes = g->graph->nodes;
  int32_t copies = g->copies, best = -1, votes = 0, agree = 0, dissenter = -1;
  for (int32_t c = 0; c < copies; c++) { /* majority label, by Boyer and Moore */
    if (!is_free(g, ops[c])) continue;
    if (votes == 0) best = ops[c], votes = 1;
    else votes += nodes[ops[c]].label == nodes[best].label ? 1 : -1;
  }
  if (best < 0) return false;
  for (int32_t c = 0; c < copies; c++) {
    if (is_free(g, ops[c]) && nodes[ops[c]].label == nodes[best].label) agree++;
    else dissenter = c;
  }
  if (agree == copies) {
    g->round++;
    for (int32_t c = 0; c < copies; c++) {
      if (g->seen[ops[c]] == g->round) return false;
      g->seen[ops[c]] = g->round;
    }
    return true;
  }
  if (agree == copies - 1 && copies > 2) g->blame[dissenter]++;
  return false;
}

/* Bytes that a barrier keeps in memory: views of them belong to their readers, and what turns them to who makes them, else a view would be stored as well.
 * So nothing grows from the one to the other. */
static bool is_stored(const RegionGraph *graph, int32_t v) {
  if (v == REGION_NO_NODE || graph->nodes[v].leaf) return false;
  MlirOperation op = graph->nodes[v].op;
  return tcc_op_kind(graph->ir, op) == TCC_OP_BARRIER && tcc_elem_bits(tcc_value_elem(mlirOperationGetResult(op, 0))) == 8;
}

static void grow_operands(Growth *g, const int32_t *slot, int32_t *ops) {
  const RegionGraph *graph = g->graph;
  for (int32_t i = 0; i < graph->nodes[slot[0]].noperands; i++) {
    bool same = true;
    RegionProducer first = graph->producers[graph->nodes[slot[0]].first_operand + i];
    for (int32_t c = 0; c < g->copies; c++) {
      RegionProducer p = graph->producers[graph->nodes[slot[c]].first_operand + i];
      ops[c] = p.node;
      same &= p.node == first.node && p.result == first.result;
    }
    if (!same && !is_stored(graph, ops[0]) && accept(g, ops)) add_slot(g, ops);
  }
}

typedef struct {
  uint64_t label;
  int32_t operand, result, node;
} UserKey;
static int compare_keys(const UserKey *a, const UserKey *b) {
  if (a->label != b->label) return a->label < b->label ? -1 : 1;
  if (a->operand != b->operand) return a->operand < b->operand ? -1 : 1;
  if (a->result != b->result) return a->result < b->result ? -1 : 1;
  return 0;
}
static int compare_users(const void *a, const void *b) {
  int order = compare_keys(a, b);
  return order ? order : ((const UserKey *)a)->node - ((const UserKey *)b)->node;
}

/* Copies have the same few keys: one that stands among the last ones is not listed again, so that little is left to sort. */
enum { RECENT = 8 };
static int32_t list_key(UserKey *keys, int32_t n, UserKey key) {
  for (int32_t k = n; k-- > 0 && k >= n - RECENT;)
    if (!compare_keys(&keys[k], &key)) return n;
  keys[n] = key;
  return n + 1;
}

static void grow_users(Growth *g, const int32_t *slot, int32_t *ops) {
  const RegionGraph *graph = g->graph;
  if (is_stored(graph, slot[0])) return;
  int32_t copies = g->copies, all = 0;
  UserKey **lists = TCC_NEW_ARRAY(g->arena, UserKey *, copies);
  for (int32_t c = 0; c < copies; c++) all += graph->nodes[slot[c]].nuses;
  UserKey *keys = TCC_NEW_ARRAY(g->arena, UserKey, all + 1);
  int32_t nkeys = 0;
  for (int32_t c = 0; c < copies; c++) {
    const RegionNode *node = &graph->nodes[slot[c]];
    lists[c] = TCC_NEW_ARRAY(g->arena, UserKey, node->nuses + 1);
    for (int32_t u = 0; u < node->nuses; u++) {
      RegionUse use = graph->uses[node->first_use + u];
      lists[c][u] = (UserKey){graph->nodes[use.node].label, use.operand, use.result, use.node};
      nkeys = list_key(keys, nkeys, lists[c][u]);
    }
    if (node->nuses > 1) qsort(lists[c], (size_t)node->nuses, sizeof **lists, compare_users);
  }
  if (nkeys > 1) qsort(keys, (size_t)nkeys, sizeof *keys, compare_users);
  int32_t *at = TCC_NEW_ARRAY(g->arena, int32_t, copies), *found = TCC_NEW_ARRAY(g->arena, int32_t, copies);
  for (int32_t k = 0; k < nkeys; k++) {
    if (k > 0 && !compare_keys(&keys[k], &keys[k - 1])) continue;
    int32_t usual = 0, votes = 0;
    for (int32_t c = 0; c < copies; c++) { /* how many users of this key each copy has, and the majority of that */
      int32_t n = graph->nodes[slot[c]].nuses;
      while (at[c] < n && compare_keys(&lists[c][at[c]], &keys[k]) < 0) at[c]++;
      found[c] = 0;
      while (at[c] + found[c] < n && !compare_keys(&lists[c][at[c] + found[c]], &keys[k])) found[c]++;
      if (votes == 0) usual = found[c], votes = 1;
      else votes += found[c] == usual ? 1 : -1;
    }
    for (int32_t z = 0; z < usual; z++) {
      for (int32_t c = 0; c < copies; c++) ops[c] = found[c] == usual ? lists[c][at[c] + z].node : REGION_NO_NODE;
      if (accept(g, ops)) add_slot(g, ops);
    }
  }
}

/* Where an operand of a copy's op comes from: the slot and result inside of that copy, in one number; -1: from outside. */
static int64_t place_inside(const Growth *g, int32_t copy, const RegionProducer *p) {
  bool inside = p->node != REGION_NO_NODE && g->owner_copy[p->node] == copy;
  return inside ? (int64_t)g->owner_slot[p->node] << 32 | p->result : -1;
}

/* Whether the operands of a slot's ops are inside in all copies, at the same place, or outside in all. */
static bool is_consistent(const Growth *g, const int32_t *slot) {
  const RegionGraph *graph = g->graph;
  for (int32_t i = 0; i < graph->nodes[slot[0]].noperands; i++) {
    int64_t expected = place_inside(g, 0, &graph->producers[graph->nodes[slot[0]].first_operand + i]);
    for (int32_t c = 1; c < g->copies; c++)
      if (place_inside(g, c, &graph->producers[graph->nodes[slot[c]].first_operand + i]) != expected) return false;
  }
  return true;
}

static void drop_slot(Growth *g, size_t s) {
  for (int32_t c = 0; c < g->copies; c++) g->owner_copy[g->slots.data[s][c]] = -1;
  g->slots.data[s] = NULL;
}

/* Drops slots whose operand is inside in one copy and outside, or elsewhere inside, in another. */
static void make_consistent(Growth *g) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t s = 0; s < g->slots.count; s++) {
      int32_t *slot = g->slots.data[s];
      if (!slot || is_consistent(g, slot)) continue;
      drop_slot(g, s);
      changed = true;
    }
  }
}

static bool is_elementwise(const RegionGraph *graph, int32_t v) {
  return tcc_op_has_trait(tcc_op_kind(graph->ir, graph->nodes[v].op), 'E');
}

/* On blocks of channels, or of bytes: one whose epilogue makes of its sums what is stored. */
static bool is_convolution(const RegionGraph *graph, int32_t v) {
  MlirOperation op = graph->nodes[v].op;
  TccOpKind kind = tcc_op_kind(graph->ir, op);
  return kind == TCC_OP_CONV_BLOCKED || (kind == TCC_OP_CONV && tcc_value_elem(mlirOperationGetResult(op, 0)) == TCC_ELEM_I32);
}

/* Whether v is a convolution or what at most so many elementwise ops of one use each make of one: an epilogue is no longer. */
enum { EPILOGUE_OPS = 64 };
static bool comes_from_convolution(const RegionGraph *graph, int32_t v, int ops) {
  const RegionNode *node = &graph->nodes[v];
  if (!is_elementwise(graph, v)) return is_convolution(graph, v);
  if (!ops) return false;
  for (int32_t i = 0; i < node->noperands; i++) {
    int32_t p = graph->producers[node->first_operand + i].node;
    if (p == REGION_NO_NODE || graph->nodes[p].leaf || graph->nodes[p].initial || graph->nodes[p].nuses != 1) continue;
    if (comes_from_convolution(graph, p, ops - 1)) return true;
  }
  return false;
}

/* Whether the op continues the epilogue of a convolution before its copy: its operands come from outside, or are made of weights alone. */
static bool follows_convolution(const Growth *g, int32_t v) {
  const RegionGraph *graph = g->graph;
  const RegionNode *node = &graph->nodes[v];
  for (int32_t i = 0; i < node->noperands; i++) {
    int32_t p = graph->producers[node->first_operand + i].node;
    if (p != REGION_NO_NODE && !graph->nodes[p].leaf && !graph->nodes[p].initial && g->owner_copy[p] == g->owner_copy[v])
      return false;
  }
  return is_elementwise(graph, v) && comes_from_convolution(graph, v, EPILOGUE_OPS);
}

static bool is_widening(const RegionGraph *graph, int32_t v) {
  MlirOperation op = graph->nodes[v].op;
  return tcc_op_kind(graph->ir, op) == TCC_OP_CONVERT && tcc_elem_bits(tcc_value_elem(mlirOperationGetOperand(op, 0))) <= 16 &&
         tcc_elem_bits(tcc_value_elem(mlirOperationGetResult(op, 0))) > 16;
}

/* Whether elementwise ops behind the copy go on with a convolution's epilogue, or widen what the op widens; or what is made of weights alone is read
 * there alone. */
static bool precedes_epilogue(const Growth *g, int32_t v) {
  const RegionGraph *graph = g->graph;
  const RegionNode *node = &graph->nodes[v];
  for (int32_t u = 0; u < node->nuses; u++) {
    int32_t user = graph->uses[node->first_use + u].node;
    if (g->owner_copy[user] == g->owner_copy[v] || (!node->initial && !is_elementwise(graph, user))) return false;
  }
  return node->nuses && (node->initial || is_widening(graph, v) || comes_from_convolution(graph, v, EPILOGUE_OPS));
}

/* What a border would keep from being one kernel stays outside: elementwise ops at the entry, behind a convolution, and at the exit
 * convolutions in front of elementwise ops; there a tensor that its readers can widen leaves as it was stored. */
static void leave_epilogues(Growth *g) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (size_t s = 0; s < g->slots.count; s++) {
      int32_t *slot = g->slots.data[s];
      bool follows = slot != NULL, precedes = follows;
      for (int32_t c = 0; c < g->copies && (follows || precedes); c++) {
        follows = follows && follows_convolution(g, slot[c]);
        precedes = precedes && precedes_epilogue(g, slot[c]);
      }
      if (!follows && !precedes) continue;
      drop_slot(g, s);
      changed = true;
    }
  }
}

/* Kahn's algorithm over the graph with claimed copies and the copies of this growth contracted. */
static bool is_acyclic(const Growth *g) {
  const RegionGraph *graph = g->graph;
  int32_t units = graph->count + graph->nclusters + g->copies;
  int32_t *unit = TCC_NEW_ARRAY(g->arena, int32_t, graph->count), *waiting = TCC_NEW_ARRAY(g->arena, int32_t, units);
  int32_t *head = TCC_NEW_ARRAY(g->arena, int32_t, units), *next = TCC_NEW_ARRAY(g->arena, int32_t, graph->count);
  int32_t *ready = TCC_NEW_ARRAY(g->arena, int32_t, units);
  for (int32_t u = 0; u < units; u++) head[u] = -1;
  for (int32_t v = graph->count; v-- > 0;) {
    unit[v] = g->owner_copy[v] >= 0          ? graph->count + graph->nclusters + g->owner_copy[v]
              : graph->nodes[v].cluster >= 0 ? graph->count + graph->nodes[v].cluster
                                             : v;
    next[v] = head[unit[v]];
    head[unit[v]] = v;
  }
  for (int32_t v = 0; v < graph->count; v++)
    for (int32_t u = 0; u < region_followers(graph, v); u++) {
      int32_t user = unit[region_follower(graph, v, u)];
      if (user != unit[v]) waiting[user]++;
    }
  int32_t nready = 0, done = 0, occupied = 0;
  for (int32_t u = 0; u < units; u++) {
    if (head[u] < 0) continue;
    occupied++;
    if (!waiting[u]) ready[nready++] = u;
  }
  while (done < nready) {
    int32_t from = ready[done++];
    for (int32_t v = head[from]; v >= 0; v = next[v])
      for (int32_t u = 0; u < region_followers(graph, v); u++) {
        int32_t user = unit[region_follower(graph, v, u)];
        if (user != from && --waiting[user] == 0) ready[nready++] = user;
      }
  }
  return done == occupied;
}

/* Activations that enter or leave copy 0, each once: what a call must keep in memory. */
static int32_t border_of(const Growth *g) {
  const RegionGraph *graph = g->graph;
  TccMap *entered = tcc_map_create(g->arena);
  int32_t border = 0;
  for (size_t s = 0; s < g->slots.count; s++) {
    const RegionNode *node = &graph->nodes[g->slots.data[s][0]];
    for (int32_t i = 0; i < node->noperands; i++) {
      RegionProducer p = graph->producers[node->first_operand + i];
      if (p.node != REGION_NO_NODE && (graph->nodes[p.node].leaf || graph->nodes[p.node].initial || g->owner_copy[p.node] == 0))
        continue;
      MlirValue value = mlirOperationGetOperand(node->op, i);
      bool inserted;
      tcc_map_put(entered, tcc_key_pointer((const void *const *)&value.ptr), &inserted);
      border += inserted;
    }
    bool leaves = false;
    for (int32_t u = 0; u < node->nuses; u++) leaves |= g->owner_copy[graph->uses[node->first_use + u].node] != 0;
    border += leaves;
  }
  return border;
}

/* Slots that make a region worth its border. Kernels of initial ops are few and small, and equal ones become one without a region. */
static int32_t count_work(const Growth *g) {
  int32_t work = 0;
  for (size_t s = 0; s < g->slots.count; s++) {
    bool initial = true;
    for (int32_t c = 0; c < g->copies; c++) initial &= g->graph->nodes[g->slots.data[s][c]].initial;
    work += !initial;
  }
  return work;
}

static int compare_slots(const void *a, const void *b) { return **(int32_t *const *)a - **(int32_t *const *)b; }

bool region_grow(RegionGraph *graph, const int32_t *seeds, int32_t copies, bool users_first, TccArena *scratch, Region *out) {
  *out = (Region){0};
  int32_t *members = TCC_NEW_ARRAY(scratch, int32_t, copies);
  memcpy(members, seeds, sizeof *seeds * (size_t)copies);
  for (int attempt = 0; attempt < ATTEMPTS && copies >= 2; attempt++) {
    Growth g = {.graph = graph, .arena = scratch, .copies = copies, .late = graph->nodes[seeds[0]].late};
    g.owner_copy = TCC_NEW_ARRAY(scratch, int32_t, graph->count);
    g.owner_slot = TCC_NEW_ARRAY(scratch, int32_t, graph->count);
    g.blame = TCC_NEW_ARRAY(scratch, int32_t, copies);
    memset(g.owner_copy, 0xff, sizeof *g.owner_copy * (size_t)graph->count);
    int32_t *ops = TCC_NEW_ARRAY(scratch, int32_t, copies);
    g.seen = TCC_NEW_ARRAY(scratch, int32_t, graph->count);
    add_slot(&g, members);
    size_t up = 0, down = 0;
    while (up < g.slots.count || down < g.slots.count) {
      bool users = users_first ? down < g.slots.count : up == g.slots.count;
      if (users) grow_users(&g, g.slots.data[down++], ops);
      else grow_operands(&g, g.slots.data[up++], ops);
    }
    make_consistent(&g);
    leave_epilogues(&g);
    int32_t slots = 0;
    for (size_t s = 0; s < g.slots.count; s++)
      if (g.slots.data[s]) g.slots.data[slots++] = g.slots.data[s];
    g.slots.count = (size_t)slots;
    int32_t work = count_work(&g);
    int64_t gain = (int64_t)(copies - 1) * work;
    if (gain > out->gain && is_acyclic(&g)) {
      *out =
          (Region){copies, slots, work, TCC_NEW_ARRAY(graph->arena, int32_t, (size_t)slots *(size_t)copies), gain, border_of(&g)};
      qsort(g.slots.data, g.slots.count, sizeof *g.slots.data, compare_slots);
      for (int32_t s = 0; s < slots; s++) memcpy(out->op + s * copies, g.slots.data[s], sizeof(int32_t) * (size_t)copies);
    }
    int32_t worst = 0;
    for (int32_t c = 1; c < copies; c++)
      if (g.blame[c] > g.blame[worst]) worst = c;
    if (!g.blame[worst] || copies <= 2) break;
    memmove(members + worst, members + worst + 1, sizeof *members * (size_t)(copies - worst - 1));
    copies--;
  }
  return out->gain > 0;
}
