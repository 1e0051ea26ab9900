/* scores.h - what the operators of ai.onnx.ml that give scores of classes or targets share: their input, transforms of scores, labels. */
#ifndef TCC_ONNX_SCORES_H
#define TCC_ONNX_SCORES_H
#include "lib/frontend/onnx/import.h"

typedef enum {
  TRANSFORM_NONE,
  TRANSFORM_SOFTMAX,
  TRANSFORM_LOGISTIC,
  TRANSFORM_SOFTMAX_ZERO,
  TRANSFORM_PROBIT
} OnnxTransform; /* of TreeEnsemble-5 */

/* Which of the names the attribute has; -1 and a reason: none. */
int onnx_choice(ImportCall *c, const char *attribute, const char *const *names, int count, const char *otherwise);
int onnx_post_transform(ImportCall *c); /* an OnnxTransform; -1 and a reason */
/* Input 0 as [N, F], in f64 if it is that, else in f32; a vector is one row. Null after a reason. */
MlirValue onnx_feature_rows(ImportCall *c);
/* The numbers of an attribute of floats; NULL: it is absent. */
const double *onnx_real_list(ImportCall *c, const char *name, size_t *out_count);
MlirValue onnx_real_constant(ImportCall *c, TccElem elem, int rank, const int64_t *dims, const double *values);
/* scores [N, C] as post_transform wants them; null after a reason. */
MlirValue onnx_transform(ImportCall *c, MlirValue scores, OnnxTransform how);
/* The scores of two classes of which one has the score s [N, 1]: [1 - s, s], or [-s, s] if `negated`; by LOGISTIC those of -s and s. No other
 * transform changes them, as onnxruntime has it: in SVMs they make [1 - s, s] of them. Null after a reason. */
MlirValue onnx_two_scores(ImportCall *c, MlirValue s, bool negated, OnnxTransform how);
/* The squared distances of the rows of a [M, F] and b [K, F]: [M, K]. */
MlirValue onnx_squared_distances(ImportCall *c, MlirValue a, MlirValue b);
/* An output of f32; false for null. */
bool onnx_score_output(ImportCall *c, size_t output, MlirValue scores);
/* How many classes classlabels_strings or the attribute `ints` name; 0 and a reason: none. */
size_t onnx_class_count(ImportCall *c, const char *ints);
/* Output 0: the label of each row's largest score, the first of equal ones. One score for each label. */
bool onnx_label_output(ImportCall *c, const char *ints, MlirValue scores);
#endif
