/* loop_invariant.h - what a loop computes anew in each iteration though nothing in it changes. */
#ifndef TCC_IR_LOOP_INVARIANT_H
#define TCC_IR_LOOP_INVARIANT_H
#include "tcc/ir.h"

typedef struct TccLoopBodies TccLoopBodies;

/* The functions of the module that loops call (tcc_call_loop), and nothing else. In the arena; it holds until functions or calls of them are
 * made or erased by others than tcc_loop_hoist. */
TccLoopBodies *tcc_loop_bodies(TccIr *ir, MlirOperation module, TccArena *arena);

/* Whether each iteration of a loop gives the value the same bytes: an argument of a loop's body that the loop does not carry, a constant or
 * weight in one, or a view of such. False outside of loops' bodies, and for values whose size is not known. */
bool tcc_loop_invariant(const TccLoopBodies *bodies, MlirValue value);

/* Moves ops that are `wanted` and invariant in front of the loops that run them, out of an inner loop and then out of the outer one: those with one
 * result of known size, no region, and invariant operands. Views and constants that they read are copied with them; loops capture the results.
 * That an op is pure, and cannot fail in front of a loop of no iterations, is for `wanted` to know. */
void tcc_loop_hoist(TccLoopBodies *bodies, MlirOperation module, bool (*wanted)(void *user, MlirOperation op), void *user);
#endif
