/* trees.c - reads ensembles of trees and walks them; see trees.h.
 *
 * All rows go down all trees at once, a step an iteration of a loop: where a row is in a tree is a number, and what to compare there is gathered by
 * it. A leaf leads to itself, so that the loop may have as many iterations as the deepest tree. A comparison with a set is a chain of
 * comparisons with its members. */
#include "lib/frontend/onnx/trees.h"
#include "lib/frontend/onnx/scores.h"
#include "tcc/op_kinds.h"

/* ---- reading ---- */
const double *onnx_reals_of(ImportCall *c, const char *tensor, const char *floats, size_t *out_count) {
  const TccOnnxAttribute *a = onnx_attribute(c, tensor);
  const void *data;
  *out_count = 0;
  if (a && a->t && tcc_elem_bits(a->t->elem) >= 8) {
    double *out = TCC_NEW_ARRAY(import_arena(c), double, a->t->count + 1);
    if (!import_fail_status(c, tcc_onnx_tensor_data(import_arena(c), a->t, &data))) return NULL;
    *out_count = a->t->count;
    for (size_t i = 0; i < a->t->count; i++) out[i] = tcc_elem_load_f64(a->t->elem, data, i);
    return out;
  }
  return floats ? onnx_real_list(c, floats, out_count) : NULL;
}

/* An attribute of `count` integers, NULL and a reason if it is none; optional: NULL alone where it is absent. */
static const int64_t *ints_of(ImportCall *c, const char *name, size_t count, bool optional) {
  const int64_t *values;
  size_t n;
  if (optional && !onnx_has_attribute(c, name)) return NULL;
  if (!onnx_ints(c, name, &values, &n)) {
    import_invalid(c, "%s is missing", name);
    return NULL;
  }
  if (n == count) return values;
  import_invalid(c, "%s has %zu entries, not %zu", name, n, count);
  return NULL;
}

/* The depth of the trees; false and a reason for nodes that are no trees. */
static bool measure(ImportCall *c, Forest *forest) {
  const size_t count = forest->nodes.count;
  bool *seen = TCC_NEW_ARRAY(import_arena(c), bool, count + 1);
  int64_t *level = TCC_NEW_ARRAY(import_arena(c), int64_t, count + 1), *next = TCC_NEW_ARRAY(import_arena(c), int64_t, count + 1);
  size_t n = 0;
  for (size_t i = 0; i < forest->roots.count; i++) {
    const int64_t root = forest->roots.data[i];
    if (root < 0 || (size_t)root >= count) return import_invalid(c, "the root of tree %zu is no node", i);
    if (seen[root]) return import_invalid(c, "two trees have one root");
    seen[root] = true;
    level[n++] = root;
  }
  for (forest->depth = 0; n; forest->depth++) {
    size_t behind = 0;
    bool inner = false;
    for (size_t i = 0; i < n; i++) {
      const TreeNode *node = &forest->nodes.data[level[i]];
      const int64_t children[] = {node->yes, node->no};
      if (node->mode == TREE_LEAF) continue;
      inner = true;
      for (int k = 0; k < 2; k++) {
        const int64_t child = children[k];
        if (child < 0 || (size_t)child >= count) return import_invalid(c, "node %lld leads to no node", (long long)level[i]);
        if (forest->nodes.data[child].mode == TREE_LEAF) continue; /* may have several parents */
        if (seen[child]) return import_invalid(c, "node %lld has two parents", (long long)child);
        seen[child] = true;
        next[behind++] = child;
      }
    }
    if (!inner) break;
    int64_t *swap = level;
    level = next, next = swap, n = behind;
  }
  return true;
}

static bool make_weights(ImportCall *c, Forest *forest, size_t targets, double rest) {
  size_t count, bytes;
  if (!tcc_mul_size(forest->nodes.count, targets, &count) || !tcc_mul_size(count, 8, &bytes) || bytes > IMPORT_MOST_DENSE / 4)
    return import_unsupported(c, "%zu nodes with %zu targets", forest->nodes.count, targets);
  forest->targets = targets;
  forest->weights = TCC_NEW_ARRAY(import_arena(c), double, count + 1);
  for (size_t i = 0; i < count; i++) forest->weights[i] = rest;
  return true;
}

