/* trees.h - ensembles of decision trees, as the operators of ai.onnx.ml have them, in one form. */
#ifndef TCC_ONNX_TREES_H
#define TCC_ONNX_TREES_H
#include "lib/frontend/onnx/import.h"

typedef enum {
  TREE_LEQ,
  TREE_LT,
  TREE_GTE,
  TREE_GT,
  TREE_EQ,
  TREE_NEQ,
  TREE_MEMBER,
  TREE_LEAF
} TreeMode; /* numbers of TreeEnsemble-5 */

/* x[feature] mode split decides between the nodes `yes` and `no`; of a leaf both are itself. missing: NaN means yes. */
typedef struct {
  TreeMode mode;
  bool missing;
  int64_t feature, yes, no;
  double split;
} TreeNode;

typedef struct {
  TCC_VEC(TreeNode) nodes;
  TCC_VEC(int64_t) roots;
  size_t targets;
  double *weights; /* [nodes, targets]: what a leaf gives; `rest` where it gives a target nothing */
  size_t depth;    /* comparisons from a root to a leaf, at most */
} Forest;

/* Reads the attributes nodes_* of TreeEnsembleClassifier and -Regressor, and the weights PREFIX_*. False after a reason.
 * Several weights of a leaf for one target are added; where there is one target alone the first of them counts, as in onnxruntime: skl2onnx writes the
 * number of a leaf once for each class. */
bool onnx_read_forest(ImportCall *c, const char *prefix, size_t targets, double rest, Forest *out);
/* Those of TreeEnsemble. */
bool onnx_read_ensemble(ImportCall *c, size_t targets, double rest, Forest *out);
/* The numbers of a tensor attribute, or of a list of floats; NULL: it is absent. */
const double *onnx_reals_of(ImportCall *c, const char *tensor, const char *floats, size_t *out_count);
/* The weights that the leaves give which the rows of x [N, F], f32 or f64, come to: [N, trees, targets]. */
MlirValue onnx_forest_leaves(ImportCall *c, const Forest *forest, MlirValue x);
#endif
