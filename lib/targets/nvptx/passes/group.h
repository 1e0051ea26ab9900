/* group.h - calls of kernels alike that become one call, of a kernel which does what each of them does and has the results of all.
 *
 *   %a = call @k(%x, %v)
 *   %b = call @k(%x, %w)      =>      %a, %b = call @k_x2(%x, %v, %w)
 *
 * The kernel has the body of each, one behind the other (lib/codegen/read/members.h). The joined call stands where the first one did: what the
 * others read must be there, or be moved in front of it. */
#ifndef TCC_NVPTX_GROUP_H
#define TCC_NVPTX_GROUP_H
#include "tcc/codegen.h"
#include "tcc/pass.h"

typedef struct {
  MlirOperation call, kernel;
} NvptxMember;

typedef TCC_VEC(NvptxMember) NvptxGroup;

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccMap *kernels; /* name -> kernel */
  TccMap *joined;  /* kernels of the members, operands that they share -> name */
  TCC_VEC(MlirOperation) replaced;
  TCC_VEC(MlirBlock) blocks; /* of functions that are no kernels */
} NvptxGrouping;

/* Reads the module's functions. All that is made lies in run->scratch. */
void nvptx_grouping_init(NvptxGrouping *g, TccPassRun *run, MlirOperation module);
/* The kernel that op calls, once; null: it is no such call. */
MlirOperation nvptx_grouping_kernel(const NvptxGrouping *g, MlirOperation op);
/* The argument that a value in a kernel is a view of; -1: it is computed. */
intptr_t nvptx_argument_of(TccIr *ir, MlirValue v);
/* Appends a kernel's body to a block, of these values in place of its arguments. out: its results. */
void nvptx_grouping_put(NvptxGrouping *g, MlirOperation kernel, const MlirValue *arguments, MlirBlock to, MlirValue *out);
/* `name`, or one like it, where another function has that; the run's. */
const char *nvptx_grouping_name(NvptxGrouping *g, const char *name);
/* Whether each operand of `call` is there in front of `first`, or is a view, a weight or a constant that can be moved there. */
bool nvptx_group_may_stand(TccIr *ir, MlirOperation call, MlirOperation first);
/* A tensor of one element. */
bool nvptx_is_scalar(TccIr *ir, MlirValue v);
/* Whether somebody between the two reads what `call` reads, scalars aside, and so might be read before it is written over. */
bool nvptx_group_is_read_between(TccIr *ir, MlirOperation first, MlirOperation call);
/* Whether it depends on weights alone, so that it is made once in any case. */
bool nvptx_group_is_of_weights(const TccInit *init, MlirOperation call);
/* Replaces the calls of a group, of more than one member, whose kernels have as many results each, by one. marked: its kernel says how many
 * members it has (tcc.members). */
void nvptx_grouping_join(NvptxGrouping *g, const NvptxGroup *group, bool marked);
/* Erases kernels that were replaced and that nobody calls any more. */
void nvptx_grouping_finish(NvptxGrouping *g);
#endif