static bool add_weight(ImportCall *c, Forest *forest, int64_t node, int64_t target, double weight, double rest) {
  if (target < 0 || (size_t)target >= forest->targets) return import_invalid(c, "there is no target %lld", (long long)target);
  double *to = &forest->weights[(size_t)node * forest->targets + (size_t)target];
  *to = *to == rest && rest != 0 ? weight : *to + weight;
  return true;
}

/* ---- TreeEnsembleClassifier, TreeEnsembleRegressor ---- */
static bool read_mode(ImportCall *c, TccStr text, TreeMode *out) {
  static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "", "LEAF"};
  for (int i = 0; i <= TREE_LEAF; i++)
    if (tcc_str_is(text, names[i]) && *names[i]) return *out = (TreeMode)i, true;
  return import_invalid(c, "node mode '%.*s'", TCC_STR_ARG(text));
}

/* The number of node `id` of tree `tree`; -1 and a reason if there is none. */
static int64_t node_at(ImportCall *c, const TccMap *places, int64_t tree, int64_t id) {
  const int64_t key[] = {tree, id};
  const TccMapEntry *entry = tcc_map_find(places, (TccStr){(const char *)key, sizeof key});
  if (!entry) import_invalid(c, "tree %lld has no node %lld", (long long)tree, (long long)id);
  return entry ? entry->integer : -1;
}

static bool read_nodes(ImportCall *c, Forest *forest, TccMap *places) {
  const TccStr *modes;
  size_t n = 0, nsplits;
  if (!onnx_strings(c, "nodes_modes", &modes, &n) || !n) return import_invalid(c, "nodes_modes is missing");
  const int64_t *ids = ints_of(c, "nodes_nodeids", n, false), *trees = ints_of(c, "nodes_treeids", n, false),
                *features = ints_of(c, "nodes_featureids", n, false), *yes = ints_of(c, "nodes_truenodeids", n, false),
                *no = ints_of(c, "nodes_falsenodeids", n, false), *missing = ints_of(c, "nodes_missing_value_tracks_true", n, true);
  const double *splits = onnx_reals_of(c, "nodes_values_as_tensor", "nodes_values", &nsplits);
  if (c->reason) return false;
  if (nsplits != n) return import_invalid(c, "%zu values for %zu nodes", nsplits, n);
  TccMap *known = tcc_map_create(import_arena(c));
  for (size_t i = 0; i < n; i++) {
    const int64_t key[] = {trees[i], ids[i]};
    bool inserted;
    tcc_map_put(places, (TccStr){(const char *)key, sizeof key}, &inserted)->integer = (int64_t)i;
    if (!inserted) return import_invalid(c, "tree %lld has two nodes %lld", (long long)key[0], (long long)key[1]);
    tcc_map_put(known, (TccStr){(const char *)key, sizeof *key}, &inserted);
    if (inserted) TCC_VEC_PUSH(import_arena(c), &forest->roots, (int64_t)i);
  }
  for (size_t i = 0; i < n; i++) {
    TreeNode node = {
        .feature = features[i], .split = splits[i], .missing = missing && missing[i], .yes = (int64_t)i, .no = (int64_t)i};
    if (!read_mode(c, modes[i], &node.mode)) return false;
    if (node.mode != TREE_LEAF) node.yes = node_at(c, places, trees[i], yes[i]), node.no = node_at(c, places, trees[i], no[i]);
    TCC_VEC_PUSH(import_arena(c), &forest->nodes, node);
  }
  return !c->reason && measure(c, forest);
}

