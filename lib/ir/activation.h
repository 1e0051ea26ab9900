/* activation.h - the attribute `activations` of lstm, gru and rnn: "sigmoid,tanh(0.5),leaky_relu(0.01,0)", those of all directions in order,
 * alpha and beta in parentheses. Case and underscores do not matter. Names, alpha and beta are those of the ONNX operators. */
#ifndef TCC_IR_ACTIVATION_H
#define TCC_IR_ACTIVATION_H
#include "tcc/base.h"

typedef enum {
  TCC_ACTIVATION_SIGMOID,
  TCC_ACTIVATION_TANH,
  TCC_ACTIVATION_RELU,
  TCC_ACTIVATION_AFFINE,
  TCC_ACTIVATION_LEAKY_RELU,
  TCC_ACTIVATION_THRESHOLDED_RELU,
  TCC_ACTIVATION_SCALED_TANH,
  TCC_ACTIVATION_HARD_SIGMOID,
  TCC_ACTIVATION_ELU,
  TCC_ACTIVATION_SOFTSIGN,
  TCC_ACTIVATION_SOFTPLUS,
  TCC_ACTIVATION_COUNT
} TccActivationKind;
typedef struct {
  TccActivationKind kind;
  double alpha, beta; /* as given, else the operator's default */
} TccActivation;
enum { TCC_MOST_ACTIVATIONS = 6 };

/* NULL, or what is wrong, in the arena. */
const char *tcc_activations_read(TccArena *arena, TccStr text, TccActivation out[TCC_MOST_ACTIVATIONS], int *out_count);
#endif
