/* members.h - kernels that do the same several times, each time for results of their own: products of one left operand with several weights, updates
 * of several tensors.
 *
 *   func @k(%x, %v, %a, %w, %b) -> (r, r) {     member 0 reads %x, %v, %a, member 1 %x, %w, %b
 *     %0 = dot_general(%x, %v) ; %1 = add %0, %a
 *     %2 = dot_general(%x, %w) ; %3 = add %2, %b
 *     return %1, %3 }
 *
 * An emitter reads member 0, and of the others which arguments stand in the places of its own. Products may be of several kinds, as queries of more heads
 * than keys and values have: members of a kind are alike, and an emitter reads the first one of each.
 *
 * A dual product has one result, in whose epilogue two products of one left operand meet, as the gate and what it gates:
 *
 *   %0 = dot_general(%x, %v) ; %1 = dot_general(%x, %w) ; %2 = silu(%0) ; return multiply(%2, %1) */
#ifndef TCC_CODEGEN_READ_MEMBERS_H
#define TCC_CODEGEN_READ_MEMBERS_H
#include "tcc/codegen.h"

enum { TCC_MOST_MEMBERS = 4 /* products */, TCC_MOST_MAP_MEMBERS = 64 };

typedef struct {
  int count, each, buffers; /* members; results of each; operands and results of the kernel */
  int *like;                /* like[m]: the first member that is the same function of its arguments as m, of the same types */
  /* peer[m][b]: the buffer, operands first, then results, that member m has where member like[m] has b; -1: that one does not touch b. */
  int **peer;
} TccMembers;

/* The kernel's results as members, of which one alone is always one. Arrays are the arena's. TCC_UNSUPPORTED: more than TCC_MOST_MEMBERS. */
TccStatus *tcc_members_read(TccIr *ir, MlirOperation kernel, TccMembers *out) TCC_CHECKED;
/* The members of a kernel that says how many it has (tcc.members), each with as many results: the first member has the first ones. All are like it: the
 * same function of arguments of the same element types, but tensors of a member's shape, that of its first result, may have another one in each. */
TccStatus *tcc_members_read_marked(TccIr *ir, MlirOperation kernel, TccMembers *out) TCC_CHECKED;
/* How many members a kernel says that it has; 0: it says nothing. */
int tcc_members_marked(TccIr *ir, MlirOperation kernel);
/* The second product of a kernel of one result; null: there is none. It is the same function of its operands as `first` of its own. out_peer: of each
 * argument the one that the second has where the first has it, -1: the first does not touch it; the arena's. TCC_UNSUPPORTED: two that differ in more than
 * the right operand's arguments, or more than two. */
TccStatus *tcc_dual_read(TccIr *ir, MlirOperation kernel, MlirOperation first, MlirOperation *out_second,
                         int **out_peer) TCC_CHECKED;
/* Whether all members that are like member `first`, itself one of like[], have the same buffer where it has `buffer`. */
bool tcc_members_share(const TccMembers *members, int first, int buffer);
/* Whether two values, of one kernel or of two, are the same function of arguments of the same types. */
bool tcc_values_are_alike(TccIr *ir, MlirValue a, MlirValue b);
#endif