bool onnx_read_forest(ImportCall *c, const char *prefix, size_t targets, double rest, Forest *out) {
  TccArena *arena = import_arena(c);
  TccMap *places = tcc_map_create(arena);
  const int64_t *ids;
  size_t n, nweights;
  *out = (Forest){.targets = targets};
  if (!read_nodes(c, out, places) || !make_weights(c, out, targets, rest)) return false;
  const char *ids_name = tcc_arena_printf(arena, "%s_ids", prefix);
  if (!onnx_ints(c, ids_name, &ids, &n)) return import_invalid(c, "%s is missing", ids_name);
  const int64_t *nodes = ints_of(c, tcc_arena_printf(arena, "%s_nodeids", prefix), n, false),
                *trees = ints_of(c, tcc_arena_printf(arena, "%s_treeids", prefix), n, false);
  const double *weights = onnx_reals_of(c, tcc_arena_printf(arena, "%s_weights_as_tensor", prefix),
                                        tcc_arena_printf(arena, "%s_weights", prefix), &nweights);
  if (c->reason) return false;
  if (nweights != n) return import_invalid(c, "%zu weights for %zu places", nweights, n);
  bool *given = TCC_NEW_ARRAY(arena, bool, out->nodes.count + 1);
  for (size_t i = 0; i < n; i++) {
    const int64_t node = node_at(c, places, trees[i], nodes[i]);
    if (node < 0) return false;
    if (out->nodes.data[node].mode != TREE_LEAF)
      return import_invalid(c, "node %lld has a weight and is no leaf", (long long)nodes[i]);
    const bool again = given[node] && out->targets == 1 && ids[i] == 0; /* the first one counts: trees.h */
    if (!again && !add_weight(c, out, node, ids[i], weights[i], rest)) return false;
    given[node] = true;
  }
  return true;
}

/* ---- TreeEnsemble ---- */
/* A node that compares with the members of a set becomes one for each, the first at its place. */
static bool spread_members(ImportCall *c, Forest *forest, size_t at, const double *members, size_t count, size_t *place) {
  const TreeNode whole = forest->nodes.data[at];
  size_t first = *place, n = 0;
  while (first + n < count && members[first + n] == members[first + n]) n++;
  *place = first + n + 1;
  if (first + n >= count || !n) return import_invalid(c, "membership_values has no set for node %zu", at);
  for (size_t k = 0; k < n; k++) {
    TreeNode node = whole;
    node.mode = TREE_EQ;
    node.split = members[first + k];
    if (k + 1 < n) node.no = (int64_t)forest->nodes.count + (k == 0 ? 0 : 1);
    if (k == 0) forest->nodes.data[at] = node;
    else TCC_VEC_PUSH(import_arena(c), &forest->nodes, node);
  }
  return true;
}

static bool read_branches(ImportCall *c, Forest *forest, size_t leaves) {
  const int64_t *yes, *roots;
  size_t n, nsplits, nmodes, nmembers, nroots, place = 0;
  if (!onnx_ints(c, "nodes_truenodeids", &yes, &n) || !n) return import_invalid(c, "nodes_truenodeids is missing");
  const int64_t *no = ints_of(c, "nodes_falsenodeids", n, false), *yes_leaf = ints_of(c, "nodes_trueleafs", n, false),
                *no_leaf = ints_of(c, "nodes_falseleafs", n, false), *features = ints_of(c, "nodes_featureids", n, false),
                *missing = ints_of(c, "nodes_missing_value_tracks_true", n, true);
  const double *splits = onnx_reals_of(c, "nodes_splits", NULL, &nsplits), *modes = onnx_reals_of(c, "nodes_modes", NULL, &nmodes),
               *members = onnx_reals_of(c, "membership_values", NULL, &nmembers);
  if (!onnx_ints(c, "tree_roots", &roots, &nroots)) return import_invalid(c, "tree_roots is missing");
  if (c->reason) return false;
  if (nsplits != n || nmodes != n) return import_invalid(c, "nodes_splits and nodes_modes must have %zu entries", n);
  for (size_t i = 0; i < n + leaves; i++) {
    TreeNode node = {.mode = TREE_LEAF, .yes = (int64_t)i, .no = (int64_t)i};
    if (i < n) {
      if (!(modes[i] >= TREE_LEQ && modes[i] <= TREE_MEMBER)) return import_invalid(c, "node mode %g", modes[i]);
      const bool leads = yes[i] >= 0 && yes[i] < (yes_leaf[i] ? (int64_t)leaves : (int64_t)n) && no[i] >= 0 &&
                         no[i] < (no_leaf[i] ? (int64_t)leaves : (int64_t)n);
      if (!leads) return import_invalid(c, "node %zu leads to no node", i);
      node = (TreeNode){.mode = (TreeMode)modes[i],
                        .missing = missing && missing[i],
                        .feature = features[i],
                        .split = splits[i],
                        .yes = yes[i] + (yes_leaf[i] ? (int64_t)n : 0),
                        .no = no[i] + (no_leaf[i] ? (int64_t)n : 0)};
    }
    TCC_VEC_PUSH(import_arena(c), &forest->nodes, node);
  }
  for (size_t i = 0; i < n; i++)
    if (forest->nodes.data[i].mode == TREE_MEMBER && !spread_members(c, forest, i, members, nmembers, &place)) return false;
  for (size_t i = 0; i < nroots; i++) {
    if (roots[i] < 0 || roots[i] >= (int64_t)n) return import_invalid(c, "the root of tree %zu is no node", i);
    TCC_VEC_PUSH(import_arena(c), &forest->roots, roots[i]);
  }
  return measure(c, forest);
}

