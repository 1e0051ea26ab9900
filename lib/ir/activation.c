/* activation.c - see activation.h. */
#include "lib/ir/activation.h"
#include <stdio.h>
#include <strings.h>

static const struct {
  const char *name; /* without underscores */
  double alpha, beta;
} rows[TCC_ACTIVATION_COUNT] = {[TCC_ACTIVATION_SIGMOID] = {"sigmoid", 0, 0},
                                [TCC_ACTIVATION_TANH] = {"tanh", 0, 0},
                                [TCC_ACTIVATION_RELU] = {"relu", 0, 0},
                                [TCC_ACTIVATION_AFFINE] = {"affine", 1, 0},
                                [TCC_ACTIVATION_LEAKY_RELU] = {"leakyrelu", 0.01, 0},
                                [TCC_ACTIVATION_THRESHOLDED_RELU] = {"thresholdedrelu", 1, 0},
                                [TCC_ACTIVATION_SCALED_TANH] = {"scaledtanh", 1, 1},
                                [TCC_ACTIVATION_HARD_SIGMOID] = {"hardsigmoid", 0.2, 0.5},
                                [TCC_ACTIVATION_ELU] = {"elu", 1, 0},
                                [TCC_ACTIVATION_SOFTSIGN] = {"softsign", 0, 0},
                                [TCC_ACTIVATION_SOFTPLUS] = {"softplus", 0, 0}};

const char *tcc_activations_read(TccArena *arena, TccStr text, TccActivation out[TCC_MOST_ACTIVATIONS], int *out_count) {
  const char *at = text.data, *end = text.data + text.length;
  for (*out_count = 0; at < end; ++*out_count) {
    char name[32], inside[80];
    size_t n = 0, m = 0;
    if (*out_count == TCC_MOST_ACTIVATIONS) return "has more than 6 activations";
    for (; at < end && *at != ',' && *at != '('; at++)
      if (*at != ' ' && *at != '_' && n + 1 < sizeof name) name[n++] = *at;
    name[n] = 0;
    TccActivationKind kind = 0;
    while (kind < TCC_ACTIVATION_COUNT && strcasecmp(name, rows[kind].name) != 0) kind++;
    if (kind == TCC_ACTIVATION_COUNT) return tcc_arena_printf(arena, "activation '%s' is not known", name);
    out[*out_count] = (TccActivation){kind, rows[kind].alpha, rows[kind].beta};
    if (at < end && *at == '(') {
      for (at++; at < end && *at != ')'; at++)
        if (m + 1 < sizeof inside) inside[m++] = *at;
      inside[m] = 0;
      const char *comma = strchr(inside, ',');
      sscanf(inside, "%lf", &out[*out_count].alpha);
      if (comma) sscanf(comma + 1, "%lf", &out[*out_count].beta);
      if (at < end) at++;
    }
    if (at < end && *at == ',') at++;
  }
  return NULL;
}