bool onnx_read_ensemble(ImportCall *c, size_t targets, double rest, Forest *out) {
  const int64_t *ids;
  size_t leaves, nweights;
  *out = (Forest){.targets = targets};
  if (!onnx_ints(c, "leaf_targetids", &ids, &leaves) || !leaves) return import_invalid(c, "leaf_targetids is missing");
  const double *weights = onnx_reals_of(c, "leaf_weights", NULL, &nweights);
  if (c->reason) return false;
  if (nweights != leaves) return import_invalid(c, "%zu weights for %zu leaves", nweights, leaves);
  if (!read_branches(c, out, leaves) || !make_weights(c, out, targets, rest)) return false;
  const int64_t *yes;
  size_t branches;
  onnx_ints(c, "nodes_truenodeids", &yes, &branches);
  for (size_t i = 0; i < leaves; i++)
    if (!add_weight(c, out, (int64_t)(branches + i), ids[i], weights[i], rest)) return false;
  return true;
}

/* ---- walking ---- */
typedef enum { OF_FEATURE, OF_YES, OF_NO, OF_MODE, OF_MISSING } Part;

static int64_t part_of(const TreeNode *node, Part part) {
  const int64_t parts[] = {node->feature, node->yes, node->no, node->mode, node->missing};
  return node->mode == TREE_LEAF && part == OF_FEATURE ? 0 : parts[part];
}

/* A number of each node, [nodes]: i64; splits in elem. */
static MlirValue table(ImportCall *c, const Forest *forest, Part part) {
  const int64_t count = (int64_t)forest->nodes.count;
  int64_t *values = TCC_NEW_ARRAY(import_arena(c), int64_t, forest->nodes.count + 1);
  for (size_t i = 0; i < forest->nodes.count; i++) values[i] = part_of(&forest->nodes.data[i], part);
  return tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, values);
}

/* doubles as elem */
static MlirValue reals(ImportCall *c, TccElem elem, const double *values, size_t count, int rank, const int64_t *dims) {
  char *data = tcc_arena_alloc(import_arena(c), tcc_elem_bytes(elem, count) + 1);
  for (size_t i = 0; i < count; i++) tcc_elem_store_f64(elem, data, i, values[i]);
  return tcc_build_constant(&c->b, elem, rank, dims, data);
}

static MlirValue splits_of(ImportCall *c, const Forest *forest, TccElem elem) {
  const int64_t count = (int64_t)forest->nodes.count;
  double *values = TCC_NEW_ARRAY(import_arena(c), double, forest->nodes.count + 1);
  for (size_t i = 0; i < forest->nodes.count; i++) values[i] = forest->nodes.data[i].split;
  return reals(c, elem, values, forest->nodes.count, 1, &count);
}

static MlirValue at(ImportCall *c, const Forest *forest, Part part, MlirValue place) {
  return tcc_build_gather(&c->b, table(c, forest, part), place, 0);
}

/* x and split compared as the nodes at `place` say. */
static MlirValue decide(ImportCall *c, const Forest *forest, MlirValue place, MlirValue x, MlirValue split) {
  static const char *const predicates[] = {"le", "lt", "ge", "gt", "eq", "ne"};
  MlirValue yes = {NULL}, mode = {NULL};
  unsigned modes = 0;
  bool missing = false;
  for (size_t i = 0; i < forest->nodes.count; i++) {
    if (forest->nodes.data[i].mode != TREE_LEAF) modes |= 1u << forest->nodes.data[i].mode;
    missing |= forest->nodes.data[i].missing;
  }
  for (int m = TREE_LEQ; m <= TREE_NEQ; m++) {
    if (!(modes & 1u << m)) continue;
    MlirValue met = tcc_build_compare(&c->b, predicates[m], x, split);
    if (yes.ptr && !mode.ptr) mode = at(c, forest, OF_MODE, place);
    yes = yes.ptr ? tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", mode, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, m)), met,
                                     yes)
                  : met;
  }
  if (!missing) return yes;
  MlirValue tracks = tcc_build_compare(&c->b, "ne", at(c, forest, OF_MISSING, place), tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  return tcc_build2(&c->b, TCC_OP_OR, yes, tcc_build2(&c->b, TCC_OP_AND, tracks, tcc_build1(&c->b, TCC_OP_IS_NAN, x)));
}

/* Where the rows of x are in the trees one step further. */
static MlirValue step(ImportCall *c, const Forest *forest, MlirValue x, MlirValue place) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue operands[] = {x, at(c, forest, OF_FEATURE, place)};
  MlirValue value = import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1);
  MlirValue split = tcc_build_gather(&c->b, splits_of(c, forest, tcc_value_elem(x)), place, 0);
  return tcc_build_select(&c->b, decide(c, forest, place, value, split), at(c, forest, OF_YES, place), at(c, forest, OF_NO, place));
}

static MlirValue walk(ImportCall *c, const Forest *forest, MlirValue x, MlirValue place) {
  ImportBody body;
  MlirValue out = {NULL};
  if (!forest->depth || !place.ptr) return place;
  import_body_open(c, &body);
  MlirValue here = import_body_argument(c, &body, tcc_value_type(place)), next = step(c, forest, x, here);
  if (import_body_close(c, &body, 1, &place, &next, import_size(c, (int64_t)forest->depth), false, &out)) return out;
  import_body_drop(c, &body, false);
  return (MlirValue){NULL};
}

MlirValue onnx_forest_leaves(ImportCall *c, const Forest *forest, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  int64_t most = 0, trees = (int64_t)forest->roots.count;
  for (size_t i = 0; i < forest->nodes.count; i++) {
    const int64_t feature = part_of(&forest->nodes.data[i], OF_FEATURE);
    if (feature < 0) import_invalid(c, "feature %lld", (long long)feature);
    if (feature > most) most = feature;
  }
  if (!import_require_at_most(c, import_size(c, most + 1), shape.dims[1], "the features of the trees, and of the input"))
    return (MlirValue){NULL};
  const TccExpr *places[] = {shape.dims[0], import_size(c, trees)};
  MlirValue roots = tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &trees, forest->roots.data);
  MlirValue place = walk(c, forest, x, tcc_build_broadcast(&c->b, roots, 2, places));
  const int64_t dims[] = {(int64_t)forest->nodes.count, (int64_t)forest->targets};
  MlirValue weights = reals(c, shape.elem, forest->weights, forest->nodes.count * forest->targets, 2, dims);
  return tcc_build_gather(&c->b, weights, place, 0);
}
